"""One local cluster for as long as a `with` block lasts, in a folder that goes with it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from cluster.api import Api, wait_until
from cluster.handle import Cluster
from cluster.local import build
from cluster.local.plane import API, MANAGER, Settings, prepare, running

OWNER = "owner.lock"


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """An empty folder in the cache, removed at the end; also removes those whose owners died without an end.

    `DSCOV_KEEP_RUN=1` leaves the folder and its logs where they are until the next run.
    """
    runs = build.cache_folder() / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    with build.locked(runs / "sweep.lock"):
        sweep(runs)
        folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=runs))
        owner = (folder / OWNER).open("w")
        fcntl.flock(owner, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        if os.environ.get("DSCOV_KEEP_RUN") != "1":
            shutil.rmtree(folder, ignore_errors=True)
        owner.close()


def sweep(runs: Path) -> list[Path]:
    """Remove the folders that no living process holds; returns them."""
    return [folder for folder in sorted(runs.iterdir()) if folder.is_dir() and _removed(folder)]


def _removed(folder: Path) -> bool:
    with (folder / OWNER).open("a") as owner:
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        return True


@contextlib.contextmanager
def local_cluster(
    settings: Settings | None = None, *, etcd_data: Path | None = None, report: TextIO | None = None
) -> Iterator[Cluster]:
    """A running control plane, empty or started from a copy of kept etcd data; always stopped at the end."""
    build.ensure_built(report=report)
    with run_folder() as folder:
        plane = prepare(folder, settings or Settings())
        if etcd_data is not None:
            shutil.copytree(etcd_data, plane.etcd_data)
        with running(plane):
            api = Api(plane.kubeconfig)
            cluster = Cluster("local", plane.kubeconfig, api, folder, plane)
            try:
                if {API, MANAGER} <= plane.processes.keys():
                    wait_until(
                        lambda: cluster.exists("ServiceAccount", "default", "default"), 60, "a default service account"
                    )
                yield cluster
            finally:
                api.close()
