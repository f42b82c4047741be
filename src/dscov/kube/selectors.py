"""Label selectors: the text form of `-l`, and the form of `spec.selector`.

Rules: k8s.io/apimachinery pkg/labels/selector.go (Parse) and pkg/apis/meta/v1/helpers.go
(LabelSelectorAsSelector), Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from dscov.kube.requirements import Requirement, parse
from dscov.patterns import pattern

_TOKEN = pattern(r"\s*(==|!=|[=!(),<>]|[^=!(),<>\s]+)")
_SYMBOLS = frozenset({"==", "!=", "=", "!", "(", ")", ",", "<", ">"})
_OPERATORS = {"=": "In", "==": "In", "!=": "NotIn", "in": "In", "notin": "NotIn", ">": "Gt", "<": "Lt"}
_END = ""


class Selector(msgspec.Struct, frozen=True):
    """All `requirements` must hold; none at all selects everything, unless `nothing`."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels are selected."""
        return not self.nothing and all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        """The selector as `-l` takes it."""
        return ",".join(str(requirement) for requirement in self.requirements)


def parse_selector(text: str) -> Selector:
    """The selector that `kubectl -l TEXT` means; ValueError with what is wrong where kubectl refuses it."""
    return Selector(tuple(_Parser(text).requirements()))


class Expression(msgspec.Struct, frozen=True):
    """One matchExpressions or matchFields entry as the API gives it, not yet judged."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


def from_label_selector(labels: Mapping[str, str] | None, expressions: Sequence[Expression] | None) -> Selector:
    """The selector of a `metav1.LabelSelector`; ValueError where it has an operator that is not of its four."""
    requirements = [parse(key, "In", [value]) for key, value in (labels or {}).items()]
    for expression in expressions or ():
        if expression.operator not in {"In", "NotIn", "Exists", "DoesNotExist"}:
            raise ValueError(f"{expression.operator!r} is not a label selector operator")
        requirements.append(parse(expression.key, expression.operator, expression.values))
    return Selector(tuple(requirements))


class _Parser:
    """Recursive descent over the tokens of a selector."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self.peek() == _END:
            return found
        while True:
            found.append(self.requirement())
            match self.take():
                case "":
                    return found
                case ",":
                    continue
                case token:
                    raise ValueError(f"found {token!r}, expected ',' or the end")

    def requirement(self) -> Requirement:
        absent = self.peek() == "!"
        if absent:
            self.take()
        key = self.take()
        if key in _SYMBOLS or key == _END:
            raise ValueError(f"found {key!r}, expected a label key")
        if absent or self.peek() in {_END, ","}:
            # With "!key" anything but the end or a comma is an error, found by the caller.
            return parse(key, "DoesNotExist" if absent else "Exists", [])
        word = self.take()
        if word not in _OPERATORS:
            raise ValueError(f"found {word!r}, expected an operator such as =, !=, in, notin")
        values = self.listed() if word in {"in", "notin"} else [self.exact()]
        return parse(key, _OPERATORS[word], values)

    def exact(self) -> str:
        if self.peek() in {_END, ","}:
            return ""
        value = self.take()
        if value in _SYMBOLS:
            raise ValueError(f"found {value!r}, expected a value")
        return value

    def listed(self) -> list[str]:
        if (opening := self.take()) != "(":
            raise ValueError(f"found {opening!r}, expected '('")
        values: list[str] = []
        expects_value = True
        while (word := self.take()) != ")":
            if word == ",":
                if expects_value:
                    values.append("")
                expects_value = True
            elif word in _SYMBOLS or word == _END or not expects_value:
                raise ValueError(f"found {word!r}, expected ',' or ')'")
            else:
                values.append(word)
                expects_value = False
        if expects_value:
            values.append("")
        return sorted(set(values))
