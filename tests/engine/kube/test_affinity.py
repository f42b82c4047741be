"""Required node affinity: terms, their entries, and what cannot be read."""

import pytest

from dscov.kube.affinity import Affinity, Term, read_node_selector, read_term
from dscov.kube.selectors import Expression


def term(*expressions: tuple[str, str, tuple[str, ...]], fields: tuple[Expression, ...] = ()) -> Term:
    return read_term([Expression(*entry) for entry in expressions], fields)


A, B = ("a", "In", ("1",)), ("b", "Exists", ())
BAD = ("a", "Gt", ("1.5",))
NAMED = Expression("metadata.name", "In", ("n1",))


@pytest.mark.parametrize(
    ("terms", "labels", "admitted"),
    [
        ((), {}, False),
        ((term(),), {}, False),
        ((term(), term(A)), {"a": "1"}, True),
        ((term(A, B),), {"a": "1"}, False),
        ((term(A), term(B)), {"b": ""}, True),
        ((term(BAD),), {"a": "2"}, False),
        ((term(BAD), term(B)), {"b": ""}, True),
        ((term(fields=(NAMED,)),), {}, True),
        ((term(A, fields=(NAMED,)),), {}, False),
        ((term(fields=(Expression("metadata.name", "NotIn", ("n1",)),)),), {}, False),
        ((term(fields=(Expression("spec.other", "In", ("",)),)),), {}, True),
    ],
)
def test_matches(terms: tuple[Term, ...], labels: dict[str, str], admitted: bool) -> None:
    assert Affinity(terms).matches("n1", labels) is admitted


@pytest.mark.parametrize(
    "entry",
    [
        Expression("metadata.name", "Exists"),
        Expression("metadata.name", "In", ("a", "b")),
        Expression("metadata.name", "In"),
    ],
)
def test_fields_that_cannot_be_read(entry: Expression) -> None:
    assert read_term((), (entry,)).problem


def test_failures_name_the_entries() -> None:
    assert [str(entry) for entry in term(A, B, fields=(NAMED,)).failures("n2", {"a": "1"})] == ["b", "metadata.name=n1"]
    assert term().failures("n1", {}) == ("the term is empty and selects nothing",)
    assert term(BAD).failures("n1", {}) == ("operator Gt needs an integer, not '1.5'",)


def test_in_words() -> None:
    assert str(term(A, B)) == "a in (1) and b"
    assert str(term()) == "(empty term)"
    assert [str(entry) for entry in read_node_selector({"a": "1"})] == ["a=1"]
    assert read_node_selector(None) == ()
