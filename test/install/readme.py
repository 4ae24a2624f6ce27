#!/usr/bin/env python3
"""readme.py README FOLDER: puts the files that the README tells its reader to save into a folder, and the commands for it into commands.sh.

The folder is all that the reader has: the test runs commands.sh there, with the library installed in $HOME/.local.
"""
import pathlib
import re
import sys

SAVED = re.compile(r"Save this as `([\w.]+)`[^\n]*\n+(?:<!-- [^\n]* -->\n)?```\w+\n(.*?)```", re.S)
SHELL = re.compile(r"```sh\n(.*?)```", re.S)


def main():
    page, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    files = SAVED.findall(page)
    for name, text in files:
        (folder / name).write_text(text)
    commands = [block for block in SHELL.findall(page) if re.search(r"^cc ", block, re.M)]
    (folder / "commands.sh").write_text("set -eu\n" + "".join(commands))
    is_complete = {name for name, _ in files} >= {"swing.yaml", "swing.c"} and len(commands) == 1
    if not is_complete:
        print("the README has no model, no program, or not one block of commands that compiles it", file=sys.stderr)
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
