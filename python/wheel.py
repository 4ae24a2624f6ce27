"""Packs the built package as a wheel: wheel.py BUILT OUT

A wheel is a zip file with a list of its files; nothing has to be downloaded to make one.
"""
import base64
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import zipfile


def add(archive, record, name, data):
    archive.writestr(name, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    built, out = sys.argv[1:3]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", read(os.path.join(root, "CMakeLists.txt")).decode()).group(1)
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"flyball-{version}.dist-info"
    package = os.path.join(out, "flyball")
    shutil.rmtree(package, ignore_errors=True)
    os.makedirs(out, exist_ok=True)
    shutil.copytree(os.path.join(built, "flyball"), package, ignore=shutil.ignore_patterns("__pycache__"))
    wheel = os.path.join(out, f"flyball-{version}-{tag}.whl")
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(os.listdir(package)):
            add(archive, record, "flyball/" + name, read(os.path.join(package, name)))
        add(archive, record, info + "/METADATA", f"Metadata-Version: 2.1\nName: flyball\nVersion: {version}\nSummary: Multibody dynamics\nLicense: Apache-2.0\n"
            f"Requires-Python: >=3.8\nRequires-Dist: numpy\nRequires-Dist: cffi\n".encode())
        add(archive, record, info + "/WHEEL", f"Wheel-Version: 1.0\nGenerator: flyball\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(archive, record, info + "/LICENSE", read(os.path.join(root, "LICENSE")))
        archive.writestr(info + "/RECORD", "\n".join(record + [info + "/RECORD,,"]) + "\n")
    print(wheel)


if __name__ == "__main__":
    main()
