#!/usr/bin/env python3
"""Checks the object files of the library: symbols are used only from folders that may look at them, and each is used at all.

    check_symbols.py SOURCE_DIR BUILD_DIR

A header can be avoided by declaring a function again; the linker's names cannot. A function that is not public is used by another
object of the library or the program, or by its own file and a test that looks at this part alone. Anything else is dead, or static.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

from check_layers import LAYERS, rank_of

PUBLIC = re.compile(r"(?m)^FB_API\b[^;(]*?\b(\w+)\s*[\[(;]")

# Found by name in a module that is loaded (src/study/ranks.h, src/math/reducer.h).
LOADED = {"fb_ranks_open", "fb_reducer_open"}


def read_symbols(objects):
    """The object that defines each name for others, and for each object the names that it wants."""
    defined, wanted = {}, collections.defaultdict(set)
    out = subprocess.run(["nm", "-A", "-P", *map(str, objects)], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
        if name.startswith("_") or "." in name:  # of the compiler: versions of a function (src/base/wide.h), too
            continue
        if kind == "U":
            wanted[path].add(name)
        elif kind.isupper():
            defined[name] = path
    return defined, wanted


def folder_of(path, build):
    parts = pathlib.Path(path).relative_to(build).parts
    return parts[1] if parts[0] == "src" else parts[0]


def list_objects(build):
    """Source file of each object that belongs to the build; what sources that are gone have left behind does not."""
    objects = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = build / re.search(r" -o (\S+)", entry["command"]).group(1)
        if path.exists():
            objects[str(path)] = pathlib.Path(entry["file"])
    return objects


def find_downward(defined, wanted, build):
    """Uses of a folder that lies below, or beside."""
    problems = []
    for path, names in sorted(wanted.items()):
        folder = folder_of(path, build)
        if rank_of(folder) is None:
            continue
        for name in sorted(names & defined.keys()):
            other = folder_of(defined[name], build)
            if other != folder and rank_of(other) is not None and rank_of(other) >= rank_of(folder):
                problems.append(f"{pathlib.Path(path).name}: {folder} must not use {name} of {other}")
    return problems


def is_used_in(file, name):
    return len(re.findall(rf"\b{name}\b", file.read_text())) > 1


def find_unused(defined, wanted, objects, build, public):
    """Hidden names that only their own file or only a test uses."""
    used, tested = set(), set()
    for path, names in wanted.items():
        (tested if folder_of(path, build) in ("test", "bench") else used).update(names)
    problems = []
    for name, path in sorted(defined.items()):
        if name in used | public or rank_of(folder_of(path, build)) is None:
            continue
        inside = is_used_in(objects[path], name)
        if not (inside and name in tested):
            reason = "only its own file uses it, make it static" if inside else "only tests use it" if name in tested else "nothing uses it"
            problems.append(f"{objects[path].name}: {name}: {reason}")
    return problems


def main():
    source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    objects = list_objects(build)
    missing = {f for layer in LAYERS for f in layer} - {folder_of(o, build) for o in objects}
    if missing:
        print(f"no object files of {', '.join(sorted(missing))} in {build}")
        return 1
    public = {n for h in (source / "include").rglob("*.h") for n in PUBLIC.findall(h.read_text())}
    defined, wanted = read_symbols(objects)
    problems = find_downward(defined, wanted, build) + find_unused(defined, wanted, objects, build, public | LOADED)
    print("\n".join(problems) if problems else f"{len(defined)} symbols of {len(objects)} objects, all used and only from above")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
