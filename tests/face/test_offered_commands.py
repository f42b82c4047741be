"""The commands that a report offers for a patch: of the DaemonSet, from where it was read, harmless in a shell."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from conformance.command import run
from engine.build import NOW, ago, around, daemonset, node

from dscov import Remedy, Source
from kubectl_dscov.render.commands import fixing

PATCH = ({"op": "add", "path": "/spec/template/spec/tolerations", "value": []},)


@pytest.mark.parametrize(
    ("kind", "patch", "source", "words"),
    [
        ("patch", PATCH, Source("cluster"), ["kubectl", "dscov", "fix", "daemonset/a", "-n", "b"]),
        (
            "patch",
            PATCH,
            Source("saved", path="my cluster.json"),
            ["kubectl", "dscov", "fix", "daemonset/a", "-n", "b", "--from", "my cluster.json"],
        ),
        ("patch", (), Source("cluster"), []),
        ("policy", PATCH, Source("cluster"), []),
        ("no-patch", (), Source("cluster"), []),
    ],
)
def test_the_command_of_a_patch(
    kind: str, patch: tuple[dict[str, object], ...], source: Source, words: list[str]
) -> None:
    assert shlex.split(fixing(Remedy(kind, "x", target="b/a", patch=patch), source)) == words


def test_a_hostile_name_is_quoted() -> None:
    assert "'daemonset/$(x)'" in fixing(Remedy("patch", "x", target="b/$(x)", patch=PATCH), Source("cluster"))


def test_the_command_that_sets_a_class_reads_where_the_report_was_read(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "examples" / "shop", tmp_path / "my shop")
    report = run(["diagnose", "ds/trace-agent", "--from", str(tmp_path / "my shop")]).stdout
    command = next(line for line in report.splitlines() if "--set-priority-class" in line)
    assert shlex.split(command)[-2:] == ["--from", str(tmp_path / "my shop")]
    done = run(shlex.split(command)[2:])
    assert (done.code, "+      priorityClassName: node-agents" in done.stdout) == (0, True), done.stderr


def test_a_command_asks_what_the_report_was_asked(tmp_path: Path) -> None:
    """Without --expect and --policy `fix` would plan for another intent."""
    policy = tmp_path / "p.yaml"
    policy.write_text("apiVersion: dscov.dev/v1\nkind: CoveragePolicy\n")
    asked = ["--from", "examples/shop", "--expect", "pool=none", "--policy", str(policy)]
    answer = run(["diagnose", "ds/kube-proxy", "-n", "kube-system", *asked])
    assert answer.stderr.startswith("warning: no node has the labels that --expect names")
    told = answer.stdout
    offered = [shlex.split(line) for line in told.splitlines() if line.strip().startswith("kubectl dscov fix")]
    assert offered
    assert all(words[-4:] == ["--expect", "pool in (none)", "--policy", str(policy)] for words in offered)
    assert all(line.count(f"--policy {policy}") for line in told.splitlines() if "kubectl dscov explain" in line)


def test_a_command_judges_by_the_same_time_and_graces() -> None:
    judged = ["--now", "2026-05-12T10:00:00Z", "--node-grace", "60s", "--kubernetes-version", "v1.30.0"]
    told = run(["diagnose", "ds/log-agent", "-n", "logging", "--from", "examples/shop", *judged]).stdout
    offered = [shlex.split(line) for line in told.splitlines() if line.strip().startswith("kubectl dscov fix")]
    assert offered
    for words in offered:
        assert {"--now", "2026-05-12T10:00:00Z", "--node-grace", "60s"} <= set(words)
        assert words[words.index("--kubernetes-version") + 1] == "v1.30.0"
        assert "--pod-grace" not in words


def test_nothing_is_offered_where_nothing_would_be_planned(tmp_path: Path) -> None:
    """On a young node the taint may go by itself: a patch is told, and `fix` would find nothing to do yet."""
    objects = around(daemonset(), node("n1", "dedicated=db:NoSchedule", created=ago(1)))
    (tmp_path / "c.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    told = run(["diagnose", "--from", str(tmp_path / "c.json"), "--now", NOW.isoformat()]).stdout
    assert "patch: tolerate dedicated=db:NoSchedule" in told
    assert "kubectl dscov fix" not in told
