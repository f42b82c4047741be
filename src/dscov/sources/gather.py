"""Objects of many files or answers, gathered by kind into one snapshot; what cannot be read is counted, never lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from mmap import mmap
from typing import Any

import msgspec

from dscov.kube.objects import part, text
from dscov.kube.versions import NEWEST, KubernetesVersion, parse_version
from dscov.model.cluster import DaemonSet, NotSeen, Snapshot, Source
from dscov.patterns import pattern
from dscov.sources import decode, wire, wire_event
from dscov.sources.kinds import GROUPS, is_read, not_seen

#: What a text may come in: read-only bytes, or a file mapped into memory.
Buffer = bytes | memoryview | mmap

_HEAD = pattern(rb'\s*\{\s*"apiVersion":\s*"([^"\\]*)",\s*"kind":\s*"([^"\\]*)"')


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {
    shape: msgspec.json.Decoder(shape)
    for shape in (wire.Head, list[msgspec.Raw], wire.Node, wire.Pod, wire.DaemonSet, wire.Revision, wire_event.Event)
}


class Gathering:
    """Objects on their way into a snapshot. Of an object met twice the newer version counts, of equal ones the last."""

    def __init__(self) -> None:
        self.found: dict[str, dict[tuple[str, str], Any]] = {kind: {} for kind in GROUPS}
        self.kinds_seen: set[str] = set()
        self.broken: dict[str, list[str]] = {}
        self.skipped: Counter[str] = Counter()
        self.version_text = ""
        self._labels: dict[tuple[tuple[str, str], ...], Any] = {}
        #: The node of each pod that is bound to one, and the pod as JSON.
        self._bound: dict[tuple[str, str], tuple[str, Any]] = {}
        #: Nodes of which every pod was read, although there may be none.
        self._whole: set[str] = set()
        #: How new each object is, by kind and key; and which were met in several versions.
        self._ranks: defaultdict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        self._superseded: dict[str, None] = {}
        #: What owner references tell: the uid of a DaemonSet by its key; whether any lacks it.
        self._uids: dict[str, str] = {}
        self._by_name = False

    def document(self, text: Buffer, place: str, *, kind: str = "") -> None:
        """Take one JSON document: an object, a list of the API, or a bare array of objects of `kind`.

        msgspec.DecodeError where it is no JSON.
        """
        if _opens_array(text):
            for raw in _DECODERS[list[msgspec.Raw]].decode(text):
                self._item(raw, place, kind=kind, group_version="")
            return
        head: wire.Head = _DECODERS[wire.Head].decode(text)
        listed = head.kind or kind
        if head.items is None or not listed.endswith("List"):
            self._one(text, place, kind=head.kind or kind, group_version=head.api_version or "")
            return
        member = listed.removesuffix("List")
        if is_read(member, head.api_version or ""):
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
                head = _DECODERS[wire.Head].decode(raw)
            except msgspec.ValidationError:
                head = wire.Head()
            group_version, kind = head.api_version or "", head.kind or ""
        if kind.endswith("List"):
            self.document(memoryview(raw), place)
            return
        self._one(raw, place, kind=kind, group_version=group_version)

    def _one(self, raw: Any, place: str, *, kind: str, group_version: str) -> None:
        if not is_read(kind, group_version):
            self._version(raw, kind)
            return
        self.kinds_seen.add(kind)
        try:
            self._keep(kind, raw)
        except (msgspec.ValidationError, ValueError) as problem:
            self.broken.setdefault(kind, []).append(f"{place}: {problem}")

    def _keep(self, kind: str, raw: Any) -> None:
        if kind == "Pod":
            shape: wire.Pod = _DECODERS[wire.Pod].decode(raw)
            spec, key = shape.spec or wire.PodSpec(), (shape.metadata.namespace or "default", shape.metadata.name or "")
            if self._is_newest(kind, key, shape.metadata):
                self._pod(shape, raw)
                self._bound.pop(key, None)
                if spec.node_name:
                    self._bound[key] = spec.node_name, raw
        elif kind == "DaemonSet":
            daemonset = _DECODERS[wire.DaemonSet].decode(raw)
            self._put(kind, decode.daemonset(daemonset, msgspec.json.decode(raw)), daemonset.metadata)
        elif kind in decode.SHAPES:
            shape_of, convert = decode.SHAPES[kind]
            shape = _DECODERS[shape_of].decode(raw)
            self._owned(decode.controller(shape.metadata), shape.metadata)
            self._put(kind, convert(shape), shape.metadata)
        else:
            obj = msgspec.json.decode(raw, type=dict[str, Any])
            meta = part(obj, "metadata")
            key = text(meta, "namespace"), text(meta, "name")
            if self._is_newest(kind, key, wire.Meta(resource_version=text(meta, "resourceVersion"))):
                self.found[kind][key] = obj

    def _put(self, kind: str, noun: Any, meta: wire.Meta) -> None:
        key = getattr(noun, "namespace", ""), noun.event_name if kind == "Event" else noun.name
        if self._is_newest(kind, key, meta):
            self.found[kind][key] = noun

    def _is_newest(self, kind: str, key: tuple[str, str], meta: wire.Meta) -> bool:
        """Whether no newer version of the object was met."""
        rank, ranks = _rank(meta), self._ranks[kind]
        known = ranks.get(key)
        if known is not None and known != rank:
            self._superseded["/".join(filter(None, (kind, *key)))] = None
        if known is not None and rank < known:
            return False
        ranks[key] = rank
        return True

    def _pod(self, shape: wire.Pod, raw: Any = b"") -> None:
        """Keep a pod that a DaemonSet owns or might adopt."""
        owner = decode.controller(shape.metadata)
        if owner is None or owner.kind == "DaemonSet":
            self._owned(owner, shape.metadata)
            pod = decode.pod(shape, self._labels, raw)
            self.found["Pod"][pod.namespace, pod.name] = pod

    def _owned(self, owner: wire.Owner | None, meta: wire.Meta) -> None:
        """Remember what an owner reference tells of its DaemonSet."""
        if owner and owner.kind == "DaemonSet" and owner.name:
            if owner.uid:
                self._uids[f"{meta.namespace or 'default'}/{owner.name}"] = owner.uid
            else:
                self._by_name = True

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
            self._whole.add(node)
            self._bound = {key: one for key, one in self._bound.items() if one[0] != node} | other._bound

    def _version(self, raw: Any, kind: str) -> None:
        """An object of no use; but one without a kind may tell the server's version."""
        self.skipped[f"{kind} objects" if kind else "objects without a kind"] += 1
        if kind:
            return
        try:
            info = msgspec.json.decode(raw, type=wire.VersionInfo)
        except msgspec.ValidationError:
            return
        known = (one.git_version for one in (info.server_version, info.info, info) if one and one.git_version)
        self.version_text = next(known, None) or self.version_text

    def snapshot(
        self, source: Source, *, not_seen: Iterable[NotSeen] = (), version: str = "", scope: str = ""
    ) -> Snapshot:
        """The snapshot of all that was taken. `version` overrules what the objects tell of the server's version."""
        others = {kind: tuple(self.found[kind].values()) for kind in GROUPS if kind not in _NOUNS}
        daemonsets = [self._with_uid(ds) for ds in self.found["DaemonSet"].values()]
        uids = {ds.key: ds.identity for ds in daemonsets} if self._by_name else {}
        told = version or self.version_text or source.version
        return Snapshot(
            source=msgspec.structs.replace(source, version=told or self._newest_kubelet()),
            nodes=tuple(sorted(self.found["Node"].values(), key=lambda node: node.name)),
            daemonsets=tuple(sorted(daemonsets, key=lambda ds: (ds.namespace, ds.name))),
            pods=tuple(_by_uid(self.found["Pod"].values(), uids)),
            revisions=tuple(_by_uid(self.found["ControllerRevision"].values(), uids)),
            events=tuple(self.found["Event"].values()),
            others=others,
            bound=self._by_node(),
            not_seen=tuple(_told_once([*not_seen, *self._malformed(), *self._older()])),
            version=read_version(told or self._newest_kubelet()),
            scope=scope,
            skipped=tuple(self.skipped.most_common()),
        )

    def _by_node(self) -> Mapping[str, Sequence[Any]]:
        """The pods that are bound to each node."""
        found: dict[str, list[Any]] = {node: [] for node in self._whole}
        for node, raw in self._bound.values():
            found.setdefault(node, []).append(raw)
        return found

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

    def _with_uid(self, daemonset: DaemonSet) -> DaemonSet:
        """The DaemonSet with the uid that owner references know it by, where it lacks its own."""
        known = "" if daemonset.uid else self._uids.get(daemonset.key, "")
        return msgspec.structs.replace(daemonset, uid=known) if known else daemonset

    def _older(self) -> Iterator[NotSeen]:
        """That objects were met in several versions."""
        if self._superseded:
            count, first = len(self._superseded), next(iter(self._superseded))
            detail = f"{count} object{'s' if count > 1 else ''}, e.g. {first}"
            meaning = "an object is in the files in several versions, and the newest is judged"
            yield NotSeen("older versions", "read", "Superseded", meaning, blinds=False, detail=detail)

    def first_problem(self) -> str:
        """Place and problem of the first object that could not be read, or empty."""
        return next((problems[0] for problems in self.broken.values()), "")


