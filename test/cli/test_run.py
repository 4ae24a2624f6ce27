"""`flyball run`: streams, files, JSON, overrides, interruption."""
import csv
import hashlib
import json
import os
import re
import resource
import signal
import struct
import subprocess
import threading
import time
import unittest

from program import FLYBALL, LONG_PENDULUM, MODELS, PENDULUM, ProgramTest

# What the JSON document promises; more may follow.
KEYS = """model model_sha256 version integrator rtol atol t_start t_end samples wall_s cpu_s steps rejected rhs_evals
jacobian_evals factorizations max_constraint_error energy_start energy_end energy_balance final csv certificate
warnings load_s""".split()


def read_level_4(data):
    """The matrices of a MATLAB level 4 file: columns of numbers as lists, texts as lists of rows without blanks at their ends."""
    matrices, at = {}, 0
    while at < len(data):
        kind, rows, columns, _, length = struct.unpack_from("<5i", data, at)
        name = data[at + 20:at + 20 + length - 1].decode()
        at += 20 + length
        values = list(struct.unpack_from(f"<{rows * columns}d", data, at))
        at += 8 * rows * columns
        if kind == 1:
            values = ["".join(chr(int(values[c * rows + r])) for c in range(columns)).rstrip() for r in range(rows)]
        matrices[name] = values
    return matrices


