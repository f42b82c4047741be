"""What the person who decides should know of a plan: what it would admit beside what was seen, and why it may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dscov.kube.taint_catalogue import look_up
from dscov.model.findings import Effect
from dscov.planner.fleet import Bits, places
from dscov.planner.moves import Move, Tolerating
from dscov.planner.problem import Aims, Problem
from dscov.planner.tolerating import SHUNNED, must_tolerate

_SHOWN = 4


def notes_on(problem: Problem, aims: Aims, plan: Sequence[Move], effect: Effect) -> Iterator[str]:
    """The notes, the weightiest first."""
    tolerating = [move for move in plan if isinstance(move, Tolerating)]
    for move in tolerating:
        yield from _why_at_all(problem, move)
    for move in tolerating:
        yield from _unseen(problem, move)
    yield from _beside(problem, aims, effect)
    gone = problem.fleet.names(_ended(problem, aims, plan)) if effect.restarts else ()
    if gone:
        yield f"its rollout ends the pod on {_named(gone)}, and the controller makes none there again"


def _ended(problem: Problem, aims: Aims, plan: Sequence[Move]) -> Bits:
    """The nodes whose pods are restarted though the node is barred for longer than a fault or a drain."""
    outcome, lasting = problem.outcome(plan), 0
    for place in places(outcome.barring):
        lasting |= problem.tainted[place] if look_up(problem.taints[place]).kind not in SHUNNED else 0
    return aims.stay & ~outcome.runs & lasting


def _why_at_all(problem: Problem, move: Tolerating) -> Iterator[str]:
    barring = [taint for taint in problem.fleet.met(move.toleration) if taint in problem.place]
    for taint in sorted(barring, key=problem.place.__getitem__):
        why = must_tolerate(problem.fleet.world, problem.daemonset, taint)
        if why:
            yield f"{taint} may be tolerated here: {why}"


def _unseen(problem: Problem, move: Tolerating) -> Iterator[str]:
    """The taints that no node has and that a broader form would meet too."""
    form = move.toleration
    met = problem.fleet.met(form)
    effect = f":{form.effect}" if form.effect else ""
    values = sorted({taint.value for taint in met})
    if form.operator == "Exists" and any(values):
        held = _named([value or "(empty)" for value in values])
        yield f"it also meets {form.key} with any other value{effect}; nodes have {held} now"
    missing = sorted({"NoSchedule", "NoExecute"} - {taint.effect for taint in met}) if not form.effect else []
    if missing:
        value = f"={form.value}" if form.value else ""
        yield f"it also meets {form.key}{value}:{missing[0]}, which no node has now"


def _beside(problem: Problem, aims: Aims, effect: Effect) -> Iterator[str]:
    bit = problem.fleet.bit
    for names, wanted, words in (
        (effect.gains, aims.enter, "it lets the daemon in on {} too, where it is expected"),
        (effect.loses, aims.leave, "it takes the daemon off {} too, where it is not wanted"),
    ):
        found = [name for name in names if not bit[name] & wanted]
        if found:
            yield words.format(_named(found))


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
