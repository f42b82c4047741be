"""The policy file: what it may say, and where exactly it is wrong."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dscov.errors import BadInput, NotFound
from dscov.kube.taints import Taint
from dscov.model.policy import Policy
from dscov.patches.exclusion import accept_exclusions
from dscov.policy import find_policy, parse_policy, read_policy, read_until

CAUSES = {"untolerated-taint", "quota"}
WHOLE = """\
apiVersion: dscov.dev/v1
kind: CoveragePolicy
virtualPools:
  - nodes: type=edge
    reason: no kubelet
daemonsets:
  - name: logging/*
    selector: tier=agent
    expect: all
    accept:
      - nodes: pool=gpu
        names: [a, "b-*"]
        cause: untolerated-taint
        taint: dedicated=db:NoSchedule
        reason: none needed
        until: 2026-12-31
"""


def parsed(text: str) -> Policy:
    return parse_policy(text, path="dscov.yaml", causes=CAUSES)


def test_all_that_it_can_say() -> None:
    policy = parsed(WHOLE)
    (rule,), (pool,) = policy.rules, policy.pools
    (exclusion,) = rule.accept
    assert (str(pool.nodes), pool.reason) == ("type in (edge)", "no kubelet")
    assert (rule.name, str(rule.selector), str(rule.expect)) == ("logging/*", "tier in (agent)", "")
    assert (exclusion.names, exclusion.cause, exclusion.reason) == (("a", "b-*"), "untolerated-taint", "none needed")
    assert exclusion.taint == Taint("dedicated", "db", "NoSchedule")
    assert exclusion.until == datetime(2027, 1, 1, tzinfo=UTC)
    assert exclusion.place == "dscov.yaml: daemonsets[0].accept[0]"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "kind: CoveragePolicy\n", "daemonsets: []\n"])
def test_a_file_that_says_nothing(text: str) -> None:
    assert parsed(text).rules == ()


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("kind: CoveragePolicy", "kind: Plugin", "dscov.yaml:2", "kind: must be CoveragePolicy"),
        ("dscov.dev/v1", "v1", "dscov.yaml:1", "apiVersion: must be"),
        ("nodes: type=edge", "node: type=edge", "dscov.yaml:4", "virtualPools[0].node: no such field"),
        ("nodes: type=edge", "nodes: a in (", "dscov.yaml:4", "virtualPools[0].nodes: found"),
        ("expect: all", "expect: ''", "dscov.yaml:9", "daemonsets[0].expect: must be a text"),
        ("expect: all", "expect: [a]", "dscov.yaml:9", "daemonsets[0].expect: must be a text"),
        ("cause: untolerated-taint", "cause: taint", "dscov.yaml:13", "accept[0].cause: 'taint' is no cause"),
        ("db:NoSchedule", "db:Never", "dscov.yaml:14", "accept[0].taint: 'dedicated=db:Never': the effect"),
        ("        reason: none needed\n", "", "dscov.yaml:11", "accept[0]: needs a reason"),
        ("2026-12-31", "2026-02-31", "dscov.yaml:16", "accept[0].until: '2026-02-31' is not a date"),
        ('[a, "b-*"]', "a", "dscov.yaml:12", "accept[0].names: must be a list"),
        ('[a, "b-*"]', "[true]", "dscov.yaml:12", "accept[0].names[0]: must be a text"),
        ("    selector: tier=agent\n", "    selector: 'a=b=c'\n", "dscov.yaml:8", "daemonsets[0].selector: "),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, place: str, problem: str) -> None:
    assert old in WHOLE
    with pytest.raises(BadInput) as caught:
        parsed(WHOLE.replace(old, new))
    assert caught.value.place == place
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    "text", ["[]", "a", "daemonsets: {}", "daemonsets: [1]", "daemonsets: [{}]", "a: b\n---\nc: d\n"]
)
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2026-12-31", "2027-01-01T00:00:00+00:00"),
        ("2026-12-31T18:00:00Z", "2026-12-31T18:00:00+00:00"),
        ("2026-12-31T18:00:00+02:00", "2026-12-31T18:00:00+02:00"),
    ],
)
def test_the_end_of_an_exclusion(text: str, end: str) -> None:
    assert read_until(text).isoformat() == end


@pytest.mark.parametrize("text", ["tomorrow", "", "31.12.2026", "9999-12-31"])
def test_what_is_no_end(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date"):
        read_until(text)


def test_the_file_that_lies_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_policy(causes=CAUSES) == Policy()
    Path("dscov.yaml").write_text("kind: Plugin\nmetadata: {name: dscov}\n")
    assert find_policy(causes=CAUSES) == Policy()
    Path("dscov.yaml").write_text(WHOLE)
    assert len(find_policy(causes=CAUSES).rules) == 1
    with pytest.raises(NotFound):
        read_policy("nowhere.yaml", causes=CAUSES)


NEW = {"nodes": "pool=gpu", "reason": "they log: elsewhere", "until": "2026-12-31"}
WRITTEN = '  - nodes: "pool=gpu"\n    reason: "they log: elsewhere"\n    until: "2026-12-31"\n'
HEAD = "apiVersion: dscov.dev/v1\nkind: CoveragePolicy\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"{HEAD}daemonsets:\n- name: logging/agent\n  accept:\n{WRITTEN}"),
        ("# ours", f"# ours\n{HEAD}daemonsets:\n- name: logging/agent\n  accept:\n{WRITTEN}"),
        (
            "daemonsets:\n- name: logging/agent # keep\n  expect: all\n- name: b\n",
            f"daemonsets:\n- name: logging/agent # keep\n  expect: all\n  accept:\n{WRITTEN}- name: b\n",
        ),
        (
            "daemonsets:\n- name: logging/agent\n  selector: a=b\n",
            f"daemonsets:\n- name: logging/agent\n  selector: a=b\n- name: logging/agent\n  accept:\n{WRITTEN}",
        ),
    ],
)
def test_an_exclusion_is_written_and_all_else_kept(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "dscov.yaml"
    if before is not None:
        path.write_text(before)
    edit = accept_exclusions(str(path), "logging/agent", [NEW], causes=CAUSES)
    assert edit.new.decode() == after
    path.write_bytes(edit.new)
    again = accept_exclusions(str(path), "logging/agent", [NEW], causes=CAUSES)
    assert again.new == again.old


def test_what_would_be_no_policy_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "dscov.yaml"
    with pytest.raises(BadInput, match="no policy"):
        accept_exclusions(str(path), "a", [{"nodes": "pool=gpu", "reason": " "}], causes=CAUSES)
    path.write_text("daemonsets: 1\n")
    with pytest.raises(BadInput, match="must be a list"):
        accept_exclusions(str(path), "a", [NEW], causes=CAUSES)


def test_a_file_that_never_ends_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path)):
        with pytest.raises(BadInput, match="not a plain file"):
            read_policy(path, causes=CAUSES)
