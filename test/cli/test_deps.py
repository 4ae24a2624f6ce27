"""tools/install_deps.sh with a pretended package system: says what it installs, and nothing where all is there."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
INSTALLED = "install ok installed"


class InstallDeps(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temp.name)
        self.missing = self.folder / "missing"
        self.log = self.folder / "log"
        self.log.touch()
        self.path = f"{self.folder}:{os.environ['PATH']}"
        # A package is missing while it is named in a file; installing removes it from there, where lists are fresh.
        self.fake("dpkg-query", f'name=${{@: -1}}; grep -qx "$name" {self.missing} && exit 1; echo "{INSTALLED}"')
        self.fake("sudo", f'echo sudo >>{self.log}; exec "$@"')
        self.fake("apt-get", f'''echo "$*" >>{self.log}
            if [ "$1" = update ]; then touch {self.folder}/fresh; exit 0; fi
            [ -e {self.folder}/stale ] && [ ! -e {self.folder}/fresh ] && exit 100
            : >{self.missing}''')

    def tearDown(self):
        self.temp.cleanup()

    def fake(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)

    def install(self, *missing, purpose="test"):
        self.missing.write_text("".join(f"{m}\n" for m in missing))
        done = subprocess.run([SOURCE / "tools/install_deps.sh", *([purpose] if purpose else [])], env={"PATH": self.path}, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_nothing_to_do(self):
        self.assertIn("nothing to install", self.install())
        self.assertEqual(self.log.read_text(), "")

    def test_installs_what_is_missing(self):
        out = self.install("libfyaml-dev", "ninja-build")
        self.assertRegex(out, "installing with apt: .*ninja-build.*libfyaml-dev")
        lines = self.log.read_text().splitlines()
        installs = [line for line in lines if line.startswith("install")]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith("ninja-build libfyaml-dev"))
        self.assertNotIn("gcc", installs[0].split())
        if os.getuid() != 0:
            self.assertIn("sudo", lines)

    def test_purposes(self):
        """A build takes no browser, no tests a second compiler; each purpose has what the one before it has."""
        of = {"": {"gcc", "libfyaml-dev"}, "build": {"gcc", "libfyaml-dev"}, "test": {"gcc", "libfyaml-dev", "libcmocka-dev", "chromium", "npm"},
              "gate": {"gcc", "libfyaml-dev", "libcmocka-dev", "chromium", "npm", "clang-tidy", "cppcheck"}}
        self.hide_programs()
        for purpose, wanted in of.items():
            self.log.write_text("")
            self.install(*of["gate"], purpose=purpose)
            self.assertEqual(set(self.log.read_text().split()) & of["gate"], wanted, purpose)
        done = subprocess.run([SOURCE / "tools/install_deps.sh", "all"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'all' is not one of build, test, gate", done.stderr)

    def hide_programs(self):
        """A path on which only the shell's own tools are found, so that no program comes from elsewhere."""
        for name in ("env", "bash", "grep", "id", "ls", "touch"):
            (self.folder / name).symlink_to(shutil.which(name))
        self.path = str(self.folder)

    def test_programs_from_elsewhere(self):
        for name in ("chromium", "node", "npm"):
            self.fake(name, "")
        self.assertIn("nothing to install", self.install("chromium", "nodejs", "npm"))

    def test_updates_stale_lists(self):
        (self.folder / "stale").touch()
        self.install("libfyaml-dev")
        lines = self.log.read_text()
        self.assertIn("update", lines)
        self.assertTrue(lines.splitlines()[-1].startswith("install"))
