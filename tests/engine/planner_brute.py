"""The planner's law by brute force: every edit there is, written out anew, and every set of them up to a cost.

Nothing here is of the planner: edits are made on a copy of the pod spec, and the oracle (`place`) is asked about the
template that comes of it. Tolerations and selection are asked apart, since a node has to pass both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from typing import Any

import msgspec

from dscov.kube.placement import Template, place
from dscov.kube.requirements import parse
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint, Toleration, tolerates
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Coverage
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.selection import other_key
from dscov.model.tolerations import slip_of
from dscov.model.world import World
from dscov.sources import decode, wire

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
TOLERATES_ALL = (Toleration("", "Exists"),)


@dataclass(frozen=True, eq=False)
class Edit:
    """One edit of the pod spec. Edits of equal slots exclude each other; lower turns are made first."""

    name: str
    breadth: int
    apply: Callable[[Json], None]
    turn: int
    slots: frozenset[str] = frozenset()

    @property
    def of_taints(self) -> bool:
        return self.turn == 9


@dataclass
class Brute:
    """One DaemonSet, what is aimed at, and the universe of edits."""

    world: World
    coverage: Coverage
    targets: frozenset[str]
    whole: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        verdicts = {pair.node: pair.verdict for pair in self.coverage.pairs}
        self.enter = {n for n in self.targets if not verdicts[n].unwanted and not verdicts[n].should_run}
        self.leave = {n for n in self.targets if verdicts[n].unwanted}
        self.keep = {n for n, v in verdicts.items() if v.should_run and not v.unwanted}
        self.nodes = {node.name: node for node in self.world.snapshot.nodes}
        self.stay = {
            pair.node
            for pair in self.coverage.pairs
            if pair.pods
            and pair.verdict.should_continue_running
            and not pair.verdict.unwanted
            and (pair.verdict.expected or not self.no_place(pair.node))
        }
        self.closed = {n for n, v in verdicts.items() if not v.should_run and (v.unwanted or not v.expected)}
        self._asked: dict[object, tuple[frozenset[str], frozenset[str]]] = {}

    @property
    def daemonset(self) -> DaemonSet:
        return self.coverage.daemonset

    def no_place(self, name: str) -> bool:
        return is_virtual(self.nodes[name]) or is_foreign(self.daemonset, self.nodes[name])

    @cached_property
    def spec(self) -> Json:
        return dict(self.daemonset.obj)["spec"]["template"]["spec"]

    @cached_property
    def inside(self) -> set[str]:
        return self.enter | self.keep | self.stay

    # -- asking ---------------------------------------------------------------------------------------------------

    def template(self, spec: Json) -> Template:
        obj = deepcopy(dict(self.daemonset.obj))
        obj["spec"]["template"]["spec"] = spec
        return decode.daemonset(msgspec.convert(obj, wire.DaemonSet), obj).template

    def answers(self, template: Template) -> tuple[frozenset[str], frozenset[str]]:
        """The nodes that the controller wants, and those where it lets a pod go on."""
        said = {
            name: place(template, name=name, labels=node.labels, taints=node.taints)
            for name, node in self.nodes.items()
        }
        return (
            frozenset(name for name, one in said.items() if one.should_run),
            frozenset(name for name, one in said.items() if one.should_continue_running),
        )

    def edited(self, edits: frozenset[Edit]) -> Json:
        spec = deepcopy(self.spec)
        for edit in sorted(edits, key=lambda one: (one.turn, one.name)):
            edit.apply(spec)
        return spec

    def part(self, edits: frozenset[Edit], *, of_taints: bool) -> tuple[frozenset[str], frozenset[str]]:
        """The answers where only taints count, or only selection."""
        key = of_taints, edits
        if key not in self._asked:
            template = self.template(self.edited(edits))
            if of_taints:
                template = msgspec.structs.replace(template, node_name="", node_selector=(), affinity=None)
            else:
                template = msgspec.structs.replace(template, tolerations=TOLERATES_ALL)
            self._asked[key] = self.answers(template)
        return self._asked[key]

    def is_reached(self, runs: frozenset[str], goes_on: frozenset[str]) -> bool:
        return (
            self.enter | self.keep <= runs
            and self.stay <= goes_on
            and not self.leave & goes_on
            and not self.closed & runs
        )

    def cheapest(self, edits: int, breadth: int, beside: int) -> tuple[int, int, int] | None:
        """The least cost of a plan that reaches the aims, if it is not above the given one; else None.

        Every set of edits of tolerations that lets in all it has to, with every set of edits of selection that does.
        """
        universe = sorted(self.universe(), key=lambda one: (one.breadth, one.name))
        by_taints = self._fitting([one for one in universe if one.of_taints], edits, of_taints=True)
        least = min((len(one) for one, _ in by_taints), default=edits + 1)
        by_labels = self._fitting([one for one in universe if not one.of_taints], edits - least, of_taints=False)
        before = self.part(frozenset(), of_taints=True)[0] & self.part(frozenset(), of_taints=False)[0]
        found = []
        for (some, broad), (more, broader) in product(by_taints, by_labels):
            if len(some) + len(more) <= edits:
                (runs, goes_on), (lets_in, keeps) = self.part(some, of_taints=True), self.part(more, of_taints=False)
                if self.is_reached(runs & lets_in, goes_on & keeps):
                    other = ((runs & lets_in) ^ before) - self.enter - self.leave
                    found.append((len(some) + len(more), broad + broader, len(other)))
        cost = min(found, default=None)
        return cost if cost and cost <= (edits, breadth, beside) else None

    def _fitting(self, universe: list[Edit], most: int, *, of_taints: bool) -> list[tuple[frozenset[Edit], int]]:
        """The sets of up to so many edits that let in all they have to, each with its breadth."""
        found = []
        for count in range(most + 1):
            for edits, broad in _sets(universe, count):
                runs, goes_on = self.part(edits, of_taints=of_taints)
                if self.enter | self.keep <= runs and self.stay <= goes_on:
                    found.append((edits, broad))
        return found

    # -- the universe ---------------------------------------------------------------------------------------------

    def universe(self) -> list[Edit]:
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
        effects = {t.effect for t in met}
        return 2 * (form.operator == "Exists" and any(t.value for t in met)) + (not form.effect and len(effects) < 2)

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
                if (
                    own.seconds is None
                    and form != own
                    and self._was_meant(place_, own, form)
                    and not self._loses(own, form)
                ):
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

    def _loses(self, own: Toleration, form: Toleration) -> bool:
        return any(tolerates(own, t) and not tolerates(form, t) for t in self.seen)

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
            if all(f"{op['path']}/".startswith(f"{TERMS}/") for op in patch):
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

    def _labels(self) -> Iterator[Edit]:
        own: Json = self.spec.get("nodeSelector") or {}
        for key, value in MARKS.items():
            held = {self.nodes[name].labels.get(key) for name in self.inside}
            if value not in held if value else held <= {None}:
                yield self._ask(key, *(("NotIn", [value]) if value else ("DoesNotExist", [])), 1)
        keys = {*SELECTED, *own, *(e["key"] for t in _terms(self.spec) for e in t.get("matchExpressions", []))}
        scope = self.world.scopes.get(self.daemonset.key)
        if scope and scope.expect:
            keys |= {entry.key for entry in scope.expect.requirements}
        for key in keys:
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


def _sets(universe: list[Edit], count: int) -> Iterator[tuple[frozenset[Edit], int]]:
    """Every set of that many edits that go together, with its breadth."""
    for edits in combinations(universe, count):
        if sum(len(edit.slots) for edit in edits) == len(frozenset[str]().union(*(edit.slots for edit in edits))):
            yield frozenset(edits), sum(edit.breadth for edit in edits)


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
