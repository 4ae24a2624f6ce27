#!/usr/bin/env python3
"""Checks the binary interface of the shared library against cmake/flyball.abi: exported names, sizes and offsets of public structs, values of
enumerators (docs/decisions/abi.md).

  check_abi.py CC LIBRARY INCLUDE_DIR ABI_FILE            compare; what was removed or changed is a break, what is new must be recorded
  check_abi.py CC LIBRARY INCLUDE_DIR ABI_FILE --update   write the file

It reads the headers as text, as check_headers.py does, and lets the compiler say where the fields are.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from check_exports import read_exported

# Handed out by pointer alone, never in an array: they may grow at their end.
GROWING = {"FbMode", "FbDamping", "FbProgress", "FbTrial", "FbStudyProgress"}
COMMENT = re.compile(r"//[^\n]*")
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \1;", re.S)
ENUM = re.compile(r"enum\b[^{;]*\{([^}]*)\}", re.S)


def read_fields(body):
    fields = []
    for declaration in body.split(";")[:-1]:
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        names = [pointer.group(1)] if pointer else [re.search(r"(\w+)(?:\[\w*\])*\s*$", d).group(1) for d in declaration.split(",")]
        fields += names
    return fields


def read_headers(include_dir):
    """Structs with their fields, and enumerators, in the order of the headers."""
    structs, enumerators = {}, []
    for header in sorted(pathlib.Path(include_dir).rglob("*.h")):
        text = COMMENT.sub("", header.read_text())
        structs.update((name, read_fields(body)) for name, body in STRUCT.findall(text))
        for body in ENUM.findall(text):
            enumerators += [e.split("=")[0].strip() for e in body.split(",") if e.strip()]
    return structs, enumerators


def write_program(structs, enumerators):
    lines = ['#include <flyball/flyball.h>', '#include <stdio.h>', 'int main(void) {']
    for name, fields in structs.items():
        lines.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        lines += [f'printf("field {name}.{f} %zu\\n", offsetof({name}, {f}));' for f in fields if f != "reserved"]
    lines += [f'printf("enum {e} %d\\n", (int){e});' for e in enumerators]
    return "\n".join(lines + ["return 0; }"])


def measure(cc, library, include_dir):
    structs, enumerators = read_headers(include_dir)
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "abi.c"), pathlib.Path(folder, "abi")
        source.write_text(write_program(structs, enumerators))
        subprocess.run([cc, "-I", include_dir, str(source), "-o", str(program)], check=True)
        layout = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    return [f"function {name}" for name in sorted(read_exported(library))] + layout


def compare(now, recorded):
    # "enum FB_X 3": the last word is the value of what stands before it; functions have none.
    def values(lines):
        return {line if line.startswith("function") else line.rsplit(" ", 1)[0]: line for line in lines}

    def describe(key):
        before, after = old[key], new.get(key, "gone")
        is_grown = key.split()[-1] in GROWING and after != "gone" and int(after.split()[-1]) > int(before.split()[-1])
        return f"{'not recorded' if is_grown else 'broken'}: {before}, now {after}"

    new, old = values(now), values(recorded)
    problems = [describe(key) for key in old if new.get(key) != old[key]]
    return problems + [f"not recorded: {new[key]}" for key in new if key not in old]


def main():
    cc, library, include_dir, abi_file = sys.argv[1:5]
    now = measure(cc, library, include_dir)
    if "--update" in sys.argv:
        pathlib.Path(abi_file).write_text("\n".join(now) + "\n")
        return 0
    problems = compare(now, pathlib.Path(abi_file).read_text().splitlines())
    print("\n".join(problems) if problems else f"{len(now)} entries of {abi_file} hold")
    if problems:
        print("docs/decisions/abi.md says what may change; `tools/check_abi.py ... --update` records it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
