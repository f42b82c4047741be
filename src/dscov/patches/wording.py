"""One line for each edit of a plan, as the body of a pull request says it."""

from __future__ import annotations

from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveAffinityExpression,
    RemoveToleration,
    RemoveTolerationSeconds,
    ReplaceAffinityTerms,
    SetField,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    Term,
    TolerationSpec,
    UnsetField,
    UnsetNodeSelector,
)


def sentence(edit: Edit) -> str:
    """The edit in words."""
    match edit:
        case AddToleration() | ChangeToleration() | RemoveToleration() | RemoveTolerationSeconds():
            return _of_tolerations(edit)
        case SetNodeSelector(key, value):
            return f"select nodes with the label `{key}={value}`"
        case UnsetNodeSelector(key):
            return f"do not select nodes by the label `{key}`"
        case SetPriorityClass(name):
            return f"run with the priority class `{name}`"
        case SetUpdateStrategy(unavailable, surge, kind):
            parts = {"type": kind, "maxUnavailable": unavailable, "maxSurge": surge}
            return "update with " + ", ".join(f"{name} `{part}`" for name, part in parts.items() if part is not None)
        case SetField(path, value):
            return f"set `{'.'.join(path)}` to `{str(value).lower() if isinstance(value, bool) else value}`"
        case UnsetField(path):
            return f"take `{'.'.join(path)}` out"
        case _:
            return _of_affinity(edit)


def _of_tolerations(edit: AddToleration | ChangeToleration | RemoveToleration | RemoveTolerationSeconds) -> str:
    match edit:
        case AddToleration(toleration):
            limit = "" if toleration.seconds is None else f" for {toleration.seconds} seconds"
            return f"tolerate `{spelt(toleration)}`{limit}"
        case ChangeToleration(old, new):
            return f"tolerate `{spelt(new)}` instead of `{spelt(old)}`"
        case RemoveToleration(toleration):
            return f"tolerate `{spelt(toleration)}` no more"
        case RemoveTolerationSeconds(toleration):
            return f"tolerate `{spelt(toleration)}` without a limit of time"


def _of_affinity(
    edit: AddAffinityExpression | ChangeAffinityExpression | RemoveAffinityExpression | ReplaceAffinityTerms,
) -> str:
    match edit:
        case AddAffinityExpression(expression):
            return f"require nodes where `{_expression(expression)}`"
        case ChangeAffinityExpression(old, new):
            return f"require nodes where `{_expression(new)}` instead of `{_expression(old)}`"
        case RemoveAffinityExpression(expression):
            return f"do not require nodes where `{_expression(expression)}`"
        case ReplaceAffinityTerms(terms):
            return "require nodes where " + ", or ".join(f"`{spelt_term(term)}`" for term in terms)


def spelt(toleration: TolerationSpec, *, exact: bool = False) -> str:
    """KEY[=VALUE][:EFFECT], as the flags take it; `*` for every taint. If `exact`, an operator without a flag shows."""
    value = "" if toleration.value is None else f"={toleration.value}"
    if exact and toleration.operator in (None, "Equal") and not value:
        value = "="
    if toleration.operator in ("Gt", "Lt"):
        value = f" {toleration.operator} {toleration.value}"
    return f"{toleration.key or '*'}{value}" + (f":{toleration.effect}" if toleration.effect else "")


def spelt_term(term: Term) -> str:
    """The requirements of a node selector term, all of which a node has to meet."""
    return " and ".join(_expression(one) for one in (*term.expressions, *term.fields))


def _expression(expression: Expression) -> str:
    values = f" ({', '.join(expression.values)})" if expression.values else ""
    return f"{expression.key} {expression.operator}{values}"
