"""`flyball sweep --slurm --submit` on a real Slurm of one node: array, joining job, requeue, resume."""
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from program import SOURCE, ProgramTest
from slurm_cluster import Cluster, find_reason

MODELS = SOURCE / "test/cli/cluster"


class Slurm(ProgramTest):
    @classmethod
    def setUpClass(cls):
        reason = find_reason()
        if reason:
            raise unittest.SkipTest(reason)
        cls.cluster_folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.cluster_folder.cleanup)
        cls.cluster = Cluster(cls.cluster_folder.name)
        cls.addClassCleanup(cls.cluster.stop)
        reason = cls.cluster.start()
        if reason:
            raise unittest.SkipTest(f"Slurm does not start here: {reason}")

    def setUp(self):
        super().setUp()
        for path in MODELS.glob("*.yaml"):
            shutil.copy(path, self.folder)

    def submit(self, study, section, *options):
        text = (MODELS / study).read_text() + f"slurm: {section}\n"
        self.write(study, text)
        answer = self.flyball("sweep", study, "--untimed", "--slurm", "--submit", "--json", *options, env=self.cluster.env)
        return self.expect(answer, 0).json()

    tables = {}

    def whole(self, study):
        """The bytes of the table that one process writes, once for all tests."""
        if study not in self.tables:
            self.expect(self.flyball("sweep", study, "--untimed", "-o", "direct.csv"), 0)
            self.tables[study] = (self.folder / "direct.csv").read_bytes()
        return self.tables[study]

    def log(self, pattern):
        return "".join(path.read_text() for path in sorted(self.folder.glob(pattern)))

    def wait_for_rows(self, table, n):
        path = pathlib.Path(self.folder, table)
        for _ in range(1500):
            if path.exists() and path.read_text().count("\n") > n:
                return
            time.sleep(0.02)
        self.fail(f"{table} has no {n} rows after 30 s:\n{self.log('*.log')}")

    def finish(self, jobs):
        self.assertTrue(self.cluster.wait_for_jobs(), self.cluster.run("squeue"))
        return self.cluster.state_of(jobs["join_job"])

    def test_array_and_join(self):
        jobs = self.submit("decay.study.yaml", "{tasks: 3, at_once: 2, time: 5, memory: 100M, partition: all, setup: ['word=$HOSTNAME', 'echo \"begin: $word\"']}",
                           "-o", "a table's %a.csv")
        self.assertEqual((jobs["tasks"], jobs["points"], jobs["csv"]), (3, 20, "a table's %a.csv"))
        state = self.finish(jobs)
        self.assertEqual(state, "COMPLETED 0:0", self.log("*.log"))
        self.assertEqual((self.folder / "a table's %a.csv").read_bytes(), self.whole("decay.study.yaml"))
        self.assertEqual(len(list(self.folder.glob("*.part-*-of-3.csv"))), 3)
        self.assertEqual(self.log("*.log").count("begin: "), 4)
        self.assertIn("kept 20", self.log("*join.log"))

    def test_requeued_tasks_resume(self):
        jobs = self.submit("slow.study.yaml", "{tasks: 2, time: 10}")
        for part in (1, 2):
            self.wait_for_rows(f"slow.part-{part}-of-2.csv", 3)
        self.cluster.run("scontrol", "requeue", f"{jobs['array_job']}_1")
        self.cluster.run("scancel", "--batch", "--signal=USR1", f"{jobs['array_job']}_2")  # as Slurm does a minute before the limit
        state = self.finish(jobs)
        for part in (1, 2):
            log = self.log(f"*{jobs['array_job']}_{part}.log")
            kept = re.search(r"points +20: computed (\d+), kept ([1-9]\d*)", log)
            self.assertTrue(kept and int(kept[2]) >= 3 and int(kept[1]) + int(kept[2]) == 20, log)
            self.assertEqual(log.count("the time limit is near; requeued"), part - 1)  # one was told by its own signal, and only this one
        self.assertIn("interrupted; the ", log)
        self.assertEqual(state, "COMPLETED 0:0", self.log("*.log"))
        self.assertEqual((self.folder / "slow.csv").read_bytes(), self.whole("slow.study.yaml"))

    def test_cancelled_task_is_missed_and_submitted_again(self):
        jobs = self.submit("slow.study.yaml", "{tasks: 2}")
        self.wait_for_rows("slow.part-2-of-2.csv", 2)
        self.cluster.run("scancel", f"{jobs['array_job']}_2")
        self.assertEqual(self.finish(jobs), "FAILED 1:0")
        self.assertRegex(self.log("*join.log"), r"\d+ of 40 points are missing in slow.csv")
        n_rows = (self.folder / "slow.part-2-of-2.csv").read_text().count("\n") - 1
        self.assertTrue(2 <= n_rows < 20, n_rows)
        jobs = self.submit("slow.study.yaml", "{tasks: 2}")
        self.assertEqual(self.finish(jobs), "COMPLETED 0:0")
        self.assertIn(f"computed {20 - n_rows}, kept {n_rows}", self.log(f"*{jobs['array_job']}_2.log"))
        self.assertEqual((self.folder / "slow.csv").read_bytes(), self.whole("slow.study.yaml"))

    def test_refused_by_slurm(self):
        self.write("decay.study.yaml", (MODELS / "decay.study.yaml").read_text() + "slurm: {partition: nowhere}\n")
        answer = self.flyball("sweep", "decay.study.yaml", "--slurm", "--submit", env=self.cluster.env)
        self.expect(answer, 4, "invalid partition", "sbatch did not accept the script")
