"""Every line of the vector files: answers that Kubernetes' own code gave to random input."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from conformance.tables import assert_every_row, lines

import dscov

ZERO = Fraction(0)


def exact(number: Any) -> Fraction:
    """A number of the engine (int, Fraction or Decimal) without any rounding."""
    assert not isinstance(number, float), f"a float is not exact: {number!r}"
    return Fraction(number)


def parsed(amounts: dict[str, str]) -> dict[str, Fraction]:
    """A table of canonical quantities as exact numbers, without the zeros (an amount of 0 may be left out)."""
    numbers = {name: exact(dscov.parse_quantity(text)) for name, text in amounts.items()}
    return {name: number for name, number in numbers.items() if number}


def without_zeros(amounts: dict[str, Any]) -> dict[str, Fraction]:
    return {name: exact(number) for name, number in amounts.items() if number}


def difference_in_requests(got: dict[str, Any], want: dict[str, str]) -> str | None:
    have, expected = without_zeros(got), parsed(want)
    return None if have == expected else f"got {have}, want {expected}"


def test_should_run() -> None:
    rows = lines("should_run.jsonl.gz")
    assert len(rows) == 3000

    def difference(row: dict[str, Any]) -> str | None:
        got = dscov.placement(row["daemonset"], row["node"])
        have = {"shouldRun": got.should_run, "shouldContinueRunning": got.should_continue_running}
        return None if have == row["expect"] else f"got {have}, want {row['expect']} for {row}"

    assert_every_row(rows, difference)


def test_should_run_with_the_comparison_operators_off() -> None:
    rows = lines("should_run.jsonl.gz")
    assert sum("expect_comparison_operators_off" in row for row in rows) == 15

    def difference(row: dict[str, Any]) -> str | None:
        got = dscov.placement(row["daemonset"], row["node"], comparison_operators=False)
        have = {"shouldRun": got.should_run, "shouldContinueRunning": got.should_continue_running}
        want = row.get("expect_comparison_operators_off", row["expect"])
        return None if have == want else f"got {have}, want {want} for {row}"

    assert_every_row(rows, difference)


def test_should_run_gives_reasons_exactly_when_it_says_no() -> None:
    def difference(row: dict[str, Any]) -> str | None:
        got = dscov.placement(row["daemonset"], row["node"])
        fits = bool(got.reasons) is not got.should_run
        return None if fits else f"should_run {got.should_run} with reasons {got.reasons} for {row}"

    assert_every_row(lines("should_run.jsonl.gz"), difference)


def test_pod_requests() -> None:
    rows = lines("pod_requests.jsonl.gz")
    assert len(rows) == 600
    assert_every_row(rows, lambda row: difference_in_requests(dscov.pod_requests(row["pod"]), row["expect"]))


@pytest.mark.parametrize("version", ["1.36", "1.37"])
def test_requests_on_node(version: str) -> None:
    rows = lines("pod_requests_on_node.jsonl.gz")
    assert len(rows) == 400
    assert_every_row(
        rows,
        lambda row: difference_in_requests(
            dscov.requests_on_node(row["pod"], kubernetes=version), row["expect"][version]
        ),
    )


@pytest.mark.parametrize(
    ("spelling", "version"),
    [("v1.36.3", "1.36"), ("v1.36.3+k3s1", "1.36"), ("1.37.2", "1.37"), ("v1.37.2-gke.1", "1.37"), ("v1.38.0", "1.37")],
)
def test_requests_on_node_reads_the_version_as_servers_spell_it(spelling: str, version: str) -> None:
    differ = [
        row["pod"] for row in lines("pod_requests_on_node.jsonl.gz") if row["expect"]["1.36"] != row["expect"]["1.37"]
    ]
    assert differ
    for pod in differ:
        assert dscov.requests_on_node(pod, kubernetes=spelling) == dscov.requests_on_node(pod, kubernetes=version)


def test_requests_on_node_counts_as_1_37_unless_told() -> None:
    for row in lines("pod_requests_on_node.jsonl.gz"):
        assert dscov.requests_on_node(row["pod"]) == dscov.requests_on_node(row["pod"], kubernetes="1.37")


def test_quantity() -> None:
    rows = lines("quantity.jsonl.gz")
    assert len(rows) == 800

    def difference(row: dict[str, Any]) -> str | None:
        text, want = row["quantity"], row["expect"]
        try:
            got = exact(dscov.parse_quantity(text))
        except ValueError:
            # A huge amount is beyond what Kubernetes' own arithmetic answers soundly; refusing it is no crash.
            return None if want.keys() & {"error", "huge"} else f"{text!r}: ValueError, want {want}"
        if "huge" in want:
            return None
        if "error" in want:
            return f"{text!r}: got {got}, want an error"
        return _difference_in_quantity(text, got, want)

    assert_every_row(rows, difference)


def _difference_in_quantity(text: str, got: Fraction, want: dict[str, Any]) -> str | None:
    if got != Fraction(Decimal(want["exact"])):
        return f"{text!r}: got {got}, want exactly {want['exact']}"
    if "value" in want and ceil(got) != want["value"]:
        return f"{text!r}: whole units {ceil(got)}, want {want['value']}"
    if "milli" in want and ceil(got * 1000) != want["milli"]:
        return f"{text!r}: thousandths {ceil(got * 1000)}, want {want['milli']}"
    return None


def test_label_selector() -> None:
    rows = lines("label_selector.jsonl.gz")
    assert len(rows) == 300

    def difference(row: dict[str, Any]) -> str | None:
        try:
            have: dict[str, bool] = {"matches": dscov.parse_selector(row["selector"]).matches(row["labels"])}
        except ValueError:
            have = {"error": True}
        return (
            None
            if have == row["expect"]
            else f"{row['selector']!r} on {row['labels']}: got {have}, want {row['expect']}"
        )

    assert_every_row(rows, difference)


def test_rollout_bounds() -> None:
    rows = lines("rollout_bounds.jsonl.gz")
    assert len(rows) == 300

    def difference(row: dict[str, Any]) -> str | None:
        budget = dscov.rollout_budget(row["daemonset"], row["desired"])
        have = _bound("unavailable", lambda: budget.max_unavailable) | _bound("surge", lambda: budget.max_surge)
        strategy = row["daemonset"]["spec"].get("updateStrategy")
        return None if have == row["expect"] else f"{strategy} of {row['desired']}: got {have}, want {row['expect']}"

    assert_every_row(rows, difference)


def _bound(name: str, ask: Any) -> dict[str, Any]:
    try:
        return {name: ask()}
    except ValueError:
        return {f"{name}Error": True}
