"""Kubeconfig files for the users that tests play."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from cluster.local.certificates import Pair


def by_certificate(pair: Pair) -> dict[str, Any]:
    """The `user` of a kubeconfig that shows a client certificate."""
    return {"client-certificate-data": _inline(pair.certificate), "client-key-data": _inline(pair.key)}


def by_token(token: str) -> dict[str, Any]:
    """The `user` of a kubeconfig that shows a bearer token."""
    return {"token": token}


def cluster_at(server: str, authority: Path) -> dict[str, Any]:
    """The `cluster` of a kubeconfig: the server's URL and the authority that signed its certificate."""
    return {"server": server, "certificate-authority-data": _inline(authority)}


def write_kubeconfig(path: Path, *, cluster: dict[str, Any], user: dict[str, Any], name: str = "dscov") -> Path:
    """Write a kubeconfig of one context called `name`; readable by its owner alone. Returns `path`."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
    }
    path.touch(mode=0o600)
    path.write_text(json.dumps(config, indent=2) + "\n")
    return path


def _inline(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
