#!/usr/bin/env python3
"""Checks that CMakeLists.txt, CITATION.cff and the newest entry of CHANGELOG.md name the same version."""
import pathlib
import re
import sys

PLACES = {
    "CMakeLists.txt": r"project\(flyball\s+VERSION\s+(\d+\.\d+\.\d+)",
    "CITATION.cff": r"(?m)^version:\s*[\"']?(\d+\.\d+\.\d+)",
    "CHANGELOG.md": r"(?m)^## *\[?v?(\d+\.\d+\.\d+)",
}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = {}
    for name, pattern in PLACES.items():
        path = root / name
        match = re.search(pattern, path.read_text()) if path.exists() else None
        found[name] = match.group(1) if match else "none"
    print(", ".join(f"{name}: {version}" for name, version in found.items()))
    return 0 if len(set(found.values())) == 1 and "none" not in found.values() else 1


if __name__ == "__main__":
    sys.exit(main())
