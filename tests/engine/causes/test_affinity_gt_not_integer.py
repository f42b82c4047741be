"""affinity-gt-not-integer: bounds that meet no integer."""

import pytest
from engine.build import Json, around, daemonset, node, said, verdict

SLUG = "affinity-gt-not-integer"


def bounded(operator: str, value: str = "4") -> Json:
    """A DaemonSet whose affinity bounds the label `generation`."""
    term = {"matchExpressions": [{"key": "generation", "operator": operator, "values": [value]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return daemonset(spec={"affinity": {"nodeAffinity": required}})


def labelled(value: str) -> Json:
    return node("n1", labels={"generation": value})


@pytest.mark.parametrize("operator", ["Gt", "Lt"])
@pytest.mark.parametrize("value", ["v7", "7.5", "7Gi", "", "9223372036854775808"])
def test_a_label_that_is_no_integer(operator: str, value: str) -> None:
    """The bound says nothing of such a node, so it is a gap and this the one cause of it."""
    objects = around(bounded(operator), labelled(value))
    assert "no integer" in said(SLUG, *objects)[0]
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_a_bound_that_is_no_integer() -> None:
    objects = around(bounded("Gt", "four"), labelled("7"), node("n2", labels={"generation": "7"}))
    assert "integer" in said(SLUG, *objects)[0]
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize("value", ["4", "-1", "0"])
def test_an_integer_that_is_out_of_bounds_is_meant(value: str) -> None:
    objects = around(bounded("Gt"), labelled(value))
    assert said(SLUG, *objects) == []
    assert verdict("n1", *objects).causes == ("node-affinity-no-match",)
    assert not verdict("n1", *objects).gap


def test_silent_where_the_label_is_missing() -> None:
    assert said(SLUG, *around(bounded("Gt"))) == []
