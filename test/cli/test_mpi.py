"""`mpirun flyball sweep --mpi`, optimize and bench: the same bytes for any number of ranks; ranks that are killed; resumed tables."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from program import FLYBALL, SOURCE, Answer, ProgramTest

MODELS = SOURCE / "test/cli/cluster"
# More ranks than processors, also as root; no network is needed.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_odls_base_sigkill_timeout": "0",  # otherwise mpirun waits a second before it ends ranks
               # MPI keeps memory until the process ends.
               "LSAN_OPTIONS": "detect_leaks=0", "ASAN_OPTIONS": "detect_leaks=0"}


def find_reason():
    if os.environ.get("FLYBALL_HAS_MPI") != "ON":
        return "this build has no MPI (Debian: libopenmpi-dev)"
    mpirun = shutil.which("mpirun")
    if not mpirun:
        return "mpirun is not installed (Debian: openmpi-bin)"
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
    return None if "Open MPI" in version else f"not tried with this mpirun: {version[:80]}"


HAS_SEARCH = os.environ.get("FLYBALL_HAS_NLOPT") == "ON"


class MpiTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        reason = find_reason()
        if reason:
            raise unittest.SkipTest(reason)

    def setUp(self):
        super().setUp()
        for path in MODELS.glob("*.yaml"):
            shutil.copy(path, self.folder)
        self.write("longer.study.yaml", (MODELS / "slow.study.yaml").read_text().replace("n: 40", "n: 60"))

    def start(self, n, study, *options, mpirun=(), command="sweep"):
        return subprocess.Popen(["mpirun", *mpirun, "-n", str(n), FLYBALL, command, study, "--untimed", "--mpi", *options], cwd=self.folder,
                                env={**os.environ, **ENVIRONMENT}, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        try:
            out, err = process.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            process.terminate()  # and with it its ranks
            out, err = process.communicate(timeout=20)
            self.fail(f"mpirun does not end: {out}{err}")
        return Answer(process.returncode, out, err)

    def ranks(self, n, study, *options, **more):
        return self.end(self.start(n, study, *options, **more))

    tables = {}

    def whole(self, study, command="sweep", jobs=3):
        """The bytes of the table that threads of one process write, once for all tests."""
        text = (self.folder / study).read_text()
        if text not in self.tables:
            self.expect(self.flyball(command, study, "--untimed", "-o", "threads.csv", "--jobs", str(jobs)), 0)
            self.tables[text] = (self.folder / "threads.csv").read_bytes()
            (self.folder / "threads.csv").unlink()
        return self.tables[text]

    def table(self, name):
        return (self.folder / name).read_bytes()

    def pid_of(self, process, rank):
        for pid in subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True).stdout.split():
            try:
                environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:  # has ended meanwhile: another rank that was killed
                continue
            found = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)\0", environment)
            if found and int(found[1]) == rank:
                return int(pid)
        self.fail(f"rank {rank} does not run")

    def wait_for_rows(self, name, n):
        path = self.folder / name
        for _ in range(3000):
            if path.exists() and path.read_text().count("\n") > n:
                return
            time.sleep(0.02)
        self.fail(f"{name} has no {n} rows after 60 s")


class Mpi(MpiTest):
    def test_same_bytes_of_searches(self):
        if not HAS_SEARCH:
            self.skipTest("this build has no NLopt")
        text = (MODELS / "best.study.yaml").read_text()
        for algorithm in (text, text.replace("multistart, starts: 4", "isres")):
            self.write("best.study.yaml", algorithm)
            whole = self.whole("best.study.yaml", "optimize", 1)
            self.expect(self.flyball("optimize", "best.study.yaml", "--untimed", "-o", "3.csv", "--jobs", "3"), 0)
            self.assertEqual(self.table("3.csv"), whole)
            for n in (1, 2, 4):
                answer = self.expect(self.ranks(n, "best.study.yaml", "-o", "out.csv", "--json", command="optimize"), 0)
                self.assertEqual(len(answer.json()["computed_by_rank"]), n)
                self.assertEqual(self.table("out.csv"), whole, f"{n} ranks")
                (self.folder / "out.csv").unlink()
            lines = whole.decode().splitlines(keepends=True)
            (self.folder / "out.csv").write_text("".join(lines[:12]) + lines[12][:20])
            self.assertIn(", kept 11", self.expect(self.ranks(2, "best.study.yaml", "-o", "out.csv", command="optimize"), 0).out)
            self.assertEqual(self.table("out.csv"), whole)
            for name in ("out.csv", "3.csv"):
                (self.folder / name).unlink()

    def test_same_bytes(self):
        whole = self.whole("decay.study.yaml")
        for n, jobs in ((1, 1), (2, 1), (4, 1), (2, 3)):
            answer = self.expect(self.ranks(n, "decay.study.yaml", "-o", "out.csv", "--jobs", str(jobs), "--json"), 0)
            document = answer.json()  # one document, of rank 0
            self.assertEqual((document["points"], document["computed"], document["failed"]), (20, 20, 10))
            self.assertEqual(self.table("out.csv"), whole, f"{n} ranks")
            (self.folder / "out.csv").unlink()

    def test_same_bytes_of_cases(self):
        names = ("a01", "fourbar", "a02-n2", "a03", "a05")
        self.expect(self.flyball("bench", *names, "--untimed", "-o", "whole.csv"), 0)
        for n in (1, 2, 4):
            answer = self.expect(self.ranks(n, names[0], *names[1:], "-o", "out.csv", command="bench"), 0)
            self.assertEqual([line.split()[0] for line in answer.out.splitlines()[1:6]], list(names))
            self.assertEqual(self.table("out.csv"), self.table("whole.csv"), f"{n} ranks")
        self.assertEqual(sorted(p.name for p in self.folder.glob("*.csv*")), ["out.csv", "whole.csv"])
        answer = self.ranks(3, "a0", command="bench")
        self.assertEqual((answer.code, answer.err.count("there is no case 'a0'")), (2, 1))

    def test_without_mpirun(self):
        self.expect(self.flyball("sweep", "decay.study.yaml", "--untimed", "--mpi", "-o", "out.csv", env=ENVIRONMENT), 0)
        self.assertEqual(self.table("out.csv"), self.whole("decay.study.yaml"))

    def test_resumes(self):
        whole = self.whole("decay.study.yaml")
        lines = whole.decode().splitlines(keepends=True)
        (self.folder / "out.csv").write_text("".join(lines[:8]) + lines[8][:10])
        answer = self.expect(self.ranks(3, "decay.study.yaml", "-o", "out.csv"), 0)
        self.assertIn("computed 13, kept 7", answer.out)
        self.assertEqual(self.table("out.csv"), whole)
        self.assertIn("computed 0, kept 20", self.expect(self.ranks(2, "decay.study.yaml", "-o", "out.csv"), 0).out)

    def test_errors_are_reported_once(self):
        study = self.folder / "decay.study.yaml"
        study.write_text(study.read_text().replace("cycles: 2", "cycle: 2"))
        answer = self.ranks(3, "decay.study.yaml")
        self.assertEqual(answer.code, 3)
        self.assertEqual(answer.err.count("decay.study.yaml:9:"), 1)
        answer = self.ranks(2, "slow.study.yaml", "-o", "nowhere/out.csv")
        self.assertEqual((answer.code, answer.err.count("nowhere/out.csv")), (4, 1))

    def test_usage(self):
        for options in (("--join", "2"), ("--slurm",)):
            self.expect(self.flyball("sweep", "decay.study.yaml", "--mpi", *options), 2, "--mpi runs points")


class Long(MpiTest):
    """Runs that take seconds, and with sanitizers too long: these have the tests above, and test_study_ranks with ranks that die."""

    def test_all_ranks_work(self):
        by_rank = self.expect(self.ranks(3, "slow.study.yaml", "-o", "out.csv", "--json"), 0).json()["computed_by_rank"]
        self.assertEqual((len(by_rank), sum(by_rank)), (3, 40))
        self.assertTrue(all(by_rank), by_rank)

    def check_killed(self, study, victims, command="sweep"):
        process = self.start(4, study, "-o", "out.csv", mpirun=("--enable-recovery",), command=command)
        self.wait_for_rows("out.csv", 3)
        for pid in [self.pid_of(process, rank) for rank in victims]:
            os.kill(pid, signal.SIGKILL)
        answer = self.expect(self.end(process), 0)
        self.assertEqual(self.table("out.csv"), self.whole(study, command))
        return answer

    def test_killed_ranks_cost_only_their_points(self):
        self.assertIn("computed 40, kept 0", self.check_killed("slow.study.yaml", (1, 2)).out)

    def test_killed_ranks_cost_only_their_trials(self):
        if not HAS_SEARCH:
            self.skipTest("this build has no NLopt")
        self.check_killed("reach.study.yaml", (1, 3), "optimize")

    def test_killed_ranks_cost_only_their_cases(self):
        names = ["a01", "a02-n40"] * 5
        self.expect(self.flyball("bench", *names, "--untimed", "-o", "whole.csv"), 0)
        process = self.start(3, names[0], *names[1:], "-o", "out.csv", mpirun=("--enable-recovery",), command="bench")
        self.wait_for_rows("out.csv.part", 2)
        os.kill(self.pid_of(process, 1), signal.SIGKILL)
        self.expect(self.end(process), 0)
        self.assertEqual(self.table("out.csv"), self.table("whole.csv"))

    def test_mpirun_that_ends_all_leaves_a_table_that_resumes(self):
        """A rank dies, then rank 0, then mpirun is told to end: each time all ranks end, and the next run continues."""
        n = 0
        for victim in (1, 0, None):
            process = self.start(3, "longer.study.yaml", "-o", "out.csv")
            self.wait_for_rows("out.csv", n + 3)
            if victim is None:
                process.send_signal(signal.SIGTERM)
            else:
                os.kill(self.pid_of(process, victim), signal.SIGKILL)
            self.assertNotEqual(self.end(process).code, 0)
            rows = self.table("out.csv").count(b"\n") - 1
            self.assertTrue(n + 3 <= rows < 60, rows)
            n = rows
        answer = self.expect(self.ranks(2, "longer.study.yaml", "-o", "out.csv"), 0)
        self.assertRegex(answer.out, rf"computed {60 - n}, kept {n}|computed {61 - n}, kept {n - 1}")  # the last row may be half
        self.assertEqual(self.table("out.csv"), self.whole("longer.study.yaml"))

    def test_rank_that_is_told_to_end_gives_its_points_back(self):
        process = self.start(3, "slow.study.yaml", "-o", "out.csv")
        self.wait_for_rows("out.csv", 3)
        os.kill(self.pid_of(process, 2), signal.SIGTERM)
        self.expect(self.end(process), 0)
        self.assertEqual(self.table("out.csv"), self.whole("slow.study.yaml"))


if os.environ.get("FLYBALL_IS_SANITIZED"):
    del Long
