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


def write_kubeconfig(path: Path, *, server: str, authority: bytes, user: dict[str, Any], name: str = "dscov") -> Path:
    """Write a kubeconfig of one context called `name`; readable by its owner alone. Returns `path`."""
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority).decode()}
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
