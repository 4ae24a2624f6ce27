"""`mpirun flyball reduce --mpi`: one and two processes against the reduction by one process alone."""
import math
import os
import subprocess
import unittest

import test_mpi
from program import FLYBALL, Answer, ProgramTest
from test_reduce import LOOSE, MODEL, STRUCTURES, one_structure, read_matrix


def find_reason():
    if os.environ.get("FLYBALL_HAS_SLEPC") != "ON":
        return "this build has no SLEPc (Debian: libslepc-real-dev)"
    return test_mpi.find_reason()


def group_equal(squares):
    """Modes of equal frequencies; the last group may be cut."""
    groups = [[0]]
    for i in range(1, len(squares)):
        if squares[i] - squares[i - 1] > 1e-6 * squares[i]:
            groups.append([])
        groups[-1].append(i)
    return groups[:-1]


class ReduceMpiTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        reason = find_reason()
        if reason:
            raise unittest.SkipTest(reason)

    def ranks(self, n, model, folder):
        environment = {**os.environ, **test_mpi.ENVIRONMENT, "OMPI_MCA_mpi_yield_when_idle": "0"}
        done = subprocess.run(["mpirun", "-n", str(n), FLYBALL, "reduce", model, "-o", folder, "--mpi"], cwd=self.folder, env=environment,
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        return Answer(done.returncode, done.stdout, done.stderr)

    def read(self, folder, file):
        return read_matrix(self.folder / folder / file)

    def compare_stiffness(self, name, one, other, n):
        A, B = self.read(one, f"{name}_K.mtx"), self.read(other, f"{name}_K.mtx")
        self.assertEqual(len(A), len(B))
        for i, row in enumerate(B):
            for j, value in enumerate(row):
                # Of modes the squares of frequencies, and nothing between them and nodes.
                scale = math.sqrt(A[i][i] * A[j][j])
                self.assertAlmostEqual(value, A[i][j], delta=1e-9 * scale if max(i, j) < n else 1e-8 * scale * (i == j))
        return [A[i][i] for i in range(n, len(A))]

    def compare_matrix(self, file, one, other, n, groups):
        """Nodes entry by entry; of equal frequencies what the modes do together, whatever their turn within these."""
        A, B = self.read(one, file), self.read(other, file)
        self.assertEqual((len(A), len(A[0])), (len(B), len(B[0])))
        cols = range(min(n, len(A[0])))
        size = max(abs(A[i][j]) for i in range(n) for j in cols)
        self.assertGreater(size, 0.0)
        for i in range(n):
            for j in cols:
                self.assertAlmostEqual(B[i][j], A[i][j], delta=1e-8 * size)
        for group in groups:
            for i in cols:
                for j in cols:
                    together = [sum(m[n + k][i] * m[n + k][j] for k in group) for m in (A, B)]
                    self.assertAlmostEqual(together[0], together[1], delta=1e-6 * size**2)

    def compare(self, name, one, other, n):
        groups = group_equal(self.compare_stiffness(name, one, other, n))
        self.assertGreater(len(groups), 1)
        files = [f"{name}_{kind}.mtx" for kind in ("M", "C", "weight") if (self.folder / one / f"{name}_{kind}.mtx").exists()]
        for file in files:
            self.compare_matrix(file, one, other, n, groups)
        self.assertEqual((self.folder / one / f"{name}.yaml").read_text(), (self.folder / other / f"{name}.yaml").read_text())

    def test_one_and_two_processes(self):
        self.expect(self.flyball("reduce", MODEL, "-o", "alone"), 0)
        for n in (1, 2):
            answer = self.expect(self.ranks(n, MODEL, f"ranks{n}"), 0, f"{n} processes")
            self.assertEqual(len(answer.out.splitlines()), len(STRUCTURES))  # rank 0 alone speaks
            for name, n_nodes in zip(STRUCTURES, (9, 12, 6)):
                self.compare(name, "alone", f"ranks{n}", n_nodes)

    def test_matrices_from_files(self):
        """Written matrices, with damping, are reduced once more; fewer of their rows are nodes."""
        self.expect(self.flyball("reduce", MODEL, "-o", "first"), 0)
        path = self.folder / "first" / "bracket.yaml"
        lines = [line for line in path.read_text().splitlines() if not line.startswith("      tip:")]
        path.write_text("\n".join(lines) + "\n    reduce: {modes: 4}\n")
        self.expect(self.flyball("reduce", path, "-o", "alone"), 0)
        self.expect(self.ranks(2, path, "ranks"), 0)
        self.compare("bracket", "alone", "ranks", 3)

    def test_errors_are_said_once(self):
        answer = self.expect(self.ranks(2, self.write("loose.yaml", LOOSE), "out"), 3)
        self.assertEqual(answer.err.count("can move without stiffness"), 1, answer.err)
        pressed = one_structure("bar") + "    loads: {push: {group: x1, pressure: 1 Pa}}\n    prestress: {loads: [push]}\n"
        self.expect(self.ranks(2, self.write("pressed.yaml", pressed), "out"), 1, "without --mpi")


if __name__ == "__main__":
    unittest.main()
