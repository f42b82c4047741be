"""Looking up objects of other people's kinds: found, or a few words why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from dscov.errors import BadAccess, CouldNotLook
from dscov.kube.objects import Object, listed, text
from dscov.patterns import pattern
from dscov.sources.access.transport import Query, Transport

#: At most so many objects of a list are looked at.
MOST = 500
_NAME = pattern(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.ASCII)
_VERSION = pattern(r"v[0-9][a-z0-9]*", re.ASCII)


class Seen(NamedTuple):
    """The object that was asked for, or an empty one and the `problem`; `absent` where the server says it is not there."""

    obj: Object
    problem: str = ""
    absent: bool = False


class Resource(NamedTuple):
    """A kind as the server serves it: `group` is never that of the core."""

    group: str
    version: str
    plural: str
    namespaced: bool = True

    @property
    def argument(self) -> str:
        """The word that names it, and this version of it, to kubectl."""
        return f"{self.plural}.{self.version}.{self.group}"


class Asker:
    """GETs through one transport. Nothing is raised but BadAccess."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, path: str, query: Query = ()) -> Seen:
        """What is at a path that holds nothing unquoted."""
        try:
            answer = self._transport.get(path, query=query)
        except BadAccess:
            raise
        except CouldNotLook as problem:
            return Seen({}, f"could not be read ({problem})")
        obj = _decoded(answer.body)
        if answer.status == 200:
            return Seen(obj) if obj else Seen({}, "could not be read (the answer is no object)")
        if answer.status == 404:
            return Seen({}, "is not in this cluster", absent=True)
        said = text(obj, "message") or text(obj, "reason") or f"HTTP {answer.status}"
        return Seen({}, f"{'may' if answer.status == 403 else 'could'} not be read ({said})")

    def named(self, resource: Resource, namespace: str, name: str) -> Seen:
        """One object. Names that no server stores are not asked for: they would lead elsewhere."""
        words = [resource.group, resource.plural, name, *([namespace] if resource.namespaced else [])]
        if not all(map(_NAME.fullmatch, words)) or not _VERSION.fullmatch(resource.version):
            return Seen({}, "has a name that no server stores")
        where = f"namespaces/{quote(namespace, safe='')}/" if resource.namespaced else ""
        return self.get(f"/apis/{resource.group}/{resource.version}/{where}{resource.plural}/{quote(name, safe='')}")

    def first(self, group: str, versions: Sequence[str], plural: str, *, of: tuple[str, str]) -> tuple[Seen, Resource]:
        """One object (namespace, name), in the first of the versions that has it."""
        seen, resource = Seen({}, "is not in this cluster", absent=True), Resource(group, versions[0], plural)
        for version in versions:
            resource = Resource(group, version, plural)
            seen = self.named(resource, *of)
            if not seen.absent:
                break
        return seen, resource

    def resource(self, group_version: str, kind: str) -> tuple[Resource | None, str]:
        """How the server serves a kind, or why that is not known."""
        group, _, version = group_version.partition("/")
        if not _NAME.fullmatch(group) or not _VERSION.fullmatch(version):
            return None, "belongs to the core of Kubernetes or to no group that a server serves"
        seen = self.get(f"/apis/{group}/{version}")
        for one in listed(seen.obj, "resources"):
            if one.get("kind") == kind and _NAME.fullmatch(text(one, "name")):
                return Resource(group, version, text(one, "name"), one.get("namespaced") is True), ""
        return None, seen.problem or "is not served in this version"


def is_name(word: str) -> bool:
    """Whether a server stores objects of this name."""
    return bool(_NAME.fullmatch(word))


def _decoded(body: bytes) -> Object:
    try:
        found: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return found
