#!/usr/bin/env bash
# run.sh BUILD SOURCE CC CFLAGS LIBDIR VERSION: the installed copy, moved elsewhere, serves C programs in four ways, with all analyses, and the README's reader.
set -eu
build=$1 source=$2 cc=$3 cflags=$4 libdir=$5 version=$6
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

cmake --install "$build" --prefix "$temp/first" >"$temp/log" || { cat "$temp/log"; exit 1; }
mv "$temp/first" "$temp/prefix" # nothing may remember where it was installed first
prefix=$temp/prefix

run() {
    echo "--- $1"
    LD_LIBRARY_PATH=$prefix/$libdir "$2"
}

mkdir "$temp/consumer"
cp "$source/consumer.c" "$temp/consumer"
sed "s/@VERSION@/$version/" "$source/consumer.cmake.in" >"$temp/consumer/CMakeLists.txt"
cmake -S "$temp/consumer" -B "$temp/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="$cflags" >"$temp/log" || { cat "$temp/log"; exit 1; }
cmake --build "$temp/consumer/build"
run "CMake package, shared" "$temp/consumer/build/consumer_shared"
run "CMake package, static" "$temp/consumer/build/consumer_static"

export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
[ "$(pkg-config --modversion flyball)" = "$version" ]
# Flags are words for the compiler: splitting is wanted.
# shellcheck disable=SC2046,SC2086
"$cc" $cflags "$source/consumer.c" -o "$temp/shared" $(pkg-config --cflags --libs flyball) -lm
run "pkg-config, shared" "$temp/shared"
static_flags=$(pkg-config --static --cflags --libs flyball | sed 's/-lflyball/-l:libflyball.a/')
# shellcheck disable=SC2046,SC2086
"$cc" $cflags "$source/consumer.c" -o "$temp/static" $static_flags -lm
run "pkg-config, static" "$temp/static"

echo "--- each header alone, in C and in C++"
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$prefix/include"
for header in "$prefix"/include/flyball/*.h; do
    program="#include <flyball/$(basename "$header")>
int main(void) { return 0; }"
    # shellcheck disable=SC2086
    echo "$program" | "$cc" -std=c17 $strict -x c -
    # shellcheck disable=SC2086
    if command -v c++ >/dev/null; then echo "$program" | c++ -std=c++17 $strict -x c++ -; fi
done

echo "--- studies, charts and reports from C"
# shellcheck disable=SC2046,SC2086
"$cc" $cflags -std=c17 -Wall -Wextra -Wpedantic "$source/analyses.c" -o "$temp/analyses" $(pkg-config --cflags --libs flyball) -lm
mkdir -p "$temp/work/cases/oscillator"
cp "$source"/oscillator.yaml "$source"/oscillator.study.yaml "$temp/work"
cp "$source"/oscillator.case.yaml "$temp/work/cases/oscillator/case.yaml"
(cd "$temp/work" && LD_LIBRARY_PATH=$prefix/$libdir "$temp/analyses")

echo "--- the README's program, as the README says"
mkdir -p "$temp/home" "$temp/reader"
cp -r "$prefix" "$temp/home/.local"
[ "$libdir" = lib ] || ln -s "$temp/home/.local/$libdir" "$temp/home/.local/lib"
python3 "$source/readme.py" "$source/../../README.md" "$temp/reader"
mkdir "$temp/bin" # the compiler of this build is the reader's cc
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$cc" "$cflags" >"$temp/bin/cc"
chmod +x "$temp/bin/cc"
printed=$(cd "$temp/reader" && HOME=$temp/home PATH=$temp/bin:$PATH sh commands.sh)
echo "$printed" | tail -1
[ "$(echo "$printed" | tail -1)" = "1.0 1.211280" ]

echo "--- the program"
"$prefix/bin/flyball" --version
"$prefix/bin/flyball" bench --list | grep '^a05 ' # the cases came along
[ -s "$prefix/share/man/man1/flyball.1" ]
[ -s "$prefix/share/bash-completion/completions/flyball" ]
