"""A home of its own with krew in it: kubectl, the plugin manager built from its Go module, an index, a web server.

Everything is on this machine: the index is a git repository in a folder, archives come over HTTP from loopback.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import build_binary
import make_manifest

ROOT = Path(__file__).parent.parent.parent


SECONDS = 300


class Home:
    """An empty HOME with kubectl and krew on the PATH, and nothing else of this machine's user."""

    def __init__(self, folder: Path, krew: Path) -> None:
        self.folder, self.tools = folder / "home", folder / "tools"
        for made in (self.folder, self.tools, folder / "index" / "plugins", folder / "web"):
            made.mkdir(parents=True)
        self.index, self.web = folder / "index", folder / "web"
        (self.tools / "kubectl-krew").symlink_to(krew)
        (self.tools / "kubectl").symlink_to(shutil.which("kubectl") or "kubectl")
        self.environment = {
            "HOME": str(self.folder),
            "PATH": os.pathsep.join([str(self.folder / ".krew" / "bin"), str(self.tools), "/usr/bin", "/bin"]),
            "KREW_DEFAULT_INDEX_URI": f"file://{self.index}",
            "KREW_NO_UPGRADE_CHECK": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command in this home, its two outputs as one text."""
        return subprocess.run(
            command,
            cwd=folder or self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def files(self) -> set[str]:
        """What is in the home, without what krew keeps for itself: its index and a receipt of no plugin."""
        found = {file.relative_to(self.folder).as_posix() for file in self.folder.rglob("*") if not file.is_dir()}
        return {name for name in found if not name.startswith(".krew/index/")}

    def publish(self, manifest: str) -> None:
        """Put a manifest into the index, as a merged pull request does."""
        (self.index / "plugins" / "dscov.yaml").write_text(manifest)
        git = ("git", "-c", "user.name=index", "-c", "user.email=index@example.com")
        for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--allow-empty", "-m", "dscov")):
            done = self.run(*git, *arguments, folder=self.index)
            assert done.returncode == 0, done.stdout

    @contextmanager
    def served(self) -> Iterator[str]:
        """The folder `web` over HTTP."""

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

        handler = functools.partial(Quiet, directory=str(self.web))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()


def manifest(tag: str, archive: Path, *, base: str = "") -> str:
    """The manifest of a tag in which this archive's platform has its checksum, and its address below `base`."""
    told = hashlib.sha256(archive.read_bytes()).hexdigest()

    def checksum(uri: str) -> str:
        return told if uri.endswith(archive.name) else make_manifest.NOT_BUILT

    text = make_manifest.rendered(make_manifest.TEMPLATE.read_text(), tag, checksum)
    official = f"https://github.com/dscov/kubectl-dscov/releases/download/{tag}/{archive.name}"
    assert official in text
    return text.replace(official, f"{base}/{archive.name}") if base else text


def built() -> Path | None:
    """The archive for this machine that `dev.py build` put into dist/, if it is of the sources as they are."""
    found = ROOT / "dist" / f"kubectl-dscov-{build_binary.target()}.tar.gz"
    sources = [file for room in ("src", "kubectl_dscov", "tools/binary") for file in (ROOT / room).rglob("*.*")]
    newest = max(file.stat().st_mtime for file in sources if file.suffix in {".py", ".json", ".spec", ".sh"})
    return found if found.exists() and found.stat().st_mtime >= newest else None
