#!/usr/bin/env python3
"""Checks the equation numbers of the theory manual: every number cited in the sources exists, and none is given twice."""
import pathlib
import re
import sys

TAG = re.compile(r"\\tag\{([^}]*)\}")
NUMBER = re.compile(r"[1-9]\d?\.[1-9]\d*")
# "eq. (2.6)", "eqs. 2.9-2.11", "eqs. (3.4), (3.6) and (3.7)"
CITATION = re.compile(r"\beqs?\.\s*((?:(?:\s*[-,]\s*|\s+and\s+)?\(?[1-9]\d?\.\d+\)?)+)")
RANGE = re.compile(r"([1-9]\d?)\.(\d+)\)?\s*-\s*\(?([1-9]\d?)\.(\d+)")
SOURCES = ("src", "include", "apps", "bench", "test")


def read_tags(root):
    """Equation number -> places where it is given."""
    tags = {}
    for path in sorted((root / "docs/theory").glob("*.md")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for tag in TAG.findall(line):
                tags.setdefault(tag, []).append(f"{path.relative_to(root)}:{number}")
    return tags


def cited_numbers(text):
    """All numbers that a source cites; comments that run over several lines are joined first."""
    joined = re.sub(r"\n[ \t]*(?://|\*)[ \t]*", " ", text)
    for match in CITATION.finditer(joined):
        words = match.group(1)
        yield from NUMBER.findall(words)
        for chapter, first, other, last in RANGE.findall(words):
            if chapter == other:
                yield from (f"{chapter}.{i}" for i in range(int(first), int(last) + 1))
            else:
                yield f"{chapter}.{first}-{other}.{last}"


def read_citations(root):
    """Equation number -> files that cite it."""
    citations = {}
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.[ch]")):
            for number in cited_numbers(path.read_text()):
                citations.setdefault(number, set()).add(str(path.relative_to(root)))
    return citations


def find_faults(tags, citations):
    for tag, places in tags.items():
        if not NUMBER.fullmatch(tag):
            yield f"{places[0]}: '{tag}' is not an equation number"
        if len(places) > 1:
            yield f"equation {tag} is given {len(places)} times: {', '.join(places)}"
        chapter = pathlib.Path(places[0]).name.split("-")[0]
        if not tag.startswith(chapter + "."):
            yield f"{places[0]}: equation {tag} does not belong to chapter {chapter}"
    for number, files in sorted(citations.items()):
        if number not in tags:
            yield f"equation {number} is cited in {', '.join(sorted(files))} but not in docs/theory"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    tags, citations = read_tags(root), read_citations(root)
    faults = list(find_faults(tags, citations))
    for fault in faults:
        print(fault)
    print(f"{len(tags)} equations, {len(citations)} of them cited, {len(faults)} faults")
    return 1 if faults or not citations else 0


if __name__ == "__main__":
    sys.exit(main())
