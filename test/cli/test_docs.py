"""Every document of the project: its links lead somewhere, its models are accepted, its commands exist."""
import re
import shlex

from program import SOURCE, ProgramTest

LEFT_OUT = ("build", "demo", "node_modules", ".git")
FENCE = re.compile(r"(?ms)^( *)(```+)[ ]*(\w*)[^\n]*\n(.*?)^\1\2[ ]*$")
NAMED = re.compile(r"<!-- file: (\S+) -->\n\Z")
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)#\s>]*)(#[^)\s>]*)?>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"(?m)^#{1,6}\s+(.*?)\s*#*$")
ENDS_COMMAND = {"|", ">", ">>", "<", "&&", "||", ";", "2>", "&"}


def list_pages():
    return [p for p in sorted(SOURCE.rglob("*.md")) if not set(p.relative_to(SOURCE).parts[:-1]) & set(LEFT_OUT)]


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors_of(page):
    """The anchors that a web view of the page gives to its headings."""
    found, count = set(), {}
    text = page.read_text()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(f"{slug}-{count[slug]}" if slug in count else slug)
        count[slug] = count.get(slug, 0) + 1
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def commands_of(text):
    """The flyball commands of a page's console blocks (after the prompt) and shell blocks, as lists of words."""
    for _, _, language, body in FENCE.findall(text):
        body = body.replace("\\\n", " ")
        if language == "console":
            lines = re.findall(r"(?m)^\s*\$ (.*)$", body)
        elif language in ("sh", "bash"):
            lines = body.splitlines()
        else:
            continue
        for line in lines:
            words = shlex.split(line, comments=True)
            while "flyball" in words:
                words = words[words.index("flyball") + 1:]
                end = next((i for i, w in enumerate(words) if w in ENDS_COMMAND), len(words))
                yield words[:end]


class Documents(ProgramTest):
    def test_links(self):
        """Of every relative link the file exists, and of every anchor the heading."""
        count = 0
        for page in list_pages():
            for target, anchor in LINK.findall(without_code(page.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                where = f"{page.relative_to(SOURCE)}: {target}{anchor}"
                path = page.parent / target if target else page
                self.assertTrue(path.exists(), where)
                if anchor and path.suffix == ".md":
                    self.assertIn(anchor[1:], anchors_of(path), where)
                count += 1
        self.assertGreater(count, 50)

    def test_models(self):
        """Every yaml block that is a whole model is accepted; one that shows a file is checked as this file."""
        count = 0
        for page in list_pages():
            text = page.read_text()
            for match in FENCE.finditer(text):
                if match.group(3) != "yaml" or not re.search(r"(?m)^flyball: 1$", match.group(4)):
                    continue
                named = NAMED.search(text[: match.start()])
                file = page.parent / named.group(1) if named else self.folder / self.write("block.yaml", match.group(4))
                if "models/bad" in str(file):
                    continue
                with self.subTest(f"{page.relative_to(SOURCE)}: {file.name}"):
                    self.expect(self.flyball("check", file, "--quiet"), 0)
                    count += 1
        self.assertGreater(count, 5)

    def test_commands(self):
        """Each command of a page is one of the program's, and has the options that are shown."""
        table = {c["name"]: c for c in self.flyball("help", "--json").json()["commands"]}
        count = 0
        for page in list_pages():
            for words in commands_of(page.read_text()):
                where = f"{page.relative_to(SOURCE)}: flyball {' '.join(words)}"
                if not words or words[0] in ("--help", "--version"):
                    continue
                self.assertIn(words[0], table, where)
                options = table[words[0]]["options"]
                known = {o["name"] for o in options} | {o["letter"] for o in options}
                takes = {n for o in options if o["argument"] for n in (o["name"], o["letter"])}
                is_value = False
                for word in words[1:]:
                    name = word.split("=")[0] if word.startswith("--") else word
                    if not is_value and re.match(r"--?[A-Za-z]", word):
                        self.assertIn(name, known, where)
                    is_value = not is_value and name in takes and "=" not in word
                count += 1
        self.assertGreater(count, 20)

    def test_reading(self):
        """What the tests above read from a page."""
        page = self.folder / self.write("page.md", "# A, `b` and (c)!\n## Two\n## Two\n```sh\n# no heading\nmake && flyball run x.yaml "
                                        "--set a=1 | less  # flyball none\n```\n```console\n$ flyball check y\nflyball said\n```\n[x](y#z) `[u](v)`\n")
        self.assertEqual(anchors_of(page), {"a-b-and-c", "two", "two-1"})
        self.assertEqual(list(commands_of(page.read_text())), [["run", "x.yaml", "--set", "a=1"], ["check", "y"]])
        self.assertEqual(LINK.findall(without_code(page.read_text())), [("y", "#z")])
