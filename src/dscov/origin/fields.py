"""What a patch of a DaemonSet changes, field by field, and the same change in somebody else's tree of values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dscov.kube.objects import Object, part
from dscov.patterns import pattern

Way = tuple[str, ...]

#: Trees are searched so deep, and no further than so many entries.
DEEPEST, MOST = 14, 20_000
_PARTS_OF_AFFINITY = {"nodeaffinity", "podaffinity", "podantiaffinity"}
_OTHER_WORKLOADS = frozenset(
    {
        "deployment",
        "statefulset",
        "job",
        "cronjob",
        "operator",
        "controller",
        "webhook",
        "control",
        "controlplane",
        "server",
        "apiserver",
    }
)
_CAMEL = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORD = pattern(r"[a-z]+|[0-9]+")
_KIND_WORDS = {"daemonset", "daemon", "set", "the"}


class Field(NamedTuple):
    """A field of the pod's spec or of the DaemonSet's, before and after; None where it is not set."""

    name: str
    old: Any
    new: Any
    above: Way = ("spec", "template", "spec")


class Spot(NamedTuple):
    """A place in a tree of values that may feed a field; `exact` where its value is that of the DaemonSet now."""

    way: Way
    present: Any
    exact: bool = False


def changed(before: Object, after: Object) -> tuple[Field, ...]:
    """The fields in which two states of a DaemonSet differ."""
    found: list[Field] = []
    for way, left_out in ((("spec", "template", "spec"), ()), (("spec",), ("template", "selector"))):
        old, new = part(before, *way), part(after, *way)
        names = sorted({*old, *new} - {*left_out})
        found += [Field(name, old.get(name), new.get(name), way) for name in names if old.get(name) != new.get(name)]
    return tuple(found)


def spots_in(tree: Any, field: Field) -> list[Spot]:
    """The places whose value equals the field's present one, or whose key is named like the field."""
    return [
        Spot(way, value, exact=_is_same(value, field))
        for way, value in walk(tree, stop=lambda key, value: _is_spot(key, value, field))
        if way and _is_spot(way[-1], value, field)
    ]


def walk(tree: Any, *, stop: Callable[[str, Any], bool]) -> Iterator[tuple[Way, Any]]:
    """Every value of nested maps with its path, without what lies below a place where `stop` says so."""
    todo: deque[tuple[Way, Any]] = deque([((), tree)])
    for _ in range(MOST):
        if not todo:
            return
        way, value = todo.popleft()
        yield way, value
        if isinstance(value, Mapping) and len(way) < DEEPEST and not (way and stop(way[-1], value)):
            todo += [((*way, key), inner) for key, inner in value.items() if isinstance(key, str)]


def _is_spot(key: str, value: Any, field: Field) -> bool:
    if is_named_like(key, field):
        return value is None or isinstance(value, type(_sample(field)))
    return not isinstance(field.old, str) and _is_same(value, field)


def _is_same(value: Any, field: Field) -> bool:
    return bool(value) and value == field.old


def _sample(field: Field) -> Any:
    return field.new if field.new is not None else field.old


def is_named_like(key: str, field: Field) -> bool:
    """Whether a key is named for the field: `tolerations`, `agentTolerations`, `priorityClass`."""
    name, key = field.name.casefold(), key.casefold()
    if name == "affinity" and key in _PARTS_OF_AFFINITY:
        return False
    return key.endswith(name) or (name == "priorityclassname" and key.endswith("priorityclass"))


def ranked(spots: Sequence[Spot], field: Field, name: str) -> list[Spot]:
    """The likeliest place for the field of the DaemonSet `name` first: equal, named alike, then words in common."""
    return sorted(spots, key=lambda spot: rank(spot, field, name))


def rank(spot: Spot, field: Field, name: str) -> tuple[int, ...]:
    """The smaller the likelier; equal where nothing but the length of the path tells two apart."""
    return (
        -int(spot.exact and is_named_like(spot.way[-1], field)),
        -int(spot.exact),
        int(is_of_another(spot.way, name)),
        -shared_words(spot.way, field, name),
        -int("daemon" in squashed(spot.way, field)),
        len(spot.way),
    )


def shared_words(way: Way, field: Field, name: str) -> int:
    """How many words of the DaemonSet's name the path holds."""
    held = squashed(way, field)
    own = {word for word in _WORD.findall(name.casefold()) if len(word) > 2 and word not in _KIND_WORDS}
    return sum(word in held for word in own)


def is_of_another(way: Way, name: str) -> bool:
    """Whether a path is for another kind of workload, that the DaemonSet `name` is not called by."""
    own = set(_WORD.findall(name.casefold()))
    held = {word.casefold().removesuffix("s") for step in way for word in _CAMEL.findall(step)}
    return bool(held & _OTHER_WORKLOADS - own)


def squashed(way: Way, field: Field) -> str:
    """The letters and figures of a path, without the field's own name at its end."""
    *above, last = [step.casefold() for step in way]
    last = last.removesuffix(field.name.casefold())
    return "".join(_WORD.findall(" ".join((*above, last))))


def renewed(present: Any, field: Field) -> Any:
    """The value to put where `present` is now: whole, with the field's change in it and nothing else changed."""
    if not present or present == field.old:
        return field.new
    if isinstance(present, list) and isinstance(field.new or [], list):
        old, new = field.old or [], field.new or []
        kept = [one for one in present if one in new or one not in old]
        return kept + [one for one in new if one not in old and one not in kept]
    if isinstance(present, Mapping) and isinstance(field.new or {}, Mapping):
        old, new = field.old or {}, field.new or {}
        changes = {key: new[key] for key in new if old.get(key) != new[key]}
        return {key: value for key, value in present.items() if key in new or key not in old} | changes
    return field.new


def emptied(field: Field) -> Any:
    """The new value, or the empty one of its kind where the field goes."""
    return type(field.old)() if field.new is None and isinstance(field.old, list | dict) else field.new


def is_plain(tree: Any) -> bool:
    """Whether a tree of YAML is a map of what JSON has, and not too large with its aliases written out."""
    todo = [tree]
    for _ in range(MOST):
        if not todo:
            return isinstance(tree, dict)
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        elif value is not None and not isinstance(value, str | int | float):
            return False
    return False


def nested(way: Way, value: Any) -> dict[str, Any]:
    """A tree with one value in it."""
    for step in reversed(way):
        value = {step: value}
    return value if isinstance(value, dict) else {}


def together(trees: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Trees laid over each other."""
    whole: dict[str, Any] = {}
    for tree in trees:
        for key, value in tree.items():
            both = isinstance(value, Mapping) and isinstance(whole.get(key), Mapping)
            whole[key] = together([whole[key], value]) if both else value
    return whole


def merge_patch(old: Any, new: Any) -> Any:
    """The merge patch (RFC 7386) that makes `new` of `old`."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    gone = {key: None for key in old if key not in new}
    return gone | {key: merge_patch(old.get(key), new[key]) for key in new if key not in old or old[key] != new[key]}


def with_nulls(old: Any, new: Any) -> Any:
    """`new`, with null for every key of `old` that it has no more: Helm lays maps over each other, null takes out."""
    if new is None:
        return [] if isinstance(old, list) else with_nulls(old, {}) if isinstance(old, Mapping) else None
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {key: with_nulls(old.get(key), value) for key, value in new.items()} | {
        key: None for key in old if key not in new
    }
