"""Commands and YAML for people, made of names that a cluster gave."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from dscov.kube.objects import Object, text
from dscov.origin.asking import Resource, is_name
from dscov.patches.forms import yaml_lines


def command(*words: str) -> tuple[str, ...]:
    """One command for a shell; none where a word holds what no terminal shows as it is."""
    return (shlex.join(words),) if all(word.isprintable() for word in words) else ()


def patching(resource: Resource, namespace: str, name: str, patch: Mapping[str, Any]) -> tuple[str, ...]:
    """The command that lays a merge patch over an object."""
    if not is_name(name) or (resource.namespaced and not is_name(namespace)):
        return ()
    where = ("-n", namespace) if resource.namespaced else ()
    body = json.dumps(patch, separators=(",", ":"))
    return command("kubectl", "patch", resource.argument, name, *where, "--type=merge", "-p", body)


def document(data: Mapping[str, Any]) -> str:
    """YAML with a final newline."""
    return "\n".join(yaml_lines(dict(data))) + "\n"


def head(api_version: str, kind: str, obj: Object) -> dict[str, Any]:
    """What names an object in a manifest."""
    meta = {key: text(obj, "metadata", key) for key in ("name", "namespace")}
    named = {key: value for key, value in meta.items() if value}
    return {"apiVersion": api_version, "kind": kind, "metadata": named}


def folder(path: str) -> str:
    """A folder of a repository as an argument, relative to its root; FOLDER where it could be taken for another."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts or not all(part.isprintable() for part in parts):
        return "FOLDER"
    shown = "/".join(parts) or "."
    return f"./{shown}" if shown.startswith("-") else shown


def address(url: str) -> str:
    """A repository's address without the user and password that it may hold."""
    if "://" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return re.sub(r"//[^/]*@", "//", url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def listing(words: Sequence[str], most: int = 5) -> str:
    """Words with commas, the first few of them."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def dotted(way: Sequence[str]) -> str:
    """A path of keys as people write it, dots inside of keys marked."""
    return ".".join(step.replace(".", "\\.") for step in way)
