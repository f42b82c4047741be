"""What the edits of tolerations mean for the data of one DaemonSet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dscov.errors import NotFound, Refused
from dscov.model.edits import AddToleration, TolerationSpec
from dscov.patches.fields import moved, put, value_at
from dscov.patches.wording import spelt
from dscov.yamltext.meaning import END, Add, Data, Operation, Path, Remove

_ORDER = ("key", "operator", "value", "effect", "tolerationSeconds")


def items_at(data: Data, path: Path) -> list[Any]:
    """The list of tolerations, empty where there is none."""
    found = value_at(data, path)
    if found is None or found == {}:
        return []
    if not isinstance(found, list):
        raise Refused(f"{'.'.join(map(str, path))} is no list", remedy="Make it a list of tolerations by hand.")
    return found


def spec_of(item: Any) -> TolerationSpec:
    """A toleration as the data has it; what is empty counts as not written (core/v1)."""
    fields = item if isinstance(item, dict) else {}
    key, operator, value, effect = (
        None if fields.get(name) in (None, "") else str(fields[name]) for name in _ORDER[:4]
    )
    seconds = fields.get("tolerationSeconds")
    return TolerationSpec(key, operator, value, effect, seconds if isinstance(seconds, int) else None)


def add(edit: AddToleration, data: Data, path: Path) -> list[Operation]:
    """Add a toleration where no equal one is there."""
    items, new = items_at(data, path), edit.toleration
    if any(same(item, new) and item.get("tolerationSeconds") == new.seconds for item in items):
        return []
    place = next((i for i, item in enumerate(items) if edit.before and same(item, edit.before)), None)
    return [Add((*path, END if place is None else place), new.fields())]


def change(old: TolerationSpec, new: TolerationSpec, data: Data, path: Path) -> list[Operation]:
    """Turn one into another, field by field; NotFound where it is not there."""
    items = items_at(data, path)
    places = _places(items, old)
    if not places and _places(items, new):
        return []
    if not places:
        raise NotFound(f"there is no toleration {spelt(old)} to change{_near(items, old)}")
    return [step for place in places for step in _fields(items[place], new.fields(), (*path, place))]


def remove(toleration: TolerationSpec, data: Data, path: Path, *, keep_empty: bool) -> list[Operation]:
    """Take out every equal one; NotFound where there is none but others of the same key are."""
    items = items_at(data, path)
    places = _places(items, toleration)
    if not places and (near := _near(items, toleration)):
        raise NotFound(f"there is no toleration {spelt(toleration)}{near}")
    if places and len(places) == len(items) and not keep_empty:
        return [Remove(path)]
    return [Remove((*path, place)) for place in reversed(places)]


def remove_seconds(toleration: TolerationSpec, data: Data, path: Path) -> list[Operation]:
    """Take out the tolerationSeconds of every equal one; NotFound where there is none."""
    items = items_at(data, path)
    places = _places(items, toleration)
    if not places:
        raise NotFound(f"there is no toleration {spelt(toleration)}{_near(items, toleration)}")
    return [Remove((*path, place, "tolerationSeconds")) for place in places if "tolerationSeconds" in items[place]]


def same(item: Data, toleration: TolerationSpec) -> bool:
    """Whether a toleration of the data means the same; seconds count only where `toleration` has some.

    No operator means Equal, an absent string an empty one (core/v1).
    """
    if not isinstance(item, dict):
        return False
    wanted = toleration.fields()
    for name, default in (("key", ""), ("operator", "Equal"), ("value", ""), ("effect", "")):
        if (item.get(name) or default) != (wanted.get(name) or default):
            return False
    return toleration.seconds is None or item.get("tolerationSeconds") == toleration.seconds


def _places(items: Sequence[Data], toleration: TolerationSpec) -> list[int]:
    return [i for i, item in enumerate(items) if same(item, toleration)]


def _near(items: Sequence[Data], toleration: TolerationSpec) -> str:
    """`; there is KEY=VALUE:EFFECT, ...`: those of the same key, empty without any."""
    found = [spec_of(item) for item in items]
    names = dict.fromkeys(spelt(spec, exact=True) for spec in found if spec.key == toleration.key)
    return f"; there is {', '.join(names)}" if names else ""


def _fields(item: dict[str, Any], wanted: dict[str, Any], path: Path) -> list[Operation]:
    """Give a toleration its new fields; an absent operator that means Equal stays, and so do seconds not asked for."""
    changes: list[Operation] = []
    for name in _ORDER:
        old, new = item.get(name), wanted.get(name)
        if _stays(name, old, new):
            continue
        if new is None:
            changes.append(Remove((*path, name)))
        else:
            changes += [moved(step, path) for step in put(item, (name,), new, after=_before(name, item))]
    # A removal may not be the first thing done to a map with a single key.
    return sorted(changes, key=lambda step: isinstance(step, Remove))


def _stays(name: str, old: Data, new: Data) -> bool:
    if name == "operator":
        return bool((old or "Equal") == (new or "Equal"))
    if name == "tolerationSeconds":
        return new is None or old == new
    return (old or None) == (new or None)


def _before(name: str, item: dict[str, Any]) -> str | None:
    """The key that `name` is best written behind, of those there: by custom, or by the alphabet if they are."""
    keys = list(item)
    order = [key for key in _ORDER if key in item or key == name]
    if keys == sorted(keys) and keys != [key for key in order if key != name]:
        order = sorted([*keys, name])
    earlier = order[: order.index(name)]
    return earlier[-1] if earlier else None
