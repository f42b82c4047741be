"""When two keys or values differ for a computer and not for people: case, separators, a slip of the pen, a renamed key."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache

_YES = frozenset({"", "true", "yes", "1", "enabled", "on"})
_NO = frozenset({"false", "no", "0", "disabled", "off"})

#: Label keys that Kubernetes retired, and what took their place (changelogs of 1.14, 1.17 and 1.24).
_RENAMED = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "node-role.kubernetes.io/master": "node-role.kubernetes.io/control-plane",
}


def successor(key: str) -> str:
    """The label key that took the place of a retired one; empty where there is none."""
    return _RENAMED.get(key, "")


def loose(value: str) -> str:
    """A label value without what people overlook: case, quotes and blanks around it, the kind of separator."""
    return value.strip(" \t\n'\"").lower().replace("_", "-")


def same_meaning(wanted: str, value: str) -> bool:
    """Whether two label values mean the same to people: both say yes, both no, or they differ in spelling only."""
    a, b = loose(wanted), loose(value)
    return a == b or {a, b} <= _YES or {a, b} <= _NO


@lru_cache(maxsize=65536)
def alike(a: str, b: str) -> bool:
    """Two keys equal but for case and separators, or with each part, before and behind the slash, nearly equal."""
    return _parts_are(_nearly, a, b)


@lru_cache(maxsize=65536)
def misspelt(a: str, b: str) -> bool:
    """The same, judged strictly: a letter too much or too few, or two letters in the wrong order.

    For labels, where names and values that differ by one letter are common: zones `1a` and `1b`, `large` and `xlarge`.
    """
    return _parts_are(_slipped, a, b)


def _parts_are(test: Callable[[str, str], bool], a: str, b: str) -> bool:
    plain_a, plain_b = (re.sub(r"[-_.]", "", text.lower()) for text in (a, b))
    if plain_a.replace("/", "") == plain_b.replace("/", ""):
        return True
    parts_a, parts_b = plain_a.split("/"), plain_b.split("/")
    return len(parts_a) == len(parts_b) and all(map(test, parts_a, parts_b))


def _nearly(a: str, b: str) -> bool:
    """The same letters but for a slip of the pen or an s at the end; another number or last letter is no slip."""
    if a == b or _is_plural(a, b):
        return True
    # One of a series: worker-a, worker-b.
    if a[:-1] == b[:-1]:
        return False
    return _same_numbers(a, b) and min(len(a), len(b)) > 4 and SequenceMatcher(None, a, b).ratio() > 0.85


def _slipped(a: str, b: str) -> bool:
    if a == b or _is_plural(a, b):
        return True
    if not _same_numbers(a, b) or min(len(a), len(b)) < 5 or a[0] != b[0] or a[-1] != b[-1]:
        return False
    longer, shorter = sorted((a, b), key=len, reverse=True)
    if len(longer) == len(shorter):
        differing = [i for i in range(len(a)) if a[i] != b[i]]
        first, last = differing[0], differing[-1]
        return last == first + 1 and a[first] == b[last] and a[last] == b[first]
    return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


def _is_plural(a: str, b: str) -> bool:
    return min(len(a), len(b)) > 2 and (f"{a}s" == b or f"{b}s" == a)


def _same_numbers(a: str, b: str) -> bool:
    return re.sub(r"\D", "", a) == re.sub(r"\D", "", b)
