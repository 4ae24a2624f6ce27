"""`flyball convert` and binary tables: the same numbers in every format, cut and altered files, runs that are killed."""
import signal
import struct
import subprocess
import time
import zipfile

import parquet_reader
from program import FLYBALL, LONG_PENDULUM, MODELS, ProgramTest

MODEL = MODELS / "double_pendulum.yaml"


class Convert(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_model = ["run", MODEL, "--duration", "20", "-q"]
        self.expect(self.flyball(*self.run_model, "-o", "text"), 0)
        self.expect(self.flyball(*self.run_model, "-o", "binary", "--format", "fbr"), 0)
        self.table = (self.folder / "text/double_pendulum.csv").read_bytes()
        self.binary = self.folder / "binary/double_pendulum.fbr"

    def columns(self):
        lines = self.table.decode().splitlines()
        return [name.split(" [")[0] for name in lines[0].split(",")], list(zip(*([float(x) for x in line.split(",")] for line in lines[1:])))

    def test_round_trips(self):
        self.assertEqual(sorted(p.name for p in (self.folder / "binary").iterdir()), ["double_pendulum.fbr", "double_pendulum.json"])
        self.expect(self.flyball("convert", "binary/double_pendulum", "-o", "a.csv"), 0, "1001 rows of 6 outputs")
        self.assertEqual((self.folder / "a.csv").read_bytes(), self.table)
        self.expect(self.flyball("convert", "text/double_pendulum.csv", "-o", "b.fbr", "-q"), 0)
        self.expect(self.flyball("convert", "b.fbr", "-o", "c.csv", "-q"), 0)
        self.assertEqual((self.folder / "c.csv").read_bytes(), self.table)
        for command in (["plot", "binary/double_pendulum"], ["report", "binary/double_pendulum.json", "-o", "r.html"], ["plot", self.binary]):
            self.expect(self.flyball(*command), 0)

    def test_numpy(self):
        self.expect(self.flyball("convert", "binary/double_pendulum.fbr", "-o", "a.npz", "-q"), 0)
        self.expect(self.flyball(*self.run_model, "-o", "n", "--format", "npz"), 0)
        self.assertEqual((self.folder / "a.npz").read_bytes(), (self.folder / "n/double_pendulum.npz").read_bytes())
        names, columns = self.columns()
        with zipfile.ZipFile(self.folder / "a.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), [f"{n}.npy" for n in names] + ["_names.npy", "_units.npy"])
            for name, column in zip(names, columns):
                data = archive.read(f"{name}.npy")
                self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
                start = 10 + struct.unpack("<H", data[8:10])[0]
                self.assertEqual(start % 64, 0)
                self.assertIn(f"'shape': ({len(column)},)".encode(), data[:start])
                self.assertEqual(struct.unpack(f"<{len(column)}d", data[start:]), column)
            self.assertTrue(archive.read("_units.npy").rstrip(b"\0").endswith(b"J"))

    def test_parquet(self):
        self.expect(self.flyball("convert", "binary/double_pendulum.fbr", "-o", "a.parquet", "-q"), 0)
        self.expect(self.flyball(*self.run_model, "-o", "n", "--format", "parquet"), 0)
        self.assertEqual((self.folder / "a.parquet").read_bytes(), (self.folder / "n/double_pendulum.parquet").read_bytes())
        names, columns, units, groups = parquet_reader.read((self.folder / "a.parquet").read_bytes())
        wanted = self.columns()
        self.assertEqual(names, wanted[0])
        self.assertEqual([tuple(c) for c in columns], [tuple(c) for c in wanted[1]])
        self.assertEqual((units["unit:t"], units["unit:tip.x"], groups), ("s", "m", [1001]))

    def check_parquet(self, names, rows, sizes):
        text = ",".join(["t [s]"] + [f"{n} [m]" for n in names]) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)
        self.write("many.csv", text)
        self.expect(self.flyball("convert", "many.csv", "-o", "many.parquet", "-q"), 0)
        found, columns, units, groups = parquet_reader.read((self.folder / "many.parquet").read_bytes())
        self.assertEqual((found, groups, units[f"unit:{names[-1]}"]), (["t", *names], sizes, "m"))
        for c, column in enumerate(columns):
            self.assertEqual(struct.pack(f"<{len(rows)}d", *column), struct.pack(f"<{len(rows)}d", *(row[c] for row in rows)), c)

    def test_parquet_of_several_row_groups_and_many_columns(self):
        """Extreme doubles, names that are not ASCII, more columns than fit into one byte of a list."""
        values = [-0.0, 5e-324, -1.7976931348623157e308, 0.1]
        self.check_parquet(["größe"], [[r / 4, values[r % 4]] for r in range(65537)], [65536, 1])
        self.check_parquet([f"x{i}" for i in range(40)], [[r / 4, *(values[(r + c) % 4] * 0.9 for c in range(40))] for r in range(3)], [3])

    def test_matlab(self):
        self.expect(self.flyball("convert", "binary/double_pendulum", "-o", "a.mat", "-q"), 0)
        self.expect(self.flyball(*self.run_model, "-o", "m", "--format", "mat"), 0)
        self.assertEqual((self.folder / "a.mat").read_bytes(), (self.folder / "m/double_pendulum.mat").read_bytes())

    def test_cut_and_altered(self):
        good = self.binary.read_bytes()
        for n in (0, 5, 20, 60, 100, len(good) - 1, len(good) // 2):
            self.binary.write_bytes(good[:n])
            self.expect(self.flyball("convert", self.binary, "-o", "x.csv"), 3, "double_pendulum.fbr")
        for at in (9, 13, 17, 21, 30, 90, 120, len(good) - 3, len(good) // 2):
            bad = bytearray(good)
            bad[at] ^= 4
            self.binary.write_bytes(bad)
            self.expect(self.flyball("convert", self.binary, "-o", "x.csv"), 3, "double_pendulum.fbr")
        self.assertFalse((self.folder / "x.csv").exists())
        # A part ends where it was cut.
        part = self.folder / "p.fbr.part"
        part.write_bytes(good[:-9])
        self.expect(self.flyball("convert", part, "-o", "p.csv", "-q"), 0)
        rows = (self.folder / "p.csv").read_bytes()
        self.assertTrue(self.table.startswith(rows) and 1000 < len(rows) < len(self.table))

    def test_killed(self):
        model = self.write("long.yaml", LONG_PENDULUM)
        arguments = ["run", model, "--duration", "2e4", "--sample", "1", "-o", "out", "--format", "fbr", "--no-error-estimate", "-q"]
        whole = [a if a != "out" else "whole" for a in arguments]
        self.expect(self.flyball(*whole), 0)
        for _ in range(3):
            process = subprocess.Popen([FLYBALL, *arguments, "--resume", "--checkpoint", "0.02"], cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(0.25)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if (self.folder / "out/swing.fbr.part").exists():
                self.expect(self.flyball("plot", "out/swing"), 0)
        self.expect(self.flyball(*arguments, "--resume"), 0)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["swing.fbr", "swing.json"])
        tables = []
        for folder in ("out", "whole"):
            self.expect(self.flyball("convert", f"{folder}/swing", "-o", f"{folder}.csv", "-q"), 0)
            tables.append((self.folder / f"{folder}.csv").read_bytes())
        self.assertEqual(*tables)

    def test_usage(self):
        self.expect(self.flyball("convert", "binary/double_pendulum"), 2, "-o")
        self.expect(self.flyball("convert", "binary/double_pendulum", "-o", "x.xls"), 2, ".csv, .fbr, .mat, .npz, .parquet")
        self.expect(self.flyball("convert", "nothing", "-o", "x.csv"), 4, "nothing")
