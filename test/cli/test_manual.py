"""Man page and shell completion name exactly the commands and options of the program's own table."""
import re
import subprocess

from program import SOURCE, ProgramTest

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
                self.assertEqual(set(belongs.group(1).split(", ")), wanted, name)
        wanted = {o["name"]: (o["letter"] or "", o["argument"] or "") for c in self.table for o in c["options"]}
        documented.pop("--version")
        self.assertEqual(documented, wanted)

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
