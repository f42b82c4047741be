"""Builds the control plane's programs once, into the user's cache folder, from the modules under `controlplane/`."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from cluster.local.processes import ClusterError, Process

MODULES = Path(__file__).parents[1] / "controlplane"
LINK = "-s -w"
BUILD_SECONDS = 60 * 60
REPORT_SECONDS = 15


@dataclass(frozen=True, kw_only=True)
class Program:
    """One program: the module folder that pins it, the package to build, the module whose version it carries."""

    name: str
    folder: str
    package: str
    module: str

    @property
    def version(self) -> str:
        """The pinned version, as go.mod spells it: `v1.37.2`."""
        text = (MODULES / self.folder / "go.mod").read_text()
        found = re.search(rf"^\s*(?:require\s+)?{re.escape(self.module)} (v\S+)", text, re.MULTILINE)
        if found is None:
            msg = f"{MODULES / self.folder / 'go.mod'} does not require {self.module}"
            raise ClusterError(msg)
        return found[1]

    @property
    def link_flags(self) -> str:
        """Flags for the linker; Kubernetes learns its version from them and from nowhere else."""
        if self.folder != "kube":
            return LINK
        major, minor, _ = self.version.removeprefix("v").split(".", 2)
        stamp = {"gitVersion": self.version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
        return " ".join([LINK, *(f"-X k8s.io/component-base/version.{key}={value}" for key, value in stamp.items())])

    @property
    def key(self) -> str:
        """Name of the cache folder: module, version, and a digest of everything that decides the outcome."""
        digest = hashlib.sha256()
        for name in ("go.mod", "go.sum"):
            digest.update((MODULES / self.folder / name).read_bytes())
        digest.update("\n".join([self.link_flags, *target()]).encode())
        return f"{self.folder}-{self.version}-{digest.hexdigest()[:12]}"

    @property
    def path(self) -> Path:
        """Where the built program lies, built or not."""
        return cache_folder() / "controlplane" / self.key / self.name


def _kube(name: str) -> Program:
    return Program(name=name, folder="kube", package=f"k8s.io/kubernetes/cmd/{name}", module="k8s.io/kubernetes")


ETCD = Program(name="etcd", folder="etcd", package="go.etcd.io/etcd/server/v3", module="go.etcd.io/etcd/server/v3")
KWOK = Program(name="kwok", folder="kwok", package="sigs.k8s.io/kwok/cmd/kwok", module="sigs.k8s.io/kwok")
API_SERVER = _kube("kube-apiserver")
CONTROLLER_MANAGER = _kube("kube-controller-manager")
SCHEDULER = _kube("kube-scheduler")
KREW = Program(name="krew", folder="krew", package="sigs.k8s.io/krew/cmd/krew", module="sigs.k8s.io/krew")
CONTROL_PLANE = (ETCD, KWOK, API_SERVER, CONTROLLER_MANAGER, SCHEDULER)


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME` or `~/.cache`, and in it the folder of these tests."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kubectl-dscov"


def target() -> tuple[str, str]:
    """GOOS and GOARCH of the Go on the PATH."""
    if shutil.which("go") is None:
        msg = "--cluster local builds Kubernetes with Go, and there is no `go` on the PATH (https://go.dev/dl)"
        raise ClusterError(msg)
    answer = subprocess.run(["go", "env", "GOOS", "GOARCH"], check=True, capture_output=True, text=True, timeout=60)
    system, architecture = answer.stdout.split()
    return system, architecture


@contextlib.contextmanager
def locked(path: Path, *, report: TextIO | None = None) -> Iterator[None]:
    """Hold `path` alone among all processes; the system lets go of it should this process die."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another run that holds {path}", file=report or sys.stderr, flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def ensure_built(programs: tuple[Program, ...] = CONTROL_PLANE, *, report: TextIO | None = None) -> None:
    """Build what is missing, one program at a time; progress goes to `report` (standard error)."""
    for program in programs:
        if program.path.exists():
            continue
        with locked(program.path.with_suffix(".lock"), report=report):
            if not program.path.exists():
                _build(program, report or sys.stderr)


def _build(program: Program, report: TextIO) -> None:
    unfinished = program.path.with_suffix(".unfinished")
    log = program.path.with_suffix(".log")
    log.unlink(missing_ok=True)
    go = Process(
        name=f"go build of {program.name}",
        command=["go", "build", "-v", "-ldflags", program.link_flags, "-o", str(unfinished), program.package],
        log=log,
        folder=MODULES / program.folder,
        environment=os.environ | {"GOWORK": "off"},
    )
    print(f"building {program.name} {program.version}, once for this machine", file=report, flush=True)
    started = time.monotonic()
    go.start()
    try:
        _follow(go, report, started)
    finally:
        go.stop()
    if go.code != 0:
        raise ClusterError(f"{go.name} failed with code {go.code}\n{go.tail()}")
    unfinished.replace(program.path)
    print(f"built {program.path} in {time.monotonic() - started:.0f} s", file=report, flush=True)


def _follow(go: Process, report: TextIO, started: float) -> None:
    """Wait for the compiler and say now and then how far it is: with -v it logs a line for each package."""
    while (passed := time.monotonic() - started) < BUILD_SECONDS:
        with contextlib.suppress(subprocess.TimeoutExpired):
            go.wait(REPORT_SECONDS)
            return
        packages = len(go.log.read_text(errors="replace").splitlines())
        print(f"  {go.name}: {packages} packages, {passed + REPORT_SECONDS:.0f} s", file=report, flush=True)


def module_folder(program: Program) -> Path:
    """The pinned module's own folder in Go's module cache (kwok's stages lie there)."""
    answer = subprocess.run(
        ["go", "list", "-m", "-f", "{{.Dir}}", program.module],
        cwd=MODULES / program.folder,
        env=os.environ | {"GOWORK": "off"},
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    folder = answer.stdout.strip()
    if not folder:
        subprocess.run(["go", "mod", "download"], cwd=MODULES / program.folder, check=True, timeout=600)
        return module_folder(program)
    return Path(folder)
