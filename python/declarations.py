"""Writes the declarations of the public headers as a module for cffi: declarations.py INCLUDE OUT.py

Nothing is copied by hand: the headers are read, comments and preprocessor lines are dropped, and cffi compiles the rest to a table that is loaded
without a parser.
"""
import os
import re
import sys
import tempfile

import cffi


def read_header(folder, name, seen):
    """The declarations of a header after those that it includes."""
    if name in seen:
        return ""
    seen.add(name)
    out, skips = [], False
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        for line in file:
            include = re.match(r'#include "(flyball/\w+\.h)"', line)
            if include:
                out.append(read_header(folder, include.group(1), seen))
            skips = (skips or line.startswith("#ifdef __cplusplus")) and not line.startswith("#endif")
            if not skips and not line.startswith("#"):
                out.append(re.sub(r"//.*", "", line))
    return "".join(out).replace("FB_API ", "")


def main():
    folder, target = sys.argv[1:3]
    seen = {"flyball/export.h"}
    headers = ["flyball/flyball.h"] + sorted("flyball/" + n for n in os.listdir(os.path.join(folder, "flyball")) if n.endswith(".h"))
    text = "".join(read_header(folder, name, seen) for name in headers)
    ffi = cffi.FFI()
    ffi.set_source("_declarations", None)
    ffi.cdef(text)
    with tempfile.TemporaryDirectory() as scratch:
        made = ffi.compile(tmpdir=scratch)
        with open(made, encoding="utf-8") as source, open(target, "w", encoding="utf-8") as out:
            out.write(source.read())


if __name__ == "__main__":
    main()
