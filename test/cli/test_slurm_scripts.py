"""`flyball sweep --slurm`: the scripts, the section `slurm` of a study, and what sbatch answers."""
import os
import shutil
import subprocess

from program import SOURCE, ProgramTest

MODELS = SOURCE / "test/cli/cluster"
STUDY = (MODELS / "decay.study.yaml").read_text()


class Scripts(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copy(MODELS / "oscillator.yaml", self.folder)

    def slurm(self, section=None, *options, code=0, words=(), study=STUDY, env=None):
        text = study + (f"slurm: {section}\n" if section else "")
        return self.expect(self.flyball("sweep", self.write("decay.study.yaml", text), "--slurm", *options, env=env), code, *words)

    def script(self, kind="array"):
        return (self.folder / f"decay.slurm-{kind}.sh").read_text()

    def directives(self, kind="array"):
        return [line.removeprefix("#SBATCH --") for line in self.script(kind).splitlines() if line.startswith("#SBATCH")]

    def fake(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_settings_become_directives(self):
        answer = self.slurm("{tasks: 4, at_once: 2, cpus_per_task: 3, time: 1-12:30, memory: 2G, partition: long, account: a.b-c, qos: low, constraint: 'x&y', "
                            "reservation: r, setup: module load flyball}")
        self.assertIn("points       20 in 4 tasks", answer.out)
        self.assertIn("job=$(sbatch --parsable decay.slurm-array.sh) && sbatch --dependency=afterany:${job%%;*} decay.slurm-join.sh", answer.out)
        wanted = {"array=1-4%2", "cpus-per-task=3", "time=1-12:30", "mem=2G", "partition=long", "account=a.b-c", "qos=low", "constraint=x&y", "reservation=r",
                  "requeue", "open-mode=append", "signal=B:USR1@60", f'chdir="{self.folder.resolve()}"', 'output="decay.slurm-%A_%a.log"', "job-name=decay", "ntasks=1"}
        self.assertEqual(set(self.directives()), wanted)
        self.assertIn('--part "$SLURM_ARRAY_TASK_ID/4" -o "$table" --jobs 3 &', self.script())
        self.assertIn("\nmodule load flyball\n", self.script())
        self.assertIn("--join 4 -o decay.csv\n", self.script("join"))
        self.assertEqual({"partition=long", "time=1-12:30"} - set(self.directives("join")), set())
        self.assertFalse(any(d.startswith("array") for d in self.directives("join")))
        self.assertEqual([p.name for p in self.folder.glob("*.csv")], [])

    def test_number_of_tasks(self):
        for section, study, n in ((None, STUDY, 5), ("{cpus_per_task: 4}", STUDY, 2), ("{tasks: 100}", STUDY, 20), ("{tasks: 1}", STUDY, 1),
                                  (None, STUDY.replace("n: 5", "n: 50000"), 256), (None, STUDY.replace("n: 5", "n: 1000").replace("[0.1, 0.2]", "[0.1]"), 256),
                                  ("{cpus_per_task: 64}", STUDY, 1)):
            self.assertEqual(self.slurm(section, "--json", study=study).json()["tasks"], n, section)
            self.assertIn(f"array=1-{n}", self.directives())

    def test_options_reach_the_tasks(self):
        one = STUDY.replace("  x0: [0.1, 0.2]\n", "").replace("constraints: [x0 <= 0.15]\n", "")
        self.slurm(None, "--set", "x0=0.1 + $a'b", code=3, study=one)
        self.slurm(None, "--set", "x0=2*0.05", "--untimed", "--retry", study=one)
        self.assertIn("sweep decay.study.yaml --set 'x0=2*0.05' --untimed --retry --part", self.script())
        self.assertIn("sweep decay.study.yaml --set 'x0=2*0.05' --untimed --join", self.script("join"))

    def test_a_task_in_a_shell(self):
        """The script without Slurm: a part, and the same again resumes."""
        self.slurm("{tasks: 3}", "--untimed", "-o", "o ut's.csv")
        for n in (0, 7):
            done = subprocess.run(["bash", "o ut's.slurm-array.sh"], cwd=self.folder, env={**os.environ, "SLURM_ARRAY_TASK_ID": "2"}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"points       7: computed {7 - n}, kept {n}", done.stdout)
        done = subprocess.run(["bash", "o ut's.slurm-join.sh"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("13 of 20 points are missing", done.stderr)

    def test_bad_sections(self):
        n = STUDY.count("\n") + 1
        for section, col, *words in (("{task: 4}", 9, "unknown key 'task'", "did you mean 'tasks'"), ("{tasks: 0}", 16, "tasks is 0"), ("{tasks: 1.5}", 16, "integer"),
                                     ("{cpus_per_task: 0}", 24, "cpus_per_task"), ("{time: soon}", 15, "time is 'soon'", "MINUTES"), ("{time: 1:2:3:4}", 15, "time"),
                                     ("{time: 1-}", 15, "time"), ("{time: 5h}", 15, "time"), ("{memory: 2 GB}", 17, "memory is '2 GB'"), ("{memory: G}", 17, "memory"),
                                     ("{partition: a b}", 20, "partition is 'a b'"), ("{account: a$b}", 18, "account"), ("{qos: \"a\\nb\"}", 15, "qos"),
                                     ("{constraint: a'b}", 21, "constraint"), ("{reservation: ''}", 23, "reservation"), ("{setup: \"a\\nb\"}", 17, "one line"),
                                     ("[4]", 8, "map"), ("{at_once: -1}", 18, "at_once")):
            answer = self.slurm(section, code=3, words=words)
            self.assertIn(f"decay.study.yaml:{n}:{col}: error: ", answer.err, section)
        self.assertEqual(list(self.folder.glob("*.sh")), [])
        # Checked whenever the study is read, and no reason for other results.
        self.expect(self.flyball("sweep", self.write("s.yaml", STUDY + "slurm: {tasks: -1}\n")), 3, "tasks is -1")
        self.expect(self.flyball("sweep", self.write("s.yaml", STUDY), "--untimed"), 0)
        self.assertIn("kept 20", self.expect(self.flyball("sweep", self.write("s.yaml", STUDY + "slurm: {tasks: 3, time: 90}\n"), "--untimed"), 0).out)

    def test_submission(self):
        env = self.fake("sbatch", 'echo "$@" >>calls; echo "4711;here"')
        answer = self.slurm("{tasks: 2}", "--submit", env=env)
        self.assertIn("array        decay.slurm-array.sh, job 4711\n", answer.out)
        self.assertEqual((self.folder / "calls").read_text(), "--parsable decay.slurm-array.sh\n--parsable --dependency=afterany:4711 decay.slurm-join.sh\n")
        answer = self.slurm("{tasks: 2}", "--submit", "--json", env=env).json()
        self.assertEqual((answer["array_job"], answer["join_job"]), ("4711", "4711"))
        self.slurm("{tasks: 2}", "--submit", env=self.fake("sbatch", "echo no >&2; exit 1"), code=4, words=("no\n", "decay.slurm-array.sh", "did not accept"))
        self.slurm("{tasks: 2}", "--submit", env=self.fake("sbatch", "echo what"), code=4, words=("did not accept",))
        half = self.fake("sbatch", 'case "$*" in *depend*) exit 1;; *) echo 12;; esac')
        self.slurm("{tasks: 2}", "--submit", env=half, code=4, words=("job 12, the array, is submitted; join its tables with --join 2",))
        self.slurm("{tasks: 2}", "--submit", env={"PATH": "/nowhere"}, code=4, words=("cannot run sbatch: No such file", "did not accept"))

    def test_usage(self):
        self.slurm(None, "--part", "1/2", code=2, words=("--slurm divides the sweep itself",))
        self.slurm(None, "--join", "2", code=2, words=("--slurm divides",))
        self.slurm(None, "-o", "nowhere/x.csv", code=4, words=("nowhere/x.slurm-array.sh",))
        self.expect(self.flyball("sweep", "decay.study.yaml", "--submit"), 2, "--submit is only for --slurm")
        # In a task of an array it still writes scripts of the whole.
        self.assertEqual(self.slurm(None, "--json", env={"SLURM_ARRAY_TASK_ID": "1"}).json()["tasks"], 5)
