"""The table of cures: what makes a situation, the cause that is told of it, and the nodes that are served once cured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cluster.curables.world import World

Make = Callable[[World], None]


@dataclass(frozen=True, kw_only=True)
class Curable:
    """How to bring a situation about, and what is true of it.

    `covered` are the nodes with a ready pod once it is cured, and no other node has a pod then. `dead` are nodes whose
    kubelet does nothing. `says` is a piece of what `fix` prints.
    """

    make: Make
    cause: str
    covered: frozenset[str]
    says: str = ""
    dead: tuple[str, ...] = ()


Table = dict[str, Curable]


def curable(into: Table, cause: str, covered: str, *, says: str = "", dead: str = "") -> Callable[[Make], Make]:
    """Add a function that makes a situation to a table, under its own name."""

    def add(make: Make) -> Make:
        into[make.__name__.replace("_", "-")] = Curable(
            make=make, cause=cause, covered=frozenset(covered.split()), says=says, dead=tuple(dead.split())
        )
        return make

    return add
