"""Clusters that are not our own processes: one made with kind, or the one a kubeconfig names."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cluster.api import Api
from cluster.handle import Cluster
from cluster.local.processes import ClusterError

KIND_CONFIG = Path(__file__).with_name("kind.yaml")
KIND_SECONDS = 900


@contextlib.contextmanager
def kind_cluster(folder: Path) -> Iterator[Cluster]:
    """A new kind cluster with a name and a kubeconfig of its own, deleted at the end; of the image DSCOV_KIND_IMAGE."""
    if shutil.which("kind") is None:
        msg = "--cluster kind needs the `kind` program on the PATH, and Docker (https://kind.sigs.k8s.io)"
        raise ClusterError(msg)
    name, kubeconfig = f"dscov-{secrets.token_hex(4)}", folder / "kind.kubeconfig"
    own = ["--name", name, "--kubeconfig", str(kubeconfig)]
    try:
        image = os.environ.get("DSCOV_KIND_IMAGE")
        own_image = ["--image", image] if image else []
        _run("kind", "create", "cluster", *own, *own_image, "--config", str(KIND_CONFIG), "--wait", "180s")
        with _connected("kind", kubeconfig, folder) as cluster:
            yield cluster
    finally:
        _run("kind", "delete", "cluster", *own)


@contextlib.contextmanager
def current_context(folder: Path, *, yes: bool) -> Iterator[Cluster]:
    """The cluster of the current context, after asking; what the tests make there is removed at the end.

    The context is copied first: should someone switch it meanwhile, the tests stay where they were allowed to be.
    """
    view = json.loads(_run("kubectl", "config", "view", "--raw", "--minify", "--flatten", "-o", "json"))
    if not view.get("contexts"):
        msg = "--cluster kubeconfig: the kubeconfig names no current context"
        raise ClusterError(msg)
    context, server = view["current-context"], view["clusters"][0]["cluster"]["server"]
    if not yes and not _agreed(f"Create namespaces, roles and pods in context {context!r} ({server})?"):
        raise ClusterError(f"--cluster kubeconfig: not allowed to use {context!r} (answer yes, or give --cluster-yes)")
    kubeconfig = folder / "current.kubeconfig"
    kubeconfig.touch(mode=0o600)
    kubeconfig.write_text(json.dumps(view))
    with _connected("kubeconfig", kubeconfig, folder) as cluster:
        try:
            yield cluster
        finally:
            cluster.clean_up()


@contextlib.contextmanager
def _connected(mode: str, kubeconfig: Path, folder: Path) -> Iterator[Cluster]:
    api = Api(kubeconfig)
    try:
        yield Cluster(mode, kubeconfig, api, folder)
    finally:
        api.close()


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        return False
    print(f"\n{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _run(*command: str) -> str:
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=KIND_SECONDS, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise ClusterError(f"{command[0]} is not on the PATH") from error
    if done.returncode != 0:
        raise ClusterError(f"{' '.join(command[:3])} failed with code {done.returncode}\n{done.stderr.strip()}")
    return done.stdout
