#!/usr/bin/env bash
# usage: fuzz.sh PROGRAM SECONDS TARGET...   runs libFuzzer on each target from its corpus; inputs that it finds useful are kept beside the program
set -u
program=$1 seconds=$2 failed=0
shift 2
source=$(cd "$(dirname "$0")/../test/fuzz" && pwd)
for target in "$@"; do
    scratch=$(dirname "$program")/$target
    mkdir -p "$scratch/found"
    dictionary=()
    if [ -f "$source/dictionaries/$target.txt" ]; then
        dictionary=("-dict=$source/dictionaries/$target.txt")
    fi
    "$program" "--target=$target" "-max_total_time=$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2000 -print_final_stats=1 \
        "-artifact_prefix=$scratch/" "${dictionary[@]}" "$scratch/found" "$source/corpus/$target" >"$scratch/log" 2>&1 || failed=1
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
    echo "$target: ${inputs:-0} inputs; $(grep -c -E 'SUMMARY: ' "$scratch/log") findings"
    grep -E 'SUMMARY: |Test unit written' "$scratch/log"
done
exit $failed
