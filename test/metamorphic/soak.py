"""Any number of random mechanisms through all checks: soak.py --seed 1 --count 5000 --output build/soak

Prints each failure with its seed, writes the model that fails, the one that it should agree with and the smallest
mechanism that was found to fail in the same way, and ends with a table of causes.
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small; threads only wait for each other

import argparse
import collections
import multiprocessing
import pathlib
import re
import sys
import time

import check
import frames
import generator
import shrink
import transforms


FAMILIES = list(generator.FAMILIES) + ["frame"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=500, help="how many mechanisms")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/soak"), help="folder for failures")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="only these families")
    parser.add_argument("--transform", action="append", choices=sorted(set(transforms.TRANSFORMS) | set(frames.TRANSFORMS)),
                        help="only these")
    parser.add_argument("--transforms", type=int, default=None, help="so many of them for each mechanism, drawn by lot")
    parser.add_argument("--exclude", action="append", default=[], help="'steps', a family or a check that is not judged")
    parser.add_argument("--no-shrink", action="store_true", help="do not search for smaller mechanisms that fail")
    parser.add_argument("--first", type=int, default=3, help="so many failures of one cause are kept")
    return parser.parse_args()


def work(task):
    seed, families, names, count, excluded = task
    family = families[seed % len(families)]
    try:
        if family == "frame":
            return seed, family, frames.check_seed(seed, names, count, excluded)
        return seed, family, check.check_seed(seed, family, names, count, excluded)
    except Exception as error:  # a mistake in here must not pass for agreement
        return seed, family, [check.Failure(seed, family, "soak itself", "", [repr(error)], "")]


def cause(failure):
    """A failure without its numbers, so that equal ones can be counted."""
    text = re.sub(r"\b[bjcf]\d+\b|'[^']*'", "part", failure.differences[0])
    text = re.sub(r"t = [-+.0-9e]+", "t", text)
    return failure.check, re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", text)[:110]


def keep(folder, failure, args):
    folder = folder / f"{failure.family}_{failure.seed}_{failure.check.replace(' ', '_')}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.yaml").write_text(failure.model)
    if failure.original and failure.original != failure.model:
        (folder / "original.yaml").write_text(failure.original)
    smallest = None if args.no_shrink or failure.family == "frame" else shrink.smallest(failure)
    lines = [f"seed {failure.seed}, family {failure.family}, check {failure.check}", failure.detail, ""]
    lines += failure.differences
    if smallest:
        (folder / "smallest.yaml").write_text(smallest.model)
        (folder / "smallest_original.yaml").write_text(smallest.original)
        lines += ["", "smallest.yaml:"] + smallest.differences
    (folder / "differences.txt").write_text("\n".join(lines) + "\n")
    return folder


def main():
    args = arguments()
    families = args.family or FAMILIES
    tasks = [(s, families, args.transform, args.transforms, args.exclude) for s in range(args.seed, args.seed + args.count)]
    causes, bad, started = collections.Counter(), set(), time.time()
    with multiprocessing.Pool(args.jobs) as pool:
        for n, (seed, family, failures) in enumerate(pool.imap_unordered(work, tasks, chunksize=1), 1):
            for f in failures:
                bad.add(seed)
                key = cause(f)
                causes[key] += 1
                if causes[key] <= args.first:
                    print(f"seed {seed} {family} {f.check} ({f.detail}): {len(f.differences)} differences, "
                          f"{f.differences[0]}", flush=True)
                    print(f"    {keep(args.output, f, args)}", flush=True)
            if n % 100 == 0:
                print(f"{n} of {args.count} mechanisms, {len(bad)} with differences, {time.time() - started:.0f} s",
                      flush=True)
    print(f"{args.count} mechanisms from seed {args.seed}: {len(bad)} with differences")
    for (name, text), count in causes.most_common():
        print(f"{count:6d}  {name}: {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
