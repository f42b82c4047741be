"""Requirements on a label: what each operator admits, and what cannot be read."""

import pytest

from dscov.kube.requirements import equals, parse, parse_int64


@pytest.mark.parametrize(
    ("operator", "values", "admitted", "refused"),
    [
        ("In", ["a", "b"], ["a", "b"], [None, "", "A", "ab"]),
        ("In", [""], [""], [None, "a"]),
        ("NotIn", ["a"], [None, "", "A"], ["a"]),
        ("Exists", [], ["", "a"], [None]),
        ("DoesNotExist", [], [None], ["", "a"]),
        ("Gt", ["5"], ["6", "06", "+6"], [None, "", "5", "x", "6Gi", "-6", "9223372036854775808"]),
        ("Lt", ["5"], ["4", "-4"], [None, "5", "4.0"]),
    ],
)
def test_admits(operator: str, values: list[str], admitted: list[str | None], refused: list[str | None]) -> None:
    entry = parse("k", operator, values)
    assert [value for value in admitted if not entry.admits(value)] == []
    assert [value for value in refused if entry.admits(value)] == []
    assert entry.matches({} if None in admitted else {"k": str(admitted[0])})


@pytest.mark.parametrize(
    ("key", "operator", "values"),
    [
        ("k", "In", []),
        ("k", "Exists", ["a"]),
        ("k", "Gt", []),
        ("k", "Gt", ["1", "2"]),
        ("k", "Gt", ["16Gi"]),
        ("k", "Gt", ["-1"]),
        ("k", "Gt", ["+5"]),
        ("k", "in", ["a"]),
        ("k", "In", ["a b"]),
        ("k", "In", ["-a"]),
        ("k", "In", ["a" * 64]),
        ("", "Exists", []),
        ("a/b/c", "Exists", []),
        ("A.example/k", "Exists", []),
        ("-k", "Exists", []),
        ("/k", "Exists", []),
    ],
)
def test_unreadable(key: str, operator: str, values: list[str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(key, operator, values)


@pytest.mark.parametrize(
    ("operator", "values", "text"),
    [
        ("In", ["a", "b"], "k in (a,b)"),
        ("NotIn", ["a"], "k notin (a)"),
        ("Exists", [], "k"),
        ("DoesNotExist", [], "!k"),
        ("Gt", ["5"], "k>5"),
        ("Lt", ["5"], "k<5"),
    ],
)
def test_written_as_a_selector(operator: str, values: list[str], text: str) -> None:
    assert str(parse("k", operator, values)) == text


def test_a_node_selector_entry_is_not_validated() -> None:
    entry = equals("any key", "any value ")
    assert entry.matches({"any key": "any value "})
    assert str(entry) == "any key=any value "


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("+7", 7),
        ("-007", -7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", None),
        ("0" * 30 + "5", 5),
        ("", None),
        ("1_000", None),
        ("0x1", None),
        (" 1", None),
        ("1\n", None),
        ("\u0661", None),
        ("1e3", None),
        ("9" * 5000, None),
    ],
)
def test_integers_as_go_reads_them(text: str, number: int | None) -> None:
    assert parse_int64(text) == number
