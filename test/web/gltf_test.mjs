// glTF files of the program, judged by Khronos' validator; test/cli/test_gltf.py compares their content with the runs. FLYBALL names the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const { validateBytes } = createRequire(new URL("../../viewer/package.json", import.meta.url))("gltf-validator");
const program = process.env.FLYBALL;
const options = { skip: program ? false : "FLYBALL does not name the program" };
const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "flyball-gltf-"));
after(() => rmSync(scratch, { recursive: true }));

// Bodies, springs, rods and a slider on a bent beam; a mechanism; a frame with masses; a mesh of shells; a body that flies far.
const models = {
    arm: ["test/cli/gltf/arm.yaml", { skins: true, morphs: false }],
    governor: ["models/governor.yaml", { skins: false, morphs: false }],
    crane: ["models/crane.yaml", { skins: true, morphs: false }],
    table: ["docs/guide/models/table.yaml", { skins: false, morphs: true }],
    rocket_sled: ["models/rocket_sled.yaml", { skins: false, morphs: false }],
};

function write(name) {
    const path = join(scratch, `${name}.glb`);
    execFileSync(program, ["run", join(root, models[name][0]), "--quiet", "--gltf", path], { stdio: "pipe" });
    return new Uint8Array(readFileSync(path));
}

test("a mode with a skin and one with morph targets are valid", options, async () => {
    for (const model of ["test/cli/gltf/arm.yaml", "docs/guide/models/table.yaml"]) {
        const path = join(scratch, "mode.glb");
        execFileSync(program, ["modes", join(root, model), "--quiet", "--gltf", path], { stdio: "pipe" });
        const { issues, info } = await validateBytes(new Uint8Array(readFileSync(path)));
        assert.deepEqual(issues.messages, []);
        assert.equal(info.animationCount, 1);
    }
});

for (const [name, [, has]] of Object.entries(models)) {
    test(`${name}.glb is valid, without warnings or hints`, options, async () => {
        const { issues, info } = await validateBytes(write(name));
        assert.deepEqual(issues.messages, []);
        assert.equal(info.animationCount, 1);
        assert.ok(info.totalTriangleCount >= 12);
        assert.deepEqual({ skins: info.hasSkins, morphs: info.hasMorphTargets }, has);
    });
}

test("the validator notices a quaternion that is none", options, async () => {
    const bytes = write("governor");
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const size = view.getUint32(12, true);
    const document = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + size)));
    const turns = document.accessors.find(({ type }) => type === "VEC4");
    view.setFloat32(28 + size + document.bufferViews[turns.bufferView].byteOffset, 7, true);
    assert.ok((await validateBytes(bytes)).issues.numErrors > 0);
});
