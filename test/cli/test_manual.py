"""Man page and shell completion name exactly the commands and options of the program's own table."""
import re
import shutil
import subprocess

from program import FLYBALL, SOURCE, ProgramTest

APP = SOURCE / "apps/flyball"


class Manual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.table = self.flyball("help", "--json").json()["commands"]

    def test_man_page(self):
        page = (APP / "flyball.1").read_text().replace("\\-", "-")
        commands, options = page.split(".SH OPTIONS")[0].split(".SH COMMANDS")[1], page.split(".SH OPTIONS")[1].split(".SH EXIT")[0]
        self.assertEqual(set(re.findall(r"(?m)^\.B (\w+)", commands)), {c["name"] for c in self.table})
        entries = re.findall(r"(?m)^\.TP\n\.B ((?:-\w\\fR, \\fB)?)(--[\w-]+)(?: \\fI(.*?)\\fR)?\n(.*)", options)
        documented = {}
        for letter, name, argument, text in entries:
            belongs = re.match(r"\(([\w, ]+)\)", text)
            documented[name] = (letter[:2], argument)
            if belongs and name not in ("--output", "--help", "--version"):
                wanted = {c["name"] for c in self.table if name in {o["name"] for o in c["options"]}}
                self.assertLessEqual(set(belongs.group(1).split(", ")), wanted, name)  # other meanings have lines of their own
        wanted = {o["name"]: (o["letter"] or "", o["argument"] or "") for c in self.table for o in c["options"]}
        documented.pop("--version")
        self.assertEqual(documented, wanted)

    def test_files_are_what_the_table_gives(self):
        answer = subprocess.run([SOURCE / "tools/make_manual.py", FLYBALL, APP, "--check"], capture_output=True, text=True)
        self.assertEqual((answer.returncode, answer.stdout + answer.stderr), (0, ""))

    def test_other_shells(self):
        zsh, fish = (APP / "completion.zsh").read_text(), (APP / "completion.fish").read_text()
        for command in self.table:
            of_zsh = re.search(rf"(?ms)^        {command['name']}\)\n(.*?);;", zsh).group(1)
            of_fish = re.findall(rf"(?m)^complete -c flyball -n '__fish_seen_subcommand_from {command['name']}' -l ([\w-]+)", fish)
            self.assertEqual(set(of_fish), {o["name"][2:] for o in command["options"]})
            self.assertEqual(set(re.findall(r"'\*(--[\w-]+)\[", of_zsh)), {o["name"] for o in command["options"]})
        for shell, name in (("zsh", "completion.zsh"), ("fish", "completion.fish")):
            if shutil.which(shell):
                self.assertEqual(subprocess.run([shell, "-n", APP / name], capture_output=True, text=True).stderr, "")

    def test_completion(self):
        script = f"""
            source {APP / 'completion.bash'}
            complete_words() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _flyball; printf '%s\\n' "${{COMPREPLY[@]}}"; }}
            complete_words flyball ""
        """
        for command in self.table:
            script += f"\necho == {command['name']}\ncomplete_words flyball {command['name']} -"
        out = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout
        parts = re.split(r"(?m)^== (\w+)\n", out)
        self.assertEqual(set(parts[0].split()), {c["name"] for c in self.table} | {"--version", "--help"})
        for command in self.table:
            offered = parts[parts.index(command["name"]) + 1].split()
            wanted = [o["name"] for o in command["options"]] + [o["letter"] for o in command["options"] if o["letter"]]
            self.assertEqual(sorted(offered), sorted(wanted), command["name"])