_NOUNS = frozenset({"Node", "Pod", "DaemonSet", "ControllerRevision", "Event"})


def read_version(text: str) -> KubernetesVersion:
    """The version in a text of the server; the newest rules where there is none."""
    try:
        return parse_version(text)
    except ValueError:
        return NEWEST


def _rank(meta: wire.Meta) -> int:
    """How new a version of an object is: by its resourceVersion, where it has one that counts, else its generation."""
    text = meta.resource_version or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else meta.generation or 0


def _told_once(not_seen: Sequence[NotSeen]) -> Iterator[NotSeen]:
    """Each of them once; that a list of one namespace was refused says no more than that the list of all was."""
    known = {(one.resource, one.reason) for one in not_seen}
    for one in dict.fromkeys(not_seen):
        whole, within, _ = one.resource.partition(" in ")
        if not within or (whole, one.reason) not in known:
            yield one


def _by_uid(nouns: Iterable[Any], uids: Mapping[str, str]) -> Iterable[Any]:
    """The nouns, with the uids of owners that they know by their keys only."""
    for noun in nouns:
        uid = uids.get(noun.owner_uid)
        yield msgspec.structs.replace(noun, owner_uid=uid) if uid else noun


def _opens_array(text: Buffer) -> bool:
    return bytes(text[:64]).lstrip()[:1] == b"["
