#!/usr/bin/env python3
"""Make the krew manifest of this version out of krew-manifest/dscov.yaml and the archives that were built.

usage: make_manifest.py [--archives DIR] [--tag TAG] [--all] [--output FILE]

Renders the template as the release bot does, with the checksums that lie beside the archives in DIR (default dist/). A
platform whose archive is not there gets sixty-four zeros, which krew refuses to install; with --all that is an error.
The result goes to DIR/plugin.yaml, and nowhere else unless FILE is given: `--output plugin.yaml` in a release.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "krew-manifest" / "dscov.yaml"
NOT_BUILT = "0" * 64
CALL = re.compile(r'^(?P<indent> *)\{\{ addURIAndSha "(?P<uri>[^"]+)" \.TagName \| indent \d+ \}\}$', re.MULTILINE)
HEAD = """\
# The krew manifest of {tag}, made by tools/make_manifest.py out of krew-manifest/dscov.yaml. To install what was built:
#   kubectl krew install --manifest=dist/plugin.yaml --archive=dist/kubectl-dscov-linux-amd64.tar.gz
# Sixty-four zeros stand for an archive that was not built where this was made; krew refuses to install it.
"""


def rendered(template: str, tag: str, checksum: Callable[[str], str]) -> str:
    """The template for a tag; `checksum` is asked with the address of each archive."""

    def called(found: re.Match[str]) -> str:
        uri = found["uri"].replace("{{ .TagName }}", tag)
        return f'{found["indent"]}uri: {uri}\n{found["indent"]}sha256: "{checksum(uri)}"'

    return CALL.sub(called, template).replace("{{ .TagName }}", tag)


def manifest(tag: str, archives: Path) -> str:
    """The manifest with the checksums of the archives in a folder, under a comment of its own."""

    def checksum(uri: str) -> str:
        beside = archives / f"{uri.rpartition('/')[2]}.sha256"
        return beside.read_text().split()[0] if beside.exists() else NOT_BUILT

    body = re.sub(r"\A(#.*\n)+", "", TEMPLATE.read_text(encoding="utf-8"))
    return HEAD.format(tag=tag) + rendered(body, tag, checksum)


def version() -> str:
    """The version that the program tells, as a tag."""
    source = (ROOT / "src" / "dscov" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    assert found
    return f"v{found[1]}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archives", type=Path, default=ROOT / "dist")
    parser.add_argument("--tag", default=version())
    parser.add_argument("--all", action="store_true", help="refuse if an archive is missing")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(arguments)
    if given.tag != version():
        print(f"error: the tag is {given.tag}, the program is {version()}", file=sys.stderr)
        return 1
    text = manifest(given.tag, given.archives)
    if given.all and NOT_BUILT in text:
        print(f"error: not every platform's checksum is in {given.archives}", file=sys.stderr)
        return 1
    path = given.output or given.archives / "plugin.yaml"
    path.write_text(text, encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