class Run(ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("swing.yaml", PENDULUM)

    def test_summary(self):
        answer = self.expect(self.flyball("run", self.model), 0)
        for word in ("angle", "tip.x", "rad", "integrator", "steps"):
            self.assertIn(word, answer.out)
        self.assertEqual(answer.err, "")

    def test_json_document(self):
        answer = self.expect(self.flyball("run", self.model, "--json"), 0)
        document = answer.json()
        for key in KEYS:
            self.assertIn(key, document)
        self.assertEqual(document["model"], "swing.yaml")
        self.assertEqual(document["model_sha256"], hashlib.sha256(PENDULUM.encode()).hexdigest())
        self.assertEqual((document["t_start"], document["t_end"], document["samples"]), (0, 1, 11))
        self.assertEqual(set(document["final"]), {"angle", "tip.x", "tip.y", "tip.z"})
        self.assertIsNone(document["csv"])
        self.assertIsNone(document["certificate"])
        self.assertGreater(document["steps"], 0)
        self.assertGreater(document["cpu_s"], 0)
        self.assertLess(abs(document["energy_balance"]), 1e-5)
        # The outputs belong together: the tip stands where the angle says.
        final = document["final"]
        self.assertAlmostEqual(final["tip.x"] ** 2 + final["tip.z"] ** 2, 1.0, delta=1e-9)

    def test_reactions_of_redundant_parts(self):
        # Three rows of the planar loop are redundant: the motion is unique, reactions out of the plane are not, and it is said where they are recorded.
        text = (MODELS / "fourbar.yaml").read_text()
        force = text.replace("outputs:\n", "outputs:\n  hold: {type: reaction, joint: pin_A}\n")
        sensor = text.replace("outputs:\n", "sensors: {hold: {type: reaction, joint: pin_A}}\noutputs:\n  doubled: 2*hold.z\n  sum: hold.x + hold.y\n")
        for model, output in ((force, "hold.z"), (sensor, "doubled")):
            name = self.write("model.yaml", model)
            document = self.expect(self.flyball("run", name, "--duration", "1", "--json"), 0).json()
            self.assertEqual(document["not_unique"], [output])
            warning, = document["warnings"]
            for words in ("1 recorded output is not unique", output, "3 constraint rows are redundant (of 'pin_", "smallest loop multipliers"):
                self.assertIn(words, warning)
            self.expect(self.flyball("run", name, "--duration", "1"), 0, "warning: ", "not unique")
            document = self.expect(self.flyball("check", name, "--json"), 0).json()
            self.assertIn("not unique", document["warnings"][0])
            self.assertEqual(document["not_unique"], [output])
            self.assertRegex(self.flyball("check", name).out, rf"(?m)^  Recorded outputs that are not unique: {output}$")
        plane = self.write("plane.yaml", force.replace("joint: pin_A", "joint: pin_A, component: y"))
        document = self.flyball("run", plane, "--duration", "1", "--json").json()
        self.assertEqual((document["not_unique"], document["warnings"]), ([], []))
        # Nothing to say where no reaction is recorded, or where no row is redundant.
        self.assertEqual(self.flyball("run", MODELS / "fourbar.yaml", "--duration", "1", "--json").json()["warnings"], [])
        self.assertEqual(self.flyball("check", MODELS / "fourbar.yaml", "--json").json()["warnings"], [])
        single = PENDULUM.replace("outputs:\n", "outputs:\n  hold: {type: reaction, joint: pivot}\n")
        self.assertEqual(self.flyball("run", self.write("single.yaml", single), "--json").json()["warnings"], [])

    def test_files(self):
        answer = self.expect(self.flyball("run", self.model, "-o", "deep/results"), 0, "deep/results/swing.csv")
        with open(self.folder / "deep/results/swing.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["t [s]", "angle [rad]", "tip.x [m]", "tip.y [m]", "tip.z [m]"])
        self.assertEqual(len(rows), 12)
        self.assertEqual((float(rows[1][0]), float(rows[-1][0])), (0.0, 1.0))
        document = json.loads((self.folder / "deep/results/swing.json").read_text())
        self.assertEqual(document["csv"], "deep/results/swing.csv")
        # Both files hold the very same doubles.
        self.assertEqual(float(rows[-1][1]), document["final"]["angle"])
        self.assertIn("angle", answer.out)

    def test_matlab_file(self):
        """Every number of the CSV file, bit for bit; names that MATLAB takes; names and units as text."""
        self.expect(self.flyball("run", self.model, "-o", "mat", "--format", "mat", "-q"), 0)
        matrices = read_level_4((self.folder / "mat/swing.mat").read_bytes())
        with open(self.folder / "mat/swing.csv", newline="") as file:
            rows = list(csv.reader(file))
        header, table = rows[0], [[float(x) for x in row] for row in rows[1:]]
        self.assertEqual(matrices["t"], [row[0] for row in table])
        for column, title in enumerate(header[1:], 1):
            name = re.sub(r"[^A-Za-z0-9]", "_", title.split(" [")[0])
            self.assertEqual(matrices[name], [row[column] for row in table], name)
        self.assertEqual([f"{n} [{u}]" for n, u in zip(matrices["names"], matrices["units"])], header[1:])

    def test_formats(self):
        self.expect(self.flyball("run", self.model, "--format", "mat"), 2, "-o")
        self.expect(self.flyball("run", self.model, "-o", "x", "--format", "xls"), 2, "'xls'", "csv (", "mat (")

    def test_quiet_with_files_is_silent(self):
        answer = self.expect(self.flyball("run", self.model, "-o", "out", "--quiet"), 0)
        self.assertEqual((answer.out, answer.err), ("", ""))

    def test_options_act(self):
        document = self.flyball("run", self.model, "--json", "--duration=2", "--sample", "0.5", "--rtol=1e-6", "--atol=1e-7").json()
        self.assertEqual((document["t_end"], document["samples"], document["rtol"], document["atol"]), (2, 5, 1e-6, 1e-7))
        coarse = self.flyball("run", self.model, "--json", "--rtol=1e-4", "--atol=1e-5").json()
        fine = self.flyball("run", self.model, "--json", "--rtol=1e-12", "--atol=1e-13").json()
        self.assertLess(coarse["steps"], fine["steps"])

    def test_absolute_tolerance_goes_with_the_relative_one(self):
        def tolerances(model, *options):
            document = self.flyball("run", model, "--json", *options).json()
            return document["rtol"], document["atol"]

        own = self.write("own.yaml", PENDULUM.replace("simulation: {", "simulation: {rtol: 1e-5, atol: 3e-6, "))
        for model, options, rtol, atol in ((self.model, (), 1e-9, 1e-11),
                                           (self.model, ("--rtol=1e-4",), 1e-4, 1e-6),
                                           (own, (), 1e-5, 3e-6),
                                           (own, ("--rtol=1e-7",), 1e-7, 3e-8),
                                           (own, ("--rtol=1e-7", "--atol=1e-4"), 1e-7, 1e-4)):
            found = tolerances(model, *options)
            self.assertAlmostEqual(found[0] / rtol, 1.0, delta=1e-12)
            self.assertAlmostEqual(found[1] / atol, 1.0, delta=1e-12)

    def test_integrators(self):
        answers = []
        for name in ("auto", "radau", "dop853"):
            document = self.expect(self.flyball("run", self.model, "--json", f"--integrator={name}"), 0).json()
            answers.append(document["final"]["angle"])
        self.assertLess(max(answers) - min(answers), 1e-5)
        self.expect(self.flyball("run", self.model, "--integrator", "rk1"), 2, "rk1")

    def test_fixed_steps(self):
        exact = self.flyball("run", self.model, "--json", "--rtol=1e-12").json()["final"]["angle"]
        for name, limit in (("auto", 1e-4), ("alpha", 1e-4), ("gauss4", 1e-7), ("gauss6", 1e-9), ("radau", 1e-7), ("dop853", 1e-9)):
            run = self.flyball("run", self.model, "--json", "--step=0.01", f"--integrator={name}")
            document = self.expect(run, 0).json()
            self.assertEqual(document["steps"], 100, name)
            self.assertAlmostEqual(document["final"]["angle"], exact, delta=limit, msg=name)
        self.assertEqual(self.flyball("run", self.model, "--json", "--step=0.01").json()["integrator"], "alpha")

    def test_fixed_steps_that_cannot_be(self):
        for value in ("-1", "0", "nan", "inf", "x"):
            self.expect(self.flyball("run", self.model, f"--step={value}"), 2, "--step")
        for value in ("-0.1", "1.01", "nan"):
            self.expect(self.flyball("run", self.model, f"--spectral-radius={value}"), 2, "from 0 to 1")
        self.expect(self.flyball("run", self.model, "--step=2"), 3, "longer than the duration of 1 s")
        self.expect(self.flyball("run", self.model, "--step=0.01", "--max-step=0.001"), 3, "leave max_step out")
        self.expect(self.flyball("run", self.model, "--step=0.01", "--integrator=bdf"), 3, "chooses its own steps")
        self.expect(self.flyball("run", self.model, "--integrator=gauss4"), 3, "takes steps of a fixed length only")
        self.assertNotEqual(self.flyball("run", self.model, "--step=0.01", "--accuracy=1e-6").code, 0)

    def test_list_of_integrators(self):
        listed = self.expect(self.flyball("integrators", "--json"), 0).json()["integrators"]
        names = [row["name"] for row in listed]
        self.assertEqual(names[:4], ["auto", "radau", "dop853", "alpha"])
        self.assertEqual([row["name"] for row in listed if not row["error_control"]], ["gauss2", "gauss4", "gauss6"])
        self.assertTrue(all(row["good_for"] and row["orders"] and row["method"] for row in listed))
        text = self.expect(self.flyball("integrators"), 0)
        self.assertTrue(all(name in text.out for name in names))

    def test_set(self):
        short = self.expect(self.flyball("run", self.model, "--json", "--set", "L=250 mm"), 0).json()
        final = short["final"]
        self.assertAlmostEqual(final["tip.x"] ** 2 + final["tip.z"] ** 2, 0.0625, delta=1e-9)
        twice = self.expect(self.flyball("run", self.model, "--json", "--set", "L=1/4", "--set", "m=7"), 0).json()
        self.assertAlmostEqual(twice["final"]["angle"], final["angle"], delta=1e-6)  # mass does not matter

    def test_set_keeps_the_kind_of_quantity(self):
        plain = self.expect(self.flyball("run", self.model, "--json", "--set", "L=0.25"), 0).json()
        given = self.expect(self.flyball("run", self.model, "--json", "--set", "L=200 mm + 5 cm"), 0).json()
        self.assertEqual(plain["final"], given["final"])
        model = self.write("units.yaml", PENDULUM.replace("L: 1,", "L: 1 m,"))
        self.expect(self.flyball("run", model, "--set", "L=80 cm"), 0)
        self.expect(self.flyball("run", model, "--set", "L=2kg"), 2, "--set L=2kg", "kg (mass)", "m (length)")

    def test_set_input_outside_its_limits(self):
        model = PENDULUM.replace("parameters:", "inputs: {push: {unit: N, min: -1 N, max: 1 N}}\nparameters:", 1)
        answer = self.expect(self.flyball("run", self.write("model.yaml", model), "--set", "push=5 N"), 2, "the limits of the input 'push' are -1 ... 1")
        self.assertNotIn("has no parameter", answer.err)

    def test_set_errors(self):
        answer = self.expect(self.flyball("run", self.model, "--set", "LL=2"), 2, "LL")
        self.assertEqual(answer.out, "")
        self.expect(self.flyball("run", self.model, "--set", "L=2 +"), 2, "--set L=2 +")
        self.expect(self.flyball("run", self.model, "--set", "m=-1"), 3, "swing.yaml:7:", "mass")

    def test_unwritable_output(self):
        self.write("file", "")
        answer = self.expect(self.flyball("run", self.model, "-o", "file"), 4, "file", "Not a directory")
        self.assertEqual(answer.out, "")
        self.expect(self.flyball("run", self.model, "-o", "file/below"), 4, "Not a directory")
        self.expect(self.flyball("run", self.model, "-o", "/proc/nothing"), 4)

    def test_invalid_model(self):
        answer = self.expect(self.flyball("run", self.write("bad.yaml", "flyball: 1\nbody: {}\n")), 3, "bad.yaml:2:1: error: ")
        self.assertEqual(answer.out, "")
        self.expect(self.flyball("run", "nowhere.yaml"), 4)

    def test_failure_keeps_what_was_computed(self):
        model = PENDULUM + "forces: {push: {type: torque, body: bob, value: [0, '1/(0.5 - t)^2', 0]}}\n"
        answer = self.flyball("run", self.write("blow.yaml", model), "--json", "-o", "out")
        self.expect(answer, 1, "0.5", "kept")
        document = answer.json()
        self.assertLess(document["t_end"], 0.5 + 1e-6)
        self.assertGreaterEqual(document["samples"], 5)
        self.assertTrue(document["failure"])
        rows = (self.folder / "out/swing.csv").read_text().splitlines()
        self.assertEqual(len(rows), document["samples"] + 1)


class Interruption(ProgramTest):
    def start(self, *arguments, **streams):
        # A shell starts background jobs with SIGINT ignored; the program must listen all the same.
        return subprocess.Popen([FLYBALL, "run", self.write("long.yaml", LONG_PENDULUM), *arguments], cwd=self.folder, **streams)

    def test_interrupt_keeps_results(self):
        process = self.start("-o", "out", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted at t =", err)
        self.assertIn("kept", err)
        # The progress line of a run that takes longer than a second: how far, how fast, how long still.
        self.assertRegex(err, r"swing: +\d+ %.* x real time, \d+ s left")
        document = json.loads(out)
        rows = (self.folder / "out/swing.csv").read_text().splitlines()
        self.assertEqual(len(rows), document["samples"] + 1)
        self.assertGreater(document["samples"], 1)
        self.assertLess(document["t_end"], 1e7)
        self.assertEqual(document["failure"], "interrupted")

    def test_other_ends_keep_results_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
            with self.subTest(number.name):
                process = self.start("-o", f"out{number}", "-q", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                time.sleep(1)
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, err)
                rows = (self.folder / f"out{number}/swing.csv").read_text().splitlines()
                document = json.loads((self.folder / f"out{number}/swing.json").read_text())
                self.assertEqual(len(rows), document["samples"] + 1)
                self.assertGreater(document["samples"], 1)

    def test_old_results_stay_until_new_ones_are_complete(self):
        self.expect(self.flyball("run", self.write("short.yaml", LONG_PENDULUM), "--duration", "1", "-o", "out"), 0)
        def contents():
            return {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}

        old = contents()
        self.assertEqual(set(old), {"swing.csv", "swing.json"})
        for number in (signal.SIGKILL, signal.SIGTERM):
            process = self.start("-o", "out", "-q", stderr=subprocess.DEVNULL)
            time.sleep(1)
            process.send_signal(number)
            process.wait()
            new = contents()
            self.assertGreater(len(new.pop("swing.csv.part").splitlines()), 1)
            new.pop("swing.csv.state", None)
            self.assertEqual(new, old)

    def test_one_writer_at_a_time(self):
        process = self.start("-o", "out", "-q", stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        self.expect(self.flyball("run", "long.yaml", "--duration", "1", "-o", "out"), 4, "another run is writing this file")
        process.kill()
        process.wait()
        self.expect(self.flyball("run", "long.yaml", "--duration", "1", "-o", "out"), 0, "--resume would continue it")
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["swing.csv", "swing.json"])

    def test_resume(self):
        model = self.write("short.yaml", LONG_PENDULUM)
        self.expect(self.flyball("run", model, "--resume"), 2, "-o")
        self.expect(self.flyball("run", model, "--resume", "-o", "out", "--poses"), 2, "--poses")
        short = ["run", model, "--duration", "1", "--sample", "0.1"]
        self.expect(self.flyball(*short, "--resume", "-o", "out"), 0, "no saved state")
        self.expect(self.flyball(*short, "--resume", "-o", "out"), 0, "complete")
        answer = self.expect(self.flyball(*short, "--resume", "-o", "out", "--json"), 0, "complete")
        self.assertEqual(answer.json(), json.loads((self.folder / "out/swing.json").read_text()))
        process = self.start("-o", "out2", "-q", "--checkpoint", "0.1", stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.kill()
        process.wait()
        self.expect(self.flyball(*short, "--resume", "-o", "out2"), 3, "other settings")
        state = self.folder / "out2/swing.csv.state"
        data = bytearray(state.read_bytes())
        data[-5] ^= 1
        state.write_bytes(data)
        self.expect(self.flyball("run", model, "--resume", "-o", "out2"), 3, "altered")
        state.write_bytes(b"FLYB")
        self.expect(self.flyball("run", model, "--resume", "-o", "out2"), 3, "not the state of a run")

    def test_document_of_another_table(self):
        self.expect(self.flyball("run", self.write("short.yaml", LONG_PENDULUM), "--duration", "1", "-o", "out"), 0)
        table = self.folder / "out/swing.csv"
        table.write_text(table.read_text() + "2,0,0,0,0\n")
        self.expect(self.flyball("report", "out/swing", "-o", "r.html"), 0, "describes another table")
        document = json.loads((self.folder / "out/swing.json").read_text())
        self.assertEqual(len(document["csv_sha256"]), 64)

    @unittest.skipIf(os.environ.get("FLYBALL_IS_SANITIZED"), "sanitizers need the whole address space")
    def test_limited_memory_ends_a_run(self):
        """OpenBLAS would ask for its buffer for ever."""
        for megabytes in (60, 100, 150, 300):
            done = subprocess.run([FLYBALL, "run", MODELS / "plate_damper.yaml", "--duration", "0.01", "-q"], capture_output=True, text=True, timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)))
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 1:
                self.assertRegex(done.stderr, "out of memory|LAPACK is needed")

    def test_memory_does_not_grow_with_samples(self):
        """Half a million rows are 20 MB of numbers."""
        def peak(sample):
            command = [FLYBALL, "run", self.write("short.yaml", LONG_PENDULUM), "--duration", "100", "--sample", sample, "-o", "out", "-q", "--rtol", "1e-6"]
            process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss

        self.assertLess(peak("2e-4") - peak("4e-4"), 1500 if not os.environ.get("FLYBALL_IS_SANITIZED") else 1e9)

    def test_limit_of_file_size(self):
        self.expect(self.flyball("run", self.write("short.yaml", LONG_PENDULUM), "--duration", "1", "-o", "out"), 0)
        old = (self.folder / "out/swing.csv").read_bytes()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))  # noqa: E731
        process = self.start("--duration", "1", "--sample", "1e-3", "-o", "out", stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, err)
        self.assertIn("cannot write the file", err)
        self.assertEqual((self.folder / "out/swing.csv").read_bytes(), old)
        rows = (self.folder / "out/swing.csv.part").read_text()
        self.assertTrue(rows.endswith("\n"))
        self.assertGreater(len(rows.splitlines()), 100)
        self.expect(self.flyball("run", "long.yaml", "--duration", "1", "--sample", "1e-3", "-o", "out", "--resume"), 0)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["swing.csv", "swing.json"])
        self.assertTrue((self.folder / "out/swing.csv").read_text().startswith(rows))

    def test_links_stay_links(self):
        (self.folder / "out").mkdir()
        (self.folder / "kept.csv").write_text("old")
        (self.folder / "out/swing.csv").symlink_to("../kept.csv")
        self.expect(self.flyball("run", self.write("short.yaml", LONG_PENDULUM), "--duration", "1", "-o", "out"), 0)
        self.assertTrue((self.folder / "out/swing.csv").is_symlink())
        self.assertTrue((self.folder / "kept.csv").read_text().startswith("t [s],"))

    def test_quiet_has_no_progress(self):
        process = self.start("--quiet", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("%", err)

    def test_bar_on_a_terminal(self):
        def start(stderr):
            process = self.start(stdout=subprocess.DEVNULL, stderr=stderr)
            threading.Timer(2.0, process.send_signal, [signal.SIGINT]).start()
            return process

        code, seen = self.on_terminal(start)
        self.assertEqual(code, 130)
        self.assertIn(b"\rswing [", seen)
