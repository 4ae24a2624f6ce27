#!/usr/bin/env python3
"""Checks that the public headers are documented: every function, struct, enum and macro has a comment above it, every enumerator and field one beside or above it.

Fields whose name says it all need none (NAMES, and counts n_xyz beside a documented array); a comment above a struct serves its fields in
no other case. `check_headers.py INCLUDE_DIR` lists what is missing.
"""
import pathlib
import re
import sys

# Fields that need no words: what they are follows from the struct and their name.
NAMES = {"name", "title", "status", "place", "origin", "reserved", "severity", "coordinate", "factor", "key", "kind", "method", "class_",
         "action", "direction", "output", "unit"}
FUNCTION = re.compile(r"FB_API\b[^;]*?\b(fb_\w+)\s*\(", re.S)
BLOCK = re.compile(r"\s*(?:typedef\s+)?(struct|enum)\b\s*(\w*)\s*\{")


def has_comment_above(lines, i):
    """A comment, or a declaration of the same paragraph that a comment stands above and that is not itself a declaration."""
    return i > 0 and lines[i - 1].lstrip().startswith("//") and not lines[i - 1].startswith("// ----")


def name_of_field(declaration):
    pointer = re.search(r"\(\*(\w+)\)", declaration)  # to a function
    return pointer.group(1) if pointer else re.findall(r"(\w+)(?:\[\w*\])*\s*(?=[,;])", declaration + ";")[0]


def check_member(path, lines, i, kind):
    """Problems of the field or enumerator that starts in line i; the next line to look at."""
    first, declaration = i, lines[i].split("//")[0]
    while kind == "struct" and ";" not in declaration:
        i += 1
        declaration += lines[i].split("//")[0]
    is_documented = "//" in lines[i] or has_comment_above(lines, first)
    name = name_of_field(declaration.strip()) if kind == "struct" else declaration.split("=")[0].strip(" ,")
    needs = not (kind == "struct" and (name in NAMES or name.startswith("n_")))
    return ([f"{path}:{first + 1}: {name} has no comment"] if needs and not is_documented else []), i + 1


def check_block(path, lines, i, kind):
    problems = []
    i += 1
    while not lines[i].startswith("}"):
        if not lines[i].strip() or lines[i].lstrip().startswith("//"):
            i += 1
            continue
        found, i = check_member(path, lines, i, kind)
        problems += found
    return problems, i + 1


def check_header(path):
    lines, problems, i = path.read_text().splitlines(), [], 0
    if not lines[0].startswith("// "):
        problems.append(f"{path}:1: the header does not say what it is for")
    while i < len(lines):
        block = BLOCK.match(lines[i])
        starts = block or lines[i].startswith(("typedef", "FB_API", "#define FB_"))
        is_guarded = lines[i].startswith("#define FB_") and i > 0 and lines[i - 1].startswith(("#if", "#else"))
        if starts and not is_guarded and not has_comment_above(lines, i):
            problems.append(f"{path}:{i + 1}: no comment above: {lines[i].strip()}")
        if block and not lines[i].rstrip().endswith(";"):
            found, i = check_block(path, lines, i, block.group(1))
            problems += found
        else:
            i += 1
    return problems


def main():
    headers = sorted(pathlib.Path(sys.argv[1]).rglob("*.h"))
    problems = [p for header in headers for p in check_header(header)]
    n = sum(len(FUNCTION.findall(header.read_text())) for header in headers)
    print("\n".join(problems) if problems else f"{n} functions in {len(headers)} headers, all documented")
    return 1 if problems or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
