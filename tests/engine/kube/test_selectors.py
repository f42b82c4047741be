"""Label selectors as text and as API objects."""

import pytest

from dscov.kube.selectors import Expression, Selector, from_label_selector, parse_selector


@pytest.mark.parametrize(
    ("text", "labels", "selected"),
    [
        ("", {}, True),
        ("a=b", {"a": "b"}, True),
        ("a==b,c!=d", {"a": "b"}, True),
        ("a != b", {"a": "b"}, False),
        ("a in (x, y)", {"a": "y"}, True),
        ("a notin (x)", {}, True),
        ("a in ()", {"a": ""}, True),
        ("a=", {"a": ""}, True),
        ("!a", {"a": "x"}, False),
        ("a", {"a": ""}, True),
        ("a>5", {"a": "6"}, True),
        ("a<5,b", {"a": "4"}, False),
    ],
)
def test_selects(text: str, labels: dict[str, str], selected: bool) -> None:
    assert parse_selector(text).matches(labels) is selected


@pytest.mark.parametrize(
    "text",
    ["a in (", "a in x", "=b", "a,,b", "a=b c=d", "a b", "(", "!a=b", "a notin", ",", "a>x", "a=b,", "a in (x y)"],
)
def test_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_selector(text)


def test_written_again() -> None:
    assert str(parse_selector("a=b, !c")) == "a in (b),!c"
    assert Selector(nothing=True).matches({}) is False


@pytest.mark.parametrize(
    ("expressions", "labels", "selected"),
    [
        (None, {"app": "x"}, True),
        ([Expression("tier", "Exists")], {"app": "x"}, False),
        ([Expression("tier", "NotIn", ("a",))], {"app": "x"}, True),
        (None, {"app": "y"}, False),
    ],
)
def test_of_an_object(expressions: list[Expression] | None, labels: dict[str, str], selected: bool) -> None:
    assert from_label_selector({"app": "x"}, expressions).matches(labels) is selected


def test_of_an_object_with_an_operator_of_nodes() -> None:
    with pytest.raises(ValueError, match="Gt"):
        from_label_selector({}, [Expression("a", "Gt", ("1",))])
