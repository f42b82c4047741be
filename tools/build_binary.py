#!/usr/bin/env python3
"""Build the self-contained program for the machine this runs on, and the archive that krew installs.

usage: build_binary.py [--output DIR]

Needs the project and PyInstaller in the Python that runs it (`python3 dev.py build` sees to that). Writes into DIR
(default dist/): kubectl-dscov-OS-ARCH.tar.gz (.zip for Windows), its checksum in a file of that name with .sha256, and
what is inside in kubectl-dscov-OS-ARCH.cdx.json.
Two builds of one tree with one Python make the same bytes: files in order, of one owner, all of the time that
SOURCE_DATE_EPOCH gives, else of the last commit.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

from licences import components, third_party  # noqa: E402

NAME = "kubectl-dscov"
SYSTEMS = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
#: 1980-01-01, the oldest time that a zip file can hold.
OLDEST = 315532800


def target() -> str:
    """OS and architecture as krew names them: `linux-amd64`."""
    return f"{SYSTEMS[platform.system()]}-{MACHINES[platform.machine().lower()]}"


def bundle(work: Path) -> Path:
    """The folder that PyInstaller makes, with our licence and those of all that is inside."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN"]
    command += [
        "--distpath",
        str(work / "dist"),
        "--workpath",
        str(work / "build"),
        str(HERE / "binary" / f"{NAME}.spec"),
    ]
    # The order in a frozen set is written into compiled modules, and hangs on the seed.
    environment = os.environ | {"PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": str(timestamp())}
    subprocess.run(command, check=True, env=environment, cwd=work)
    folder = work / "dist" / NAME
    strip(folder)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    (folder / "THIRD_PARTY_LICENSES").write_text(third_party(folder), encoding="utf-8")
    windows = target().startswith("windows")
    completer = folder / ("kubectl_complete-dscov.cmd" if windows else "kubectl_complete-dscov")
    shutil.copyfile(HERE / "binary" / ("completer.cmd" if windows else "completer.sh"), completer)
    completer.chmod(0o755)
    return folder


def strip(folder: Path) -> None:
    """Throw the debugging symbols away: on Linux they are two thirds of libpython."""
    if platform.system() != "Linux" or not shutil.which("strip"):
        return
    for file in sorted(folder.rglob("*.so*")):
        subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)


def timestamp() -> int:
    """The time that every file in the archive gets, in seconds."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return max(int(given), OLDEST)
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    told = ""
    if shutil.which("git"):
        told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return int(told) if told.isdecimal() else OLDEST


def archive(folder: Path, output: Path) -> Path:
    """The archive of a folder: regular files only, as krew demands; a link becomes what it points at."""
    files = sorted((file for file in folder.rglob("*") if file.is_file()), key=lambda file: inside(file, folder))
    output.mkdir(parents=True, exist_ok=True)
    name = f"{NAME}-{target()}"
    if target().startswith("windows"):
        return zipped(files, folder, output / f"{name}.zip")
    return tarred(files, folder, output / f"{name}.tar.gz")


def tarred(files: Iterable[Path], folder: Path, path: Path) -> Path:
    """A tar.gz in which nothing tells when, where or by whom it was packed."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for file in files:
            content = file.read_bytes()
            entry = tarfile.TarInfo(inside(file, folder))
            entry.size, entry.mtime, entry.mode = len(content), timestamp(), mode(file)
            tar.addfile(entry, io.BytesIO(content))
    return path


def zipped(files: Iterable[Path], folder: Path, path: Path) -> Path:
    """A zip whose entries carry modes: krew gives files no others."""
    moment = time.gmtime(timestamp())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files:
            entry = zipfile.ZipInfo(inside(file, folder), moment)
            entry.create_system, entry.external_attr = 3, (stat.S_IFREG | mode(file)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, file.read_bytes())
    return path


def inside(file: Path, folder: Path) -> str:
    """The name of a file in the archive."""
    return f"{NAME}/{file.relative_to(folder).as_posix()}"


def mode(file: Path) -> int:
    """755 for what is run and for libraries, else 644."""
    runs = os.access(file, os.X_OK) or ".so" in file.suffixes or file.suffix in {".exe", ".dylib", ".cmd"}
    return 0o755 if runs else 0o644


def checksum(path: Path) -> str:
    """Write the checksum beside the archive, as `sha256sum -c` reads it; returns it."""
    told = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(f"{path.name}.sha256").write_text(f"{told}  {path.name}\n")
    return told


def bill_of_materials(folder: Path, path: Path) -> None:
    """Write what is inside the archive beside it, in CycloneDX."""
    whole = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": NAME, "version": metadata.version(NAME)}},
        "components": components(folder),
    }
    path.write_text(json.dumps(whole, indent=1) + "\n")


def glibc(folder: Path) -> str:
    """The oldest glibc that everything in the folder runs on, empty where that cannot be told."""
    if platform.system() != "Linux" or not shutil.which("objdump"):
        return ""
    wanted = {"0"}
    for file in [folder / NAME, *folder.rglob("*.so*")]:
        told = subprocess.run(["objdump", "-T", str(file)], capture_output=True, text=True, check=False).stdout
        wanted.update(re.findall(r"GLIBC_([0-9.]+)", told))
    return max(wanted, key=lambda version: [int(part) for part in version.split(".")])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="dscov-build-") as work:
        folder = bundle(Path(work))
        path = archive(folder, given.output)
        bill_of_materials(folder, given.output / f"{NAME}-{target()}.cdx.json")
        unpacked = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        needs = glibc(folder)
    print(f"{path}  {path.stat().st_size / 1e6:.1f} MB, unpacked {unpacked / 1e6:.1f} MB")
    print(f"sha256 {checksum(path)}" + (f", needs glibc {needs} or newer" if needs else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
