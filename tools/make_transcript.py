#!/usr/bin/env python3
"""Write docs/install.md: what a user sees from nothing to the first answer and back, run on a clean HOME.

usage: make_transcript.py        after `python3 dev.py build`, with kubectl and Go (which builds krew once)
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests"), str(ROOT / "src"), str(ROOT)]

import make_manifest  # noqa: E402
from cluster.local import build  # noqa: E402
from package.krew import Home, built, manifest  # noqa: E402

HEAD = """\
# From nothing to the first answer, with krew

Run by `tools/make_transcript.py` on a clean HOME, with krew and an index on this machine that holds one version before
this one; with the public index the commands are the same.
"""
SHOWN = 24


class Transcript:
    """Commands and what they said."""

    def __init__(self, home: Home) -> None:
        self.home, self.parts = home, [HEAD]
        self.spent = 0.0

    def say(self, text: str) -> None:
        """A line between the commands."""
        self.parts.append(f"{text}\n")

    def run(self, line: str, *, cut: bool = False, secret: dict[str, str] | None = None) -> None:
        """Run a command as a shell does and keep what it said; `cut` keeps the first lines only."""
        start = time.monotonic()
        done = self.home.run("sh", "-c", line)
        self.spent += time.monotonic() - start
        said = done.stdout.rstrip()
        for path, name in (secret or {}).items():
            line, said = line.replace(path, name), said.replace(path, name)
        said = said.replace(str(self.home.folder), "$HOME").replace(str(self.home.folder.parent), "")
        said = re.sub(r"http://127\.0\.0\.1:\d+", "http://index.example", said)
        lines = said.splitlines()
        if cut and len(lines) > SHOWN:
            lines = [*lines[:SHOWN], "..."]
        code = f"\n(exit code {done.returncode})" if done.returncode else ""
        body = "\n".join([f"$ {line}", *lines]) + code
        self.parts.append(f"```text\n{body}\n```\n")

    def text(self) -> str:
        """The page."""
        return "\n".join(self.parts)


def main() -> int:
    archive = built()
    if archive is None:
        print("error: dist/ holds no build of these sources: run `python3 dev.py build`", file=sys.stderr)
        return 1
    build.ensure_built((build.KREW,))
    version = make_manifest.version()
    shop = {str(ROOT / "examples" / "shop"): "examples/shop"}
    with tempfile.TemporaryDirectory(prefix="dscov-home-") as folder:
        home = Home(Path(folder), build.KREW.path)
        shutil.copyfile(archive, home.web / archive.name)
        with home.served() as base:
            home.publish(manifest("v0.0.9", archive, base=base))
            page = Transcript(home)
            page.run("kubectl krew update")
            before = home.files()
            start = page.spent
            page.run("kubectl krew install dscov")
            page.run(f"kubectl dscov diagnose -A --from {next(iter(shop))}", cut=True, secret=shop)
            took = page.spent - start
            page.run("kubectl dscov completion install")
            page.say("A new version comes out:")
            home.publish(manifest(version, archive, base=base))
            page.run("kubectl krew upgrade")
            page.run("kubectl dscov --version")
            page.say("And away with it:")
            page.run("kubectl dscov completion uninstall")
            page.run("kubectl krew uninstall dscov")
            left = home.files() - before
        page.say(f"From `krew install` to the end of the first answer: {took:.1f} s. Files left in HOME: {len(left)}.")
    (ROOT / "docs" / "install.md").write_text(page.text())
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
