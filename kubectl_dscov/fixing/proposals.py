"""What is to be done, from one of three sources: the planner, the edits that the flags spell out, or a plan file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dscov.errors import NotFound, Stale
from kubectl_dscov import exits
from kubectl_dscov.arguments import object_name
from kubectl_dscov.edits import edits_of
from kubectl_dscov.lookup import check_selected, daemonsets_of, node_of, the_daemonset
from kubectl_dscov.progress import shown_on
from kubectl_dscov.reading import access_of, namespace_of, settings_of, snapshot_of
from kubectl_dscov.render.ink import plain
from kubectl_dscov.render.pull_request import Why

if TYPE_CHECKING:
    from dscov import DaemonSet, Diagnosis, Option, Proposal, Snapshot


class Proposed(NamedTuple):
    """The proposals, and what they were made from."""

    snapshot: Snapshot
    now: datetime
    proposals: tuple[Proposal, ...]
    diagnosis: Diagnosis | None = None

    @property
    def remaining(self) -> int:
        """The exit code of what is left once everything chosen is done."""
        if self.blind:
            return exits.COULD_NOT_LOOK
        return exits.GAPS if any(one.left for one in self.proposals) else exits.OK

    def why(self, proposal: Proposal, option: Option, *, drift: str = "") -> Why:
        """All that is known about one option; `drift` is how the files differ from the object that it was made for."""
        found = self.diagnosis.coverage if self.diagnosis else ()
        findings = next((one.findings for one in found if one.daemonset.key == proposal.daemonset.key), ())
        labels = {node.name: node.labels for node in self.snapshot.nodes}
        return Why(proposal, option, findings, labels, drift)

    @property
    def blind(self) -> list[str]:
        """What could not be looked at and leaves pairs undecided, in words."""
        missing = [one for one in self.snapshot.not_seen if one.blinds]
        return [f"not seen: {one.resource}, {one.reason}: {one.meaning}" for one in missing]


def names_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The DaemonSets named on the command line."""
    found = [object_name(text) for text in values["names"]]
    for kind, name in found:
        if kind != "daemonset":
            raise click.UsageError(f"{kind}/{name}: fix takes DaemonSets; choose nodes with --nodes")
        if not name:
            raise click.UsageError("the name of a DaemonSet is empty")
    return tuple(dict.fromkeys(name for _, name in found))


def propose(values: Mapping[str, Any]) -> Proposed:
    """Read, and say what is to be done; options come with their outlook."""
    import dscov

    if values["plan"]:
        found = _from_file(values)
    elif edits_of(values):
        found = _spelt_out(values)
    else:
        found = _planned(values)
    snapshot = found.snapshot
    if snapshot.source.kind == "cluster":
        gained = [name for one in found.proposals for option in one.options[:1] for name in option.effect.gains]
        snapshot = dscov.read_room(access_of(values), snapshot, gained)
    return found._replace(proposals=dscov.foresee(snapshot, found.proposals, now=found.now))


def _planned(values: Mapping[str, Any]) -> Proposed:
    import dscov

    settings = settings_of(values)
    snapshot, now = snapshot_of(values, settings)
    names, namespace = names_of(values), namespace_of(values, snapshot)
    for name in names:
        daemonsets_of(snapshot, name, namespace)
    causes = set(values["cause"])

    homes = values.get("homes") or set()

    def wants(daemonset: DaemonSet) -> bool:
        here = namespace in {"", daemonset.namespace} and (not homes or daemonset.namespace in homes)
        return here and (not names or daemonset.name in names)

    nodes = _chosen_nodes(values, snapshot)

    def targets(_daemonset: DaemonSet, node: str, found: Sequence[str]) -> bool:
        return (nodes is None or node in nodes) and (not causes or bool(causes & set(found)))

    with shown_on(sys.stderr, "planning") as progress:
        diagnosis, proposals = dscov.propose(
            snapshot, now=now, settings=settings, wants=wants, targets=targets, progress=progress
        )
    return Proposed(snapshot, now, proposals, diagnosis)


def _chosen_nodes(values: Mapping[str, Any], snapshot: Snapshot) -> set[str] | None:
    """The nodes that --nodes names or selects; None for all."""
    from dscov import parse_selector

    if not values["nodes"]:
        return None
    found: set[str] = set()
    for text in values["nodes"]:
        kind, slash, name = text.partition("/")
        if slash and kind.lower() in {"node", "nodes", "no"}:
            found.add(node_of(snapshot, name).name)
            continue
        try:
            selector = parse_selector(text)
        except ValueError as problem:
            raise click.UsageError(f"--nodes {text!r} is neither node/NAME nor a label selector: {problem}") from None
        check_selected(snapshot, selector)
        found |= {node.name for node in snapshot.nodes if selector.matches(node.labels)}
    return found


def _spelt_out(values: Mapping[str, Any]) -> Proposed:
    """The edits of the flags, on live objects that are named."""
    import dscov

    names = names_of(values)
    if not names:
        raise click.UsageError(
            "say which DaemonSet the edits are for: daemonset/NAME, or files with -f, -k or --values"
        )
    snapshot, now = snapshot_of(values)
    namespace = namespace_of(values, snapshot)
    meant = [the_daemonset(snapshot, name, namespace) for name in names]
    edits = edits_of(values)
    found = []
    for daemonset in meant:
        option = dscov.assess(snapshot, daemonset, dscov.option_of(daemonset, edits), now=now)
        for note in option.notes if not option.patch else ():
            click.echo(plain(f"note: {daemonset.key}: {note}"), err=True)
        found.append(dscov.Proposal(daemonset, option.effect.gains, (option,) if option.patch else ()))
    return Proposed(snapshot, now, tuple(found))


def _from_file(values: Mapping[str, Any]) -> Proposed:
    """The plan of a file, for the objects and nodes as they are now; refused where that is not what it was made for."""
    import dscov

    plan = dscov.read_plan(values["plan"])
    items = [item for item in plan.items if values["namespace"] in {None, "", item.namespace}]
    if plan.items and not items:
        raise NotFound(f"the plan holds nothing for namespace {values['namespace']}")
    namespaces = {item.namespace for item in items}
    one = {"namespace": next(iter(namespaces), ""), "all_namespaces": len(namespaces) > 1}
    snapshot, now = snapshot_of({**values, **one})
    there = {ds.key: ds for ds in snapshot.daemonsets}
    found = []
    for item in items:
        daemonset = there.get(f"{item.namespace}/{item.name}")
        if daemonset is None:
            raise Stale(f"daemonset/{item.name} in namespace {item.namespace} is not there any more", remedy=_ANEW)
        dscov.check_same(item.object, daemonset.obj)
        option = dscov.Option(item.summary, item.patch, notes=item.notes)
        try:
            option = dscov.assess(snapshot, daemonset, option, now=now)
        except ValueError as problem:
            raise Stale(f"the plan for daemonset/{item.name} does not apply: {problem}", remedy=_ANEW) from None
        if (set(option.effect.gains), set(option.effect.loses)) != (set(item.effect.gains), set(item.effect.loses)):
            raise Stale(
                f"the plan for daemonset/{item.name} was made for other nodes: it would now gain "
                f"{len(option.effect.gains)} and lose {len(option.effect.loses)}, "
                f"and said {len(item.effect.gains)} and {len(item.effect.loses)}",
                remedy=_ANEW,
            )
        found.append(dscov.Proposal(daemonset, item.targets, (option,)))
    return Proposed(snapshot, now, tuple(found))


_ANEW = "Make a new plan with `kubectl dscov fix --save-plan`."
