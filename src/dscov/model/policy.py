"""What was declared about coverage: which nodes are meant, which exclusions are accepted, which pools are virtual."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from fnmatch import fnmatchcase

import msgspec

from dscov.kube.placement import Placement
from dscov.kube.selectors import Selector
from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Intent
from dscov.model.grace import Grace

#: The annotation of a DaemonSet that says which nodes it is meant to cover: a label selector, or `all`.
ANNOTATION = "dscov.dev/expect"
#: The word for every node; the selector of it has no requirements.
ALL = "all"


def spelt(selector: Selector) -> str:
    """A selector as people write it: `key=value` for a label with one value."""
    return ",".join(
        f"{entry.key}={next(iter(entry.values))}"
        if len(entry.values) == 1 and not entry.complement and None not in entry.values
        else str(entry)
        for entry in selector.requirements
    )


class Exclusion(msgspec.Struct, frozen=True):
    """Gaps that somebody accepts, and why. Everything that is given must hold; `until` is the first moment it does not.

    `nodes` is a selector of labels, `names` are names of nodes with `*`, `cause` is a slug, `taint` is one that keeps
    the daemon out (an empty value or effect is any).
    """

    reason: str
    nodes: Selector | None = None
    names: tuple[str, ...] = ()
    cause: str = ""
    taint: Taint | None = None
    until: datetime | None = None
    #: The end as it was written, and where the exclusion stands.
    until_text: str = ""
    place: str = ""

    def names_node(self, node: Node) -> bool:
        """Whether the node is one that it speaks of."""
        chosen = self.nodes is None or self.nodes.matches(node.labels)
        return chosen and (not self.names or any(fnmatchcase(node.name, name) for name in self.names))

    def holds(self, causes: Container[str], placement: Placement) -> bool:
        """Whether a gap for these causes, on a node that it speaks of, is one that it accepts."""
        barred = [reason.taint for reason in placement.reasons if reason.taint]
        return (not self.cause or self.cause in causes) and (
            self.taint is None or any(is_like(self.taint, taint) for taint in barred)
        )


def is_like(wanted: Taint, taint: Taint) -> bool:
    """Whether a taint is one that was named: by its key, and where they were given by its value and effect."""
    return wanted.key == taint.key and wanted.value in {"", taint.value} and wanted.effect in {"", taint.effect}


class Pool(msgspec.Struct, frozen=True):
    """Nodes that are no machines, on which no daemon is ever expected."""

    nodes: Selector
    reason: str = ""
    place: str = ""


class Rule(msgspec.Struct, frozen=True):
    """What a policy says of the DaemonSets that `name` (namespace/name or name, with `*`) or `selector` picks."""

    name: str = ""
    selector: Selector | None = None
    expect: Selector | None = None
    accept: tuple[Exclusion, ...] = ()
    place: str = ""

    def speaks_of(self, daemonset: DaemonSet) -> bool:
        """Whether the rule is about the DaemonSet."""
        named = daemonset.key if "/" in self.name else daemonset.name
        chosen = self.selector is None or self.selector.matches(daemonset.labels)
        return chosen and (not self.name or fnmatchcase(named, self.name))


class Policy(msgspec.Struct, frozen=True):
    """A policy file. Of the rules that speak of a DaemonSet the first with `expect` says what is meant; all accept."""

    path: str = ""
    rules: tuple[Rule, ...] = ()
    pools: tuple[Pool, ...] = ()


class Settings(msgspec.Struct, frozen=True):
    """By what a snapshot is judged, beside the clock: `expect` overrules what DaemonSets and policy declare."""

    expect: Selector | None = None
    policy: Policy = Policy()
    grace: Grace = Grace()


#: Nothing declared, and the grace periods as they are by default.
DEFAULTS = Settings()


class Zone(msgspec.Struct, frozen=True):
    """Where a node stands to what was declared for a DaemonSet: `meant` is None where nobody declared anything."""

    meant: bool | None = None
    virtual: Pool | None = None
    #: Places in Scope.exclusions of those that speak of the node.
    exclusions: tuple[int, ...] = ()


#: Where every node stands to nothing declared.
OPEN = Zone()


class Scope(msgspec.Struct, frozen=True):
    """All that was declared for one DaemonSet; `exclusions` are in force, `lapsed` no more."""

    intent: Intent
    expect: Selector | None = None
    pools: tuple[Pool, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    lapsed: tuple[Exclusion, ...] = ()

    def zone(self, node: Node) -> Zone:
        """Where the node stands."""
        return Zone(
            None if self.expect is None else self.expect.matches(node.labels),
            next((pool for pool in self.pools if pool.nodes.matches(node.labels)), None),
            tuple(place for place, one in enumerate(self.exclusions) if one.names_node(node)),
        )

    def accepts(self, zone: Zone, causes: Container[str], placement: Placement) -> int | None:
        """The place of the exclusion that accepts a gap in the zone for these causes; None where none does."""
        return next((place for place in zone.exclusions if self.exclusions[place].holds(causes, placement)), None)
