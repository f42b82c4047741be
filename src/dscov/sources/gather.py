"""Objects of many files or answers, gathered by kind into one snapshot; what cannot be read is counted, never lost."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from mmap import mmap
from typing import Any

import msgspec

from dscov.kube.versions import NEWEST, KubernetesVersion, parse_version
from dscov.model.cluster import NotSeen, Snapshot, Source
from dscov.sources import decode, wire, wire_event

#: What a text may come in: read-only bytes, or a file mapped into memory.
Buffer = bytes | memoryview | mmap

#: The kinds that are read, with the API groups that mean them ("" is the core group).
GROUPS = {
    "Node": {""},
    "Pod": {""},
    "DaemonSet": {"apps", "extensions"},
    "ControllerRevision": {"apps"},
    "Event": {"", "events.k8s.io"},
    "Namespace": {""},
    "ResourceQuota": {""},
    "ServiceAccount": {""},
    "LimitRange": {""},
    "PriorityClass": {"scheduling.k8s.io"},
    "RuntimeClass": {"node.k8s.io"},
    "PodDisruptionBudget": {"policy"},
    "Lease": {"coordination.k8s.io"},
    "Scheduler": {"config.openshift.io"},
    "ClusterVersion": {"config.openshift.io"},
}

RESOURCES = {
    "Node": "nodes",
    "Pod": "pods",
    "DaemonSet": "daemonsets.apps",
    "ControllerRevision": "controllerrevisions.apps",
    "Event": "events",
    "Namespace": "namespaces",
    "ResourceQuota": "resourcequotas",
    "PriorityClass": "priorityclasses.scheduling.k8s.io",
    "RuntimeClass": "runtimeclasses.node.k8s.io",
    "Lease": "leases.coordination.k8s.io",
    "Scheduler": "schedulers.config.openshift.io",
}

#: What it means for the answer that a resource was not seen. Those of BLIND leave pairs undecided.
MEANING = {
    "Node": "only nodes that daemon pods are on are shown, and whether a pod is wanted there is not known",
    "Pod": "whether the pods that should be there are there is not known",
    "DaemonSet": "these DaemonSets are missing from the report",
    "ControllerRevision": "which pods are of an older revision is judged by the template generation alone",
    "Event": "reasons that only events tell (failed creation, failed scheduling) may be missing",
    "Namespace": "selectors that a namespace adds to pods are not known",
}
BLIND = frozenset({"Node", "Pod", "DaemonSet"})

_HEAD = re.compile(rb'\s*\{\s*"apiVersion":\s*"([^"\\]*)",\s*"kind":\s*"([^"\\]*)"')


class Head(wire.Wire):
    """The first facts of any document."""

    api_version: str | None = None
    kind: str | None = None
    items: list[msgspec.Raw] | None = None


class VersionInfo(wire.Wire):
    """`/version`, alone or as `kubectl version -o json` and support bundles wrap it."""

    git_version: str | None = None
    server_version: VersionInfo | None = None
    info: VersionInfo | None = None


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {
    shape: msgspec.json.Decoder(shape)
    for shape in (Head, list[msgspec.Raw], wire.Node, wire.Pod, wire.DaemonSet, wire.Revision, wire_event.Event)
}


class Gathering:
    """Objects on their way into a snapshot. The same object met twice counts once, as met last."""

    def __init__(self) -> None:
        self.found: dict[str, dict[tuple[str, str], Any]] = {kind: {} for kind in GROUPS}
        self.kinds_seen: set[str] = set()
        self.broken: dict[str, list[str]] = {}
        self.skipped: Counter[str] = Counter()
        self.version_text = ""
        self._labels: dict[tuple[tuple[str, str], ...], Any] = {}
        self._bound: defaultdict[str, dict[Any, Any]] = defaultdict(dict)

    def document(self, text: Buffer, place: str, *, kind: str = "") -> None:
        """Take one JSON document: an object, a list of the API, or a bare array of objects of `kind`.

        msgspec.DecodeError where it is no JSON.
        """
        if _opens_array(text):
            for raw in _DECODERS[list[msgspec.Raw]].decode(text):
                self._item(raw, place, kind=kind, group_version="")
            return
        head: Head = _DECODERS[Head].decode(text)
        listed = head.kind or kind
        if head.items is None or not listed.endswith("List"):
            self._one(text, place, kind=head.kind or kind, group_version=head.api_version or "")
            return
        member = listed.removesuffix("List")
        if _wanted(member, head.api_version or ""):
            self.kinds_seen.add(member)
        for raw in head.items:
            self._item(raw, place, kind=member, group_version=head.api_version or "")

    def _item(self, raw: msgspec.Raw, place: str, *, kind: str, group_version: str) -> None:
        """One member of a list: its own kind counts, else that of the list."""
        opening = _HEAD.match(raw)
        if opening:
            group_version, kind = opening[1].decode(errors="replace"), opening[2].decode(errors="replace")
        elif not kind:
            try:
                head = _DECODERS[Head].decode(raw)
            except msgspec.ValidationError:
                head = Head()
            group_version, kind = head.api_version or "", head.kind or ""
        if kind.endswith("List"):
            self.document(memoryview(raw), place)
            return
        self._one(raw, place, kind=kind, group_version=group_version)

    def _one(self, raw: Any, place: str, *, kind: str, group_version: str) -> None:
        if not _wanted(kind, group_version):
            self._version(raw, kind)
            return
        self.kinds_seen.add(kind)
        try:
            self._keep(kind, raw)
        except (msgspec.ValidationError, ValueError) as problem:
            self.broken.setdefault(kind, []).append(f"{place}: {problem}")

    def _keep(self, kind: str, raw: Any) -> None:
        into = self.found[kind]
        if kind == "Pod":
            shape: wire.Pod = _DECODERS[wire.Pod].decode(raw)
            self._pod(shape, raw)
            if shape.spec and shape.spec.node_name:
                self._bound[shape.spec.node_name][shape.metadata.namespace, shape.metadata.name] = raw
        elif kind == "DaemonSet":
            made = decode.daemonset(_DECODERS[wire.DaemonSet].decode(raw), msgspec.json.decode(raw))
            into[made.namespace, made.name] = made
        elif kind in decode.SHAPES:
            shape_of, convert = decode.SHAPES[kind]
            noun = convert(_DECODERS[shape_of].decode(raw))
            into[getattr(noun, "namespace", ""), noun.event_name if kind == "Event" else noun.name] = noun
        else:
            obj = msgspec.json.decode(raw, type=dict[str, Any])
            meta = obj.get("metadata")
            meta = meta if isinstance(meta, dict) else {}
            into[str(meta.get("namespace") or ""), str(meta.get("name") or "")] = obj

    def _pod(self, shape: wire.Pod, raw: Any = b"") -> None:
        """Keep a pod that a DaemonSet owns or might adopt."""
        owner = decode.controller(shape.metadata)
        if owner is None or owner.kind == "DaemonSet":
            pod = decode.pod(shape, self._labels, raw)
            self.found["Pod"][pod.namespace, pod.name] = pod

    def take(self, kind: str, shape: Any) -> None:
        """Take one object that was decoded already."""
        try:
            if kind == "Pod":
                self._pod(shape)
            else:
                node = decode.node(shape)
                self.found[kind]["", node.name] = node
        except msgspec.ValidationError as problem:
            self.broken.setdefault(kind, []).append(f"from the server: {problem}")

    def absorb(self, other: Gathering, kind: str, *, forget: Callable[[Any], bool], node: str = "") -> None:
        """Take all of `other`, a newer reading of `kind`, after dropping the objects of that kind to `forget`.

        With `node` it holds every pod that is bound to that node.
        """
        kept = self.found[kind]
        self.found[kind] = {key: noun for key, noun in kept.items() if not forget(noun)} | other.found[kind]
        self.kinds_seen |= other.kinds_seen
        self.skipped += other.skipped
        self.broken |= other.broken
        if node:
            self._bound[node] = other._bound[node]

    def _version(self, raw: Any, kind: str) -> None:
        """An object of no use; but one without a kind may tell the server's version."""
        self.skipped[f"{kind} objects" if kind else "objects without a kind"] += 1
        if kind:
            return
        try:
            info = msgspec.json.decode(raw, type=VersionInfo)
        except msgspec.ValidationError:
            return
        for part in (info.server_version, info.info, info):
            if part and part.git_version:
                self.version_text = part.git_version
                return

    def snapshot(
        self, source: Source, *, not_seen: Iterable[NotSeen] = (), version: str = "", scope: str = ""
    ) -> Snapshot:
        """The snapshot of all that was taken. `version` overrules what the objects tell of the server's version."""
        others = {kind: tuple(self.found[kind].values()) for kind in GROUPS if kind not in _NOUNS}
        text = version or self.version_text or source.version
        return Snapshot(
            source=msgspec.structs.replace(source, version=text or self._newest_kubelet()),
            nodes=tuple(sorted(self.found["Node"].values(), key=lambda node: node.name)),
            daemonsets=tuple(sorted(self.found["DaemonSet"].values(), key=lambda ds: (ds.namespace, ds.name))),
            pods=tuple(self.found["Pod"].values()),
            revisions=tuple(self.found["ControllerRevision"].values()),
            events=tuple(self.found["Event"].values()),
            others=others,
            bound={node: tuple(raws.values()) for node, raws in self._bound.items()},
            not_seen=(*not_seen, *self._malformed()),
            version=read_version(text or self._newest_kubelet()),
            scope=scope,
            skipped=tuple(self.skipped.most_common()),
        )

    def _newest_kubelet(self) -> str:
        """The version of the newest kubelet, which is never newer than its server; empty where none is known."""
        texts = {node.info.kubelet for node in self.found["Node"].values()} - {""}
        known = [(version, text) for text in texts if (version := read_version(text)) != NEWEST]
        return max(known)[1] if known else ""

    def _malformed(self) -> Iterator[NotSeen]:
        bound = any(pod.node_name for pod in self.found["Pod"].values())
        if bound and "Node" in self.kinds_seen and not self.found["Node"] and "Node" not in self.broken:
            yield NotSeen("nodes of bound pods", "read", "Empty", "pods are bound, yet the list of nodes is empty")
        for kind, problems in self.broken.items():
            count = f"{len(problems)} object{'s' if len(problems) > 1 else ''} could not be read; {problems[0]}"
            yield not_seen(kind, verb="read", reason="Malformed", detail=count)

    def first_problem(self) -> str:
        """Place and problem of the first object that could not be read, or empty."""
        return next((problems[0] for problems in self.broken.values()), "")


_NOUNS = frozenset({"Node", "Pod", "DaemonSet", "ControllerRevision", "Event"})


def not_seen(kind: str, *, verb: str, reason: str, detail: str = "") -> NotSeen:
    """A kind that could not be looked at, with what that means for the answer."""
    meaning = MEANING.get(kind, "some reasons may be missing")
    return NotSeen(RESOURCES.get(kind, kind.lower()), verb, reason, meaning, kind in BLIND, detail)


def read_version(text: str) -> KubernetesVersion:
    """The version in a text of the server; the newest rules where there is none."""
    try:
        return parse_version(text)
    except ValueError:
        return NEWEST


def _wanted(kind: str, group_version: str) -> bool:
    groups = GROUPS.get(kind)
    if groups is None:
        return False
    group = group_version.rpartition("/")[0]
    return group in groups or not group_version


def _opens_array(text: Buffer) -> bool:
    return bytes(text[:64]).lstrip()[:1] == b"["
