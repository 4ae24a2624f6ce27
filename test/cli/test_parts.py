"""`flyball sweep` in parts: --part, tasks of a Slurm array, --join; --untimed."""
import csv
import shutil

from program import SOURCE, ProgramTest

MODELS = SOURCE / "test/cli/cluster"


def array(task, n, first=1, step=1, **others):
    """What Slurm sets in a task of --array=FIRST-LAST:STEP."""
    values = {"ID": task, "COUNT": n, "MIN": first, "MAX": first + (n - 1) * step, "STEP": step, **others}
    return {f"SLURM_ARRAY_TASK_{key}": str(value) for key, value in values.items() if value is not None}


class Parts(ProgramTest):
    def setUp(self):
        super().setUp()
        for path in MODELS.glob("*.yaml"):
            shutil.copy(path, self.folder)

    def sweep(self, *options, code=0, words=(), env=None):
        return self.expect(self.flyball("sweep", "decay.study.yaml", "--untimed", *options, env=env), code, *words)

    def points(self, name):
        with open(self.folder / name, newline="") as file:
            return [int(row["point"]) for row in csv.DictReader(file)]

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def test_untimed_files_are_equal(self):
        self.sweep("--jobs", "1", "-o", "one.csv")
        self.sweep("--jobs", "5", "-o", "five.csv")
        self.assertEqual(self.bytes("one.csv"), self.bytes("five.csv"))
        self.expect(self.flyball("sweep", "decay.study.yaml", "-o", "timed.csv"), 0)
        self.assertNotEqual(self.bytes("one.csv"), self.bytes("timed.csv"))

    def test_array_tasks_are_parts_and_join(self):
        self.sweep("-o", "whole.csv")
        for first, step, extra in ((1, 1, {}), (0, 1, {}), (10, 5, {}), (3, 1, {"STEP": None})):
            for i in range(3):
                answer = self.sweep("-o", "out.csv", env=array(first + i * step, 3, first, step, **extra),
                                    words=(f"task of a Slurm array: --part {i + 1}/3, table out.part-{i + 1}-of-3.csv",))
                self.assertEqual(answer.err.count("Slurm"), 1)
                self.assertEqual(self.points(f"out.part-{i + 1}-of-3.csv"), list(range(i + 1, 21, 3)))
            self.assertIn("computed 0, kept 20", self.sweep("-o", "out.csv", "--join", "3").out)
            self.assertEqual(self.bytes("out.csv"), self.bytes("whole.csv"))
            for path in self.folder.glob("out*.csv"):
                path.unlink()

    def test_names_of_tables(self):
        self.sweep(env=array(2, 2))
        self.assertTrue((self.folder / "decay.part-2-of-2.csv").exists())
        (self.folder / "a.b").mkdir()
        self.sweep("-o", "a.b/table", env=array(1, 2))
        self.assertTrue((self.folder / "a.b/table.part-1-of-2").exists())
        # An array of one task is a part, too: -o stays the name of the whole.
        self.sweep("-o", "out.csv", env=array(1, 1))
        self.assertTrue((self.folder / "out.part-1-of-1.csv").exists())

    def test_explicit_part_wins(self):
        answer = self.sweep("--part", "2/4", "-o", "mine.csv", env=array(1, 2))
        self.assertNotIn("Slurm", answer.err)
        self.assertEqual(self.points("mine.csv"), [2, 6, 10, 14, 18])
        self.sweep("--part", "2/4", env=array("x", 2))
        self.assertEqual(self.points("decay.part-2-of-4.csv"), [2, 6, 10, 14, 18])

    def test_bad_environment(self):
        for env, word in ((array("x", 3), "SLURM_ARRAY_TASK_ID='x'"), (array("", 3), "SLURM_ARRAY_TASK_ID=''"), (array(-1, 3), "SLURM_ARRAY_TASK_ID='-1'"),
                          (array(1.5, 3), "SLURM_ARRAY_TASK_ID='1.5'"), (array(1, 3, COUNT="all"), "SLURM_ARRAY_TASK_COUNT='all'"),
                          (array(1, 3, COUNT=None), "SLURM_ARRAY_TASK_COUNT is not"), (array(1, 3, MIN=None), "SLURM_ARRAY_TASK_MIN is not"),
                          (array(5, 3), "task 5 of the Slurm array 1-3:1"), (array(0, 3), "task 0 of"), (array(2, 3, 1, 2), "task 2 of"),
                          (array(1, 3, MAX=9), "no place in a range"), (array(1, 3, STEP=0), "no place in a range"), (array(1, 0), "no place")):
            self.sweep(code=2, words=(word, "--part I/N"), env=env)
        self.assertEqual(list(self.folder.glob("*.csv")), [])

    def test_missing_parts(self):
        self.sweep("--part", "1/3")
        answer = self.sweep("--join", "3", code=1, words=("part 2 has no table decay.part-2-of-3.csv", "13 of 20 points are missing in decay.csv"))
        self.assertIn("computed 0, kept 7", answer.out)
        self.assertEqual(self.points("decay.csv"), list(range(1, 21, 3)))
        # What is there already is kept; a later part is added, the rest is computed without --join.
        (self.folder / "decay.part-1-of-3.csv").unlink()
        self.sweep("--part", "3/3")
        self.sweep("--join", "3", code=1, words=("7 of 20 points are missing",))
        self.assertIn("computed 7, kept 13", self.sweep().out)
        self.sweep("-o", "whole.csv")
        self.assertEqual(self.bytes("decay.csv"), self.bytes("whole.csv"))

    def test_join_in_a_task_joins(self):
        for part in "12":
            self.sweep("--part", f"{part}/2")
        self.assertIn("kept 20", self.sweep("--join", "2", env=array(1, 9)).out)

    def test_cut_parts_and_parts_of_other_studies(self):
        for part in "12":
            self.sweep("--part", f"{part}/2")
        path = self.folder / "decay.part-2-of-2.csv"
        text = path.read_text()
        path.write_text(text[:-10])
        self.sweep("--join", "2", code=1, words=("1 of 20 points are missing",))
        path.write_text(text.replace("nan,nan", "nan,nan,nan"))
        self.sweep("--join", "2", "-o", "decay.csv", code=3, words=("decay.part-2-of-2.csv:", "the number of cells"))
        path.write_text(text)
        study = self.folder / "decay.study.yaml"
        study.write_text(study.read_text().replace("cycles: 2", "cycles: 1"))
        (self.folder / "decay.csv").unlink()
        self.sweep("--join", "2", code=3, words=("decay.part-1-of-2.csv:2:1", "different study"))

    def test_usage(self):
        self.sweep("--join", "2", "--part", "1/2", code=2, words=("exclude each other",))
        for bad in ("0", "x", "1.5", "100001"):
            self.sweep("--join", bad, code=2, words=("--join",))

    def test_search_in_an_array_is_refused(self):
        """Each task would run the same search and write the same table."""
        if self.flyball("optimize", self.write("probe.yaml", "")).code == 2:
            self.skipTest("this build has no NLopt")
        answer = self.expect(self.flyball("optimize", "best.study.yaml", env=array(2, 4)), 2, "task 2 of 4 of a Slurm array", "mpirun flyball optimize STUDY --mpi")
        self.assertFalse((self.folder / "best.trials.csv").exists(), answer.err)
        self.expect(self.flyball("optimize", "best.study.yaml", env=array(1, 1)), 0)
