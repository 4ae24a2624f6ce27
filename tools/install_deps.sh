#!/usr/bin/env bash
# Installs what Flyball needs with apt, and says what; does nothing if everything is installed.
#     install_deps.sh [build|test|gate]   for the library and the program (the default), also for all tests, also for .ci/run
set -eu

build=(gcc libc6-dev make cmake ninja-build pkg-config libfyaml-dev libsuitesparse-dev liblapacke-dev libopenblas-dev
    libsundials-dev libarpack2-dev libnlopt-dev libmetis-dev)
test=(libcmocka-dev binutils python3 python3-jsonschema python3-yaml python3-numpy python3-scipy python3-cffi mypy libopenmpi-dev openmpi-bin libslepc-real-dev chromium nodejs npm)
gate=(git clang lld clang-format clang-tidy cppcheck)
# A test starts a Slurm of its own. The packages would start services where there is systemd: whoever wants the test there installs them.
[ -d /run/systemd/system ] || gate+=(slurm-wlm munge)
purpose=${1:-build}
case $purpose in
build) packages=("${build[@]}") ;;
test) packages=("${build[@]}" "${test[@]}") ;;
gate) packages=("${build[@]}" "${test[@]}" "${gate[@]}") ;;
*)
    echo "install_deps: '$purpose' is not one of build, test, gate" >&2
    exit 2
    ;;
esac

# Programs of the tests and the gate that are often there from elsewhere; the package otherwise.
declare -A programs=([chromium]=chromium [nodejs]=node [npm]=npm [mypy]=mypy [git]=git [clang]=clang [lld]=ld.lld [clang-format]=clang-format
    [clang-tidy]=clang-tidy [cppcheck]=cppcheck [slurm-wlm]=slurmctld [munge]=munged)

is_installed() {
    [ -n "${programs[$1]:-}" ] && command -v "${programs[$1]}" >/dev/null && return
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'
}

find_missing() {
    missing=()
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "install_deps: neither root nor sudo; please install as root: ${missing[*]}" >&2
        exit 1
    fi
}

install_missing() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

update_lists() {
    echo "install_deps: apt-get update"
    as_root apt-get update -qq
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install_deps: this is no Debian or Ubuntu; please install the equivalents of: ${packages[*]}"
    exit 0
fi
find_missing
if [ ${#missing[@]} = 0 ]; then
    echo "install_deps: all ${#packages[@]} packages for '$purpose' are there, nothing to install"
    exit 0
fi
echo "install_deps: installing with apt: ${missing[*]}"
if ! ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1; then
    update_lists
    install_missing
elif ! install_missing; then
    update_lists
    install_missing
fi
find_missing
if [ ${#missing[@]} != 0 ]; then
    echo "install_deps: still missing: ${missing[*]}" >&2
    exit 1
fi
echo "install_deps: done"
