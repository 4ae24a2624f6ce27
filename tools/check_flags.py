#!/usr/bin/env python3
"""Checks in compile_commands.json that no source is compiled with a flag that gives up IEEE arithmetic."""
import json
import re
import sys

FORBIDDEN = re.compile(r"\s(-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math"
                       r"|-ffinite-math-only|-fno-signed-zeros|-ffp-contract=fast|-fno-trapping-math)\b")


def main():
    commands = json.load(open(sys.argv[1]))
    problems = [(c["file"], FORBIDDEN.search(c["command"])) for c in commands]
    problems = [f"{file}: {match.group(1)}" for file, match in problems if match]
    ours = [c for c in commands if "/src/" in c["file"]]
    problems += [f"{c['file']}: -ffp-contract=off is missing" for c in ours if "-ffp-contract=off" not in c["command"]]
    print("\n".join(problems) if problems else f"{len(commands)} commands keep IEEE arithmetic")
    return 1 if problems or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
