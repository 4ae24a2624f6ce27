#!/usr/bin/env bash
# Installs what Flyball needs with apt, and says what; does nothing where everything is there.
set -eu

packages=(gcc make cmake ninja-build pkg-config libfyaml-dev libsuitesparse-dev liblapacke-dev
    libopenblas-dev libsundials-dev libarpack2-dev libnlopt-dev libcmocka-dev libc6-dev binutils python3 python3-jsonschema
    python3-yaml python3-numpy chromium nodejs npm)

# Programs that only the tests of the viewer need, and that are often there from elsewhere; the package otherwise.
declare -A programs=([chromium]=chromium [nodejs]=node [npm]=npm)

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
    echo "install_deps: all ${#packages[@]} packages are there, nothing to install"
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
