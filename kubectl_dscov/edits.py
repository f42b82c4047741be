"""How edits are spelt on the command line: tolerations as kubectl spells taints, expressions as it spells selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from dscov import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveToleration,
    RemoveTolerationSeconds,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    TolerationSpec,
    UnsetNodeSelector,
)

Function = TypeVar("Function", bound=Callable[..., Any])
#: What click hands over for an option: a text, a tuple of them, or None.
Given = Any
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NAME = r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?"
_KEY = re.compile(rf"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")
_SET = re.compile(r"(\S+)\s+(in|notin)\s+\(([^()]*)\)")
_COMPARED = re.compile(r"([^\s=!<>]+)\s*(==|=|!=|>|<)\s*(\S*)")


def toleration(text: str) -> TolerationSpec:
    """KEY[=VALUE][:EFFECT]; without a value the operator is Exists, with the key `*` every taint is meant."""
    if not text.partition(":")[0]:
        raise click.BadParameter(f"{text!r} is not KEY[=VALUE][:EFFECT]; write * for every key")
    key, effect = text, None
    if ":" in text:
        key, _, effect = text.rpartition(":")
        if effect not in _EFFECTS:
            raise click.BadParameter(f"{text!r}: the effect is one of {', '.join(_EFFECTS)}")
    key, equal, value = key.partition("=")
    key = "" if key == "*" else key
    if (key and not _KEY.fullmatch(key)) or not _VALUE.fullmatch(value) or (equal and not key):
        raise click.BadParameter(f"{text!r} is not KEY[=VALUE][:EFFECT]")
    if equal:
        return TolerationSpec(key, "Equal", value, effect)
    return TolerationSpec(key or None, "Exists", None, effect)


def label(text: str) -> tuple[str, str]:
    """KEY=VALUE of a node label."""
    key, equal, value = text.partition("=")
    if not equal or not _KEY.fullmatch(key) or not _VALUE.fullmatch(value):
        raise click.BadParameter(f"{text!r} is not KEY=VALUE of a label")
    return key, value


def label_key(text: str) -> str:
    """The key of a node label."""
    if not _KEY.fullmatch(text):
        raise click.BadParameter(f"{text!r} is not the key of a label")
    return text


def expression(text: str) -> Expression:
    """`KEY`, `!KEY`, `KEY=V`, `KEY!=V`, `KEY in (V,W)`, `KEY notin (V,W)`, `KEY>N` or `KEY<N`."""
    text = text.strip()
    listed, compared = _SET.fullmatch(text), _COMPARED.fullmatch(text)
    if listed:
        values = tuple(value.strip() for value in listed[3].split(","))
        found = Expression(listed[1], "In" if listed[2] == "in" else "NotIn", values)
    elif compared:
        operators = {"=": "In", "==": "In", "!=": "NotIn", ">": "Gt", "<": "Lt"}
        found = Expression(compared[1], operators[compared[2]], (compared[3],))
    else:
        found = Expression(text.removeprefix("!"), "DoesNotExist" if text.startswith("!") else "Exists")
    if not _KEY.fullmatch(found.key) or not all(_VALUE.fullmatch(value) for value in found.values):
        raise click.BadParameter(f"{text!r} is not an expression such as 'KEY in (A,B)', 'KEY', '!KEY' or 'KEY>3'")
    if found.operator in ("Gt", "Lt") and not re.fullmatch(r"-?[0-9]+", found.values[0]):
        raise click.BadParameter(f"{text!r}: > and < compare whole numbers")
    return found


def number(text: str) -> int | str:
    """A count, or a percentage such as `10%`."""
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    if re.fullmatch(r"[0-9]{1,3}%", text):
        return text
    raise click.BadParameter(f"{text!r} is neither a count nor a percentage")


def parsed(read: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A click callback that reads each value of an option with `read`, in tuples too."""

    def callback(_context: click.Context, _parameter: click.Parameter, value: Given) -> Given:
        if isinstance(value, tuple):
            return tuple(callback(_context, _parameter, item) for item in value)
        return None if value is None else read(value)

    return callback


def edits_of(options: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits that the flags ask for, in the order in which `--help` lists them."""
    edits: list[Edit] = [AddToleration(item) for item in options["add_toleration"]]
    edits += [ChangeToleration(old, new) for old, new in options["change_toleration"]]
    edits += [RemoveToleration(item) for item in options["remove_toleration"]]
    edits += [RemoveTolerationSeconds(item) for item in options["remove_toleration_seconds"]]
    edits += [SetNodeSelector(key, value) for key, value in options["set_selector"]]
    edits += [UnsetNodeSelector(key) for key in options["unset_selector"]]
    edits += [AddAffinityExpression(item) for item in options["add_affinity"]]
    edits += [ChangeAffinityExpression(old, new) for old, new in options["change_affinity"]]
    if options["set_priority_class"]:
        edits.append(SetPriorityClass(options["set_priority_class"]))
    unavailable, surge = options["set_max_unavailable"], options["set_max_surge"]
    if unavailable is None and surge not in {None, 0, "0%"}:
        unavailable = 0  # the API server refuses a DaemonSet in which both are more than zero
    strategy = (unavailable, surge, options["set_update_strategy"])
    if any(part is not None for part in strategy):
        edits.append(SetUpdateStrategy(*strategy))
    return tuple(edits)


_EDIT_FLAGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--add-toleration", {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Append a toleration."}),
    (
        "--change-toleration",
        {"callback": toleration, "nargs": 2, "metavar": "OLD NEW", "help": "Change one, field by field."},
    ),
    ("--remove-toleration", {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Take one out."}),
    (
        "--remove-toleration-seconds",
        {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Take its tolerationSeconds out."},
    ),
    ("--set-selector", {"callback": label, "metavar": "KEY=VALUE", "help": "Set a nodeSelector label."}),
    ("--unset-selector", {"callback": label_key, "metavar": "KEY", "help": "Take a nodeSelector label out."}),
    (
        "--add-affinity",
        {"callback": expression, "metavar": "EXPR", "help": "Require 'KEY in (A,B)', 'KEY', '!KEY', 'KEY>3'."},
    ),
    (
        "--change-affinity",
        {"callback": expression, "nargs": 2, "metavar": "OLD NEW", "help": "Change a required expression."},
    ),
)

_SETTINGS = (
    click.option("--set-priority-class", metavar="NAME", help="Set priorityClassName."),
    click.option(
        "--set-max-unavailable", callback=parsed(number), metavar="N|N%", help="Set rollingUpdate.maxUnavailable."
    ),
    click.option("--set-max-surge", callback=parsed(number), metavar="N|N%", help="Set rollingUpdate.maxSurge."),
    click.option(
        "--set-update-strategy", type=click.Choice(["RollingUpdate", "OnDelete"]), help="Set updateStrategy.type."
    ),
)


def edit_options(function: Function) -> Function:
    """Give a command a flag for each kind of edit; `edits_of` takes the keyword arguments they become."""
    for option in reversed(_SETTINGS):
        function = option(function)
    for name, settings in reversed(_EDIT_FLAGS):
        settings = {**settings, "callback": parsed(settings["callback"])}
        function = click.option(name, multiple=True, **settings)(function)
    return function
