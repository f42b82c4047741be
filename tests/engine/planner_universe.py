"""Every single edit that a plan may be made of, written out anew for the planner's law, on a copy of the pod spec."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cached_property
from typing import Any

import msgspec
from engine.planner_asked import TOLERATES_ALL, Asked, Edit

from dscov.kube.requirements import Requirement, parse
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint, Toleration, tolerates
from dscov.model.selection import other_key
from dscov.model.tolerations import slip_of

Json = dict[str, Any]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS = f"/spec/template/spec/affinity/nodeAffinity/{REQUIRED}/nodeSelectorTerms"
NEVER = {Kind.STARTUP, Kind.MAINTENANCE, Kind.CONDITION, Kind.VIRTUAL}
SELECTED = {"kubernetes.io/os": 0, "kubernetes.io/arch": 2}
MARKS = {
    "eks.amazonaws.com/compute-type": "fargate",
    "type": "virtual-kubelet",
    "liqo.io/type": "virtual-node",
    "kubernetes.io/role": "virtual-kubelet",
    "node.kubernetes.io/instance-type": "eklet",
    "node-role.kubernetes.io/virtual-node": "",
    "node-role.kubernetes.io/virtual-kubelet": "",
    "node-role.kubernetes.io/control-plane": "",
    "node-role.kubernetes.io/controlplane": "",
    "node-role.kubernetes.io/etcd": "",
    "node-role.kubernetes.io/master": "",
}


class Universe(Asked):
    """All edits for one DaemonSet."""

    # -- the universe ---------------------------------------------------------------------------------------------

    def edits(self) -> list[Edit]:
        return [*self._tolerations(), *self._selector(), *self._affinity(), *self._labels()]

    @cached_property
    def seen(self) -> list[Taint]:
        found = {t for node in self.nodes.values() for t in node.taints if t.effect in {"NoSchedule", "NoExecute"}}
        return sorted(found, key=lambda t: (t.key, t.value, t.effect))

    def _is_allowed(self, form: Toleration) -> bool:
        own = self.daemonset.template.tolerations
        fresh = [t for t in self.seen if tolerates(form, t) and not any(tolerates(one, t) for one in own)]
        shunned = [t for t in fresh if look_up(t).kind in NEVER and not slip_of(self.world, self.daemonset, t)]
        return bool(form.key) and bool(fresh) and not shunned

    def _class(self, form: Toleration) -> int:
        met = [t for t in self.seen if tolerates(form, t)]
        any_value = form.operator == "Exists" and any(t.value for t in met)
        return 2 * any_value + (not form.effect and len({t.effect for t in met}) < 2)

    def _tolerations(self) -> Iterator[Edit]:
        forms = {
            form
            for t in self.seen
            for form in (
                Toleration(t.key, "Equal", t.value, t.effect),
                Toleration(t.key, "Equal", t.value),
                Toleration(t.key, "Exists", "", t.effect),
                Toleration(t.key, "Exists"),
            )
        }
        for form in filter(self._is_allowed, forms):
            made = {k: v for k, v in msgspec.structs.asdict(form).items() if v}
            yield Edit(
                f"add {form}",
                2 * self._class(form) + 1,
                lambda spec, made=made: spec.setdefault("tolerations", []).append(made),
                9,
            )
            for place_, own in enumerate(self.daemonset.template.own_tolerations):
                loses = any(tolerates(own, t) and not tolerates(form, t) for t in self.seen)
                if own.seconds is None and form != own and self._was_meant(place_, own, form) and not loses:
                    yield Edit(
                        f"change {place_} to {form}",
                        2 * self._class(form),
                        lambda spec, place_=place_, made=made: spec["tolerations"].__setitem__(place_, made),
                        9,
                        frozenset({f"toleration {place_}"}),
                    )

    def _was_meant(self, place_: int, own: Toleration, form: Toleration) -> bool:
        if own.key == form.key:
            return True
        slips = [
            slip_of(self.world, self.daemonset, t) for t in self.seen if tolerates(form, t) and t in self._barring()
        ]
        return any(slip and slip.what == "key" and slip.place == place_ for slip in slips)

    def _barring(self) -> set[Taint]:
        own = self.daemonset.template.tolerations
        return {t for t in self.seen if not any(tolerates(one, t) for one in own)}

    def _selector(self) -> Iterator[Edit]:
        if "nodeName" in self.spec:
            yield Edit("drop nodeName", 1, lambda spec: spec.pop("nodeName"), 1, frozenset({"nodeName"}))
        own: Json = self.spec.get("nodeSelector") or {}
        for key, value in own.items():
            out = [node for node in map(self.nodes.get, self.enter) if node and node.labels.get(key) != value]
            if not out:
                continue
            slot = f"label {key}"
            yield Edit(f"unset {key}", 3, lambda spec, key=key: spec["nodeSelector"].pop(key), 1, frozenset({slot}))
            for held in {node.labels[key] for node in out if key in node.labels}:
                yield Edit(
                    f"set {key}={held}",
                    0,
                    lambda spec, key=key, held=held: spec["nodeSelector"].__setitem__(key, held),
                    1,
                    frozenset({slot}),
                )
            entry = next(one for one in self.daemonset.template.node_selector if one.key == key)
            for other in {other_key(self.world, node, entry) for node in out} - {"", *own}:

                def renamed(spec: Json, key: str = key, other: str = other) -> None:
                    spec["nodeSelector"][other] = spec["nodeSelector"].pop(key)

                yield Edit(f"rename {key} {other}", 0, renamed, 1, frozenset({slot, f"label {other}"}))

    def _affinity(self) -> Iterator[Edit]:
        advised = [
            finding.remedy.patch
            for finding in self.coverage.findings
            if finding.severity != "info"
            and finding.remedy
            and finding.remedy.patch
            and {*finding.nodes} & (self.enter | self.leave)
        ]
        for number, patch in enumerate(advised):
            if all(f"{op['path']}/".startswith(f"{TERMS}/") for op in patch) and self._lets_some_in(patch):
                yield Edit(
                    f"advised {number}", 0, lambda spec, patch=patch: _patch(spec, patch), 0, frozenset({"advised"})
                )
        terms = _terms(self.spec)
        lets_in = self.answers(
            msgspec.structs.replace(self.daemonset.template, node_name="", node_selector=(), tolerations=TOLERATES_ALL)
        )[0]
        out = [self.nodes[name] for name in self.enter if name not in lets_in]
        if not out:
            return
        yield Edit("drop affinity", 4, lambda spec: spec["affinity"]["nodeAffinity"].pop(REQUIRED), 0.5, frozenset())  # type: ignore[arg-type]
        entries: list[Json] = []
        for entry in (entry for term in terms for entry in term.get("matchExpressions", [])):
            if entry not in entries:
                entries.append(entry)
        for entry in entries:
            slot = frozenset({f"entry {entry}"})
            held = sorted({node.labels[entry["key"]] for node in out if entry["key"] in node.labels})
            values = list(entry.get("values", []))
            wider = [*values, *(v for v in held if v not in values)] if entry["operator"] == "In" else None
            fewer = [v for v in values if v not in held] if entry["operator"] == "NotIn" else None
            for new in (wider, fewer):
                if new and new != values:
                    changed = {**entry, "values": new}
                    yield Edit(
                        f"change {entry} to {new}",
                        1,
                        lambda spec, old=entry, new=changed: _swap(spec, old, new),
                        0.2,
                        slot,  # type: ignore[arg-type]
                    )
            if not any(term.get("matchExpressions") == [entry] for term in terms):
                yield Edit(f"remove {entry}", 3, lambda spec, old=entry: _swap(spec, old, None), 0.2, slot)  # type: ignore[arg-type]

    def _lets_some_in(self, patch: Any) -> bool:
        spec = deepcopy(self.spec)
        _patch(spec, patch)
        template = msgspec.structs.replace(
            self.template(spec), node_name="", node_selector=(), tolerations=TOLERATES_ALL
        )
        return bool(self.answers(template)[0])

    def _labels(self) -> Iterator[Edit]:
        own: Json = self.spec.get("nodeSelector") or {}
        for key, value in MARKS.items():
            held = {self.nodes[name].labels.get(key) for name in self.inside}
            if value not in held if value else held <= {None}:
                yield self._ask(key, *(("NotIn", [value]) if value else ("DoesNotExist", [])), 1)
        keys = {*SELECTED, *own, *(e["key"] for t in _terms(self.spec) for e in t.get("matchExpressions", []))}
        scope = self.world.scopes.get(self.daemonset.key)
        for entry in scope.expect.requirements if scope and scope.expect else ():
            yield from self._declared(entry, own)
        if scope and scope.expect:
            keys |= {entry.key for entry in scope.expect.requirements}
        for key in keys - {"kubernetes.io/hostname"} if self.inside else ():
            have = {self.nodes[name].labels.get(key) for name in self.inside}
            away = {self.nodes[name].labels.get(key) for name in self.leave | self.closed} - have - {None}
            gone = {self.nodes[name].labels.get(key) for name in self.leave} - have - {None}
            if len(have) == 1 and None not in have and key not in own:
                (value,) = have
                yield self._select(key, str(value), SELECTED.get(key, 3))
            if have and None not in have:
                yield self._ask(key, "In", sorted(map(str, have)), 3 + len(have))
            if None not in have:
                yield self._ask(key, "Exists", [], 3)
            if have <= {None}:
                yield self._ask(key, "DoesNotExist", [], 1)
            for values in {*(frozenset({v}) for v in away), frozenset(gone), frozenset(away)} - {frozenset()}:
                yield self._ask(key, "NotIn", sorted(map(str, values)), len(values))
        for finding in self.coverage.findings:
            patch = finding.remedy.patch if finding.remedy and finding.severity != "info" else ()
            if not {*finding.nodes} & (self.enter | self.leave):
                continue
            for op in patch:
                if op["op"] == "add" and op["path"].startswith("/spec/template/spec/nodeSelector"):
                    last = op["path"].rpartition("nodeSelector/")[2].replace("~1", "/")
                    pairs = op["value"] if isinstance(op["value"], dict) else {last: op["value"]}
                    for key, value in pairs.items():
                        if key not in own:
                            yield self._select(key, value, 0)
                if op["op"] == "add" and op["path"].startswith("/spec/template/spec/affinity"):
                    for entry in _entries(op["value"]):
                        yield self._ask(entry["key"], entry["operator"], list(entry.get("values", [])), 0)

    def _declared(self, entry: Requirement, own: Json) -> Iterator[Edit]:
        values = sorted(map(str, entry.values - {None}))
        if entry.complement:
            yield self._ask(entry.key, "NotIn" if values else "Exists", values, 0)
            return
        if len(values) == 1 and entry.key not in own:
            yield self._select(entry.key, values[0], 0)
        yield self._ask(entry.key, "In" if values else "DoesNotExist", values, 0)

    def _select(self, key: str, value: str, breadth: int) -> Edit:
        return Edit(
            f"select {key}={value}",
            breadth,
            lambda spec: spec.setdefault("nodeSelector", {}).__setitem__(key, value),
            2,
            frozenset({f"label {key}"}),
        )

    def _ask(self, key: str, operator: str, values: list[str], breadth: int) -> Edit:
        parse(key, operator, values)
        entry = {"key": key, "operator": operator, **({"values": values} if values else {})}

        def demand(spec: Json) -> None:
            affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
            terms = affinity.setdefault(REQUIRED, {"nodeSelectorTerms": [{"matchExpressions": [deepcopy(entry)]}]})
            # An empty term selects nothing; filled, it would let nodes in.
            for term in filter(lambda one: any(one.values()), terms["nodeSelectorTerms"]):
                held = term.setdefault("matchExpressions", [])
                if entry not in held:
                    held.append(deepcopy(entry))

        return Edit(f"ask {key} {operator} {values}", breadth, demand, 2)


def _terms(spec: Json) -> list[Json]:
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    return required.get("nodeSelectorTerms") or []


def _swap(spec: Json, old: Json, new: Json | None) -> None:
    for term in _terms(spec):
        held = term.get("matchExpressions", [])
        if old in held:
            term["matchExpressions"] = [new if entry == old else entry for entry in held if new or entry != old]


def _entries(value: Any) -> Iterator[Json]:
    if isinstance(value, dict) and "operator" in value:
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _entries(one)
    elif isinstance(value, list):
        for one in value:
            yield from _entries(one)


def _patch(spec: Json, patch: Any) -> None:
    """RFC 6902 on the list of terms, as far as remedies use it."""
    for op in patch:
        *way, last = op["path"].removeprefix("/spec/template/spec/").split("/")
        place_: Any = spec
        for step in way:
            place_ = place_[int(step) if isinstance(place_, list) else step]
        index: Any = int(last) if isinstance(place_, list) and last != "-" else last
        if op["op"] == "remove":
            del place_[index]
        elif isinstance(place_, list) and op["op"] == "add":
            place_.insert(len(place_) if last == "-" else index, deepcopy(op["value"]))
        else:
            place_[index] = deepcopy(op["value"])
