"""The licences of everything that is in the built program beside our own code."""

from __future__ import annotations

import sys
import sysconfig
from importlib import metadata
from pathlib import Path

#: What Python itself is linked with on the machines that build; the texts come with Python's own licence file.
LIBRARIES = {
    "libcrypto": ("OpenSSL", "Apache-2.0", "https://openssl-library.org/source/license/"),
    "libssl": ("OpenSSL", "Apache-2.0", "https://openssl-library.org/source/license/"),
    "libffi": ("libffi", "MIT", "https://github.com/libffi/libffi/blob/master/LICENSE"),
    "libz": ("zlib", "Zlib", "https://zlib.net/zlib_license.html"),
    "libbz2": ("bzip2", "bzip2-1.0.6", "https://sourceware.org/bzip2/"),
    "liblzma": ("XZ Utils", "0BSD", "https://tukaani.org/xz/"),
    "libuuid": ("libuuid of util-linux", "BSD-3-Clause", "https://github.com/util-linux/util-linux"),
    "libexpat": ("Expat", "MIT", "https://libexpat.github.io/"),
    "libmpdec": ("libmpdec", "BSD-2-Clause", "https://www.bytereef.org/mpdecimal/"),
    "libstdc++": ("libstdc++ of GCC", "GPL-3.0 with GCC Runtime Library Exception", "https://gcc.gnu.org/"),
    "libgcc_s": ("libgcc of GCC", "GPL-3.0 with GCC Runtime Library Exception", "https://gcc.gnu.org/"),
}
BOOTLOADER = """PyInstaller's bootloader, which starts the program: GPL-2.0-or-later with an exception that allows
programs bundled with it to be distributed under any licence. https://pyinstaller.org/en/stable/license.html
"""
RULE = "=" * 79


def third_party(folder: Path) -> str:
    """Names, versions and licence texts of the packages and libraries in a built folder."""
    parts = [f"What kubectl-dscov is bundled with, and under which licences.\n\n{BOOTLOADER}"]
    parts += [_python(), *(_package(name) for name in packages(folder)), *_libraries(folder)]
    return f"\n{RULE}\n".join(parts)


def packages(folder: Path) -> list[str]:
    """The distributions of which the folder holds modules, by name, ours left out."""
    there = {entry.name.removesuffix(".pyc") for entry in (folder / "_internal").iterdir()}
    homes = metadata.packages_distributions()
    found = {name for module in there for name in homes.get(module, [])}
    return sorted(found - {"kubectl-dscov", "setuptools", "pip"}, key=str.lower)


def components(folder: Path) -> list[dict[str, object]]:
    """The same as components of a CycloneDX bill of materials: Python, the packages, the libraries."""
    version = ".".join(map(str, sys.version_info[:3]))
    found: list[dict[str, object]] = [{"type": "platform", "name": "cpython", "version": version}]
    for name in packages(folder):
        told = metadata.distribution(name)
        purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{told.version}"
        found.append({"type": "library", "name": name, "version": told.version, "purl": purl, "bom-ref": purl})
    there = {file.name.partition(".so")[0].partition(".")[0] for file in (folder / "_internal").glob("lib*")}
    titles = sorted({LIBRARIES[name][:2] for name in there if name in LIBRARIES})
    for title, licence in titles:
        found.append({"type": "library", "name": title, "licenses": [{"license": {"name": licence}}]})
    return found


def _python() -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    for place in (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix)):
        for name in ("LICENSE.txt", "LICENSE"):
            if (place / name).exists():
                return f"Python {version}\n\n{(place / name).read_text(encoding='utf-8')}"
    return f"Python {version}: PSF-2.0, https://docs.python.org/3/license.html\n"


def _package(name: str) -> str:
    """One distribution with the licence texts that it ships."""
    told = metadata.distribution(name)
    about = told.metadata
    licence = about.get("License-Expression") or about.get("License") or _classified(about.get_all("Classifier") or [])
    texts = [
        Path(str(told.locate_file(file))).read_text(encoding="utf-8", errors="replace")
        for file in told.files or []
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE")) and ".dist-info" in str(file)
    ]
    head = f"{about['Name']} {told.version}: {licence.splitlines()[0] if licence else 'see its home page'}\n"
    return (
        "\n".join([head, *texts]) if texts else head + (about.get("Home-page") or about.get("Project-URL") or "") + "\n"
    )


def _classified(classifiers: list[str]) -> str:
    return ", ".join(line.rpartition(":: ")[2] for line in classifiers if line.startswith("License"))


def _libraries(folder: Path) -> list[str]:
    """The shared libraries in the folder that are no part of a package."""
    there = {file.name.partition(".so")[0].partition(".")[0] for file in (folder / "_internal").glob("lib*")}
    lines = {f"{title}: {licence}, {home}" for name, (title, licence, home) in LIBRARIES.items() if name in there}
    return ["\n".join(["Libraries", "", *sorted(lines), ""])] if lines else []
