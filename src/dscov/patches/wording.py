"""One line for each edit of a plan, as the body of a pull request says it."""

from __future__ import annotations

from dscov.model.edits import (
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


def sentence(edit: Edit) -> str:  # noqa: PLR0911 - one return for each kind of edit
    """The edit in words."""
    match edit:
        case AddToleration(toleration):
            return f"tolerate `{spelt(toleration)}`"
        case ChangeToleration(old, new):
            return f"tolerate `{spelt(new)}` instead of `{spelt(old)}`"
        case RemoveToleration(toleration):
            return f"tolerate `{spelt(toleration)}` no more"
        case RemoveTolerationSeconds(toleration):
            return f"tolerate `{spelt(toleration)}` without a limit of time"
        case SetNodeSelector(key, value):
            return f"select nodes with the label `{key}={value}`"
        case UnsetNodeSelector(key):
            return f"do not select nodes by the label `{key}`"
        case AddAffinityExpression(expression):
            return f"require nodes where `{_expression(expression)}`"
        case ChangeAffinityExpression(old, new):
            return f"require nodes where `{_expression(new)}` instead of `{_expression(old)}`"
        case SetPriorityClass(name):
            return f"run with the priority class `{name}`"
        case SetUpdateStrategy(unavailable, surge, kind):
            parts = {"type": kind, "maxUnavailable": unavailable, "maxSurge": surge}
            return "update with " + ", ".join(f"{name} `{part}`" for name, part in parts.items() if part is not None)


def spelt(toleration: TolerationSpec) -> str:
    """KEY[=VALUE][:EFFECT], as the flags take it; `*` for every taint."""
    value = "" if toleration.value is None else f"={toleration.value}"
    return f"{toleration.key or '*'}{value}" + (f":{toleration.effect}" if toleration.effect else "")


def _expression(expression: Expression) -> str:
    values = f" ({', '.join(expression.values)})" if expression.values else ""
    return f"{expression.key} {expression.operator}{values}"
