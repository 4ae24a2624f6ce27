#!/usr/bin/env python3
"""Checks the shared library against the public headers: exactly the FB_API functions are exported, all with the prefix fb_."""
import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"(?m)^FB_API\b[^;(]*?\b(\w+)\s*\(")


def read_declared(include_dir):
    names = set()
    for header in sorted(pathlib.Path(include_dir).rglob("*.h")):
        names.update(DECLARATION.findall(header.read_text()))
    return names


def read_exported(library):
    # -P prints "name type value size"; an absolute symbol is a version tag, not code or data.
    out = subprocess.run(["nm", "-D", "-P", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in out.splitlines()]
    return {f[0].split("@")[0] for f in fields if f[1] != "A"}


def main():
    library, include_dir = sys.argv[1:3]
    declared, exported = read_declared(include_dir), read_exported(library)
    problems = [f"exported without the prefix fb_: {n}" for n in sorted(exported) if not n.startswith("fb_")]
    problems += [f"exported but not in a public header: {n}" for n in sorted(exported - declared) if n.startswith("fb_")]
    problems += [f"declared FB_API but not exported: {n}" for n in sorted(declared - exported)]
    print("\n".join(problems) if problems else f"{len(exported)} symbols, all public and all fb_")
    return 1 if problems or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
