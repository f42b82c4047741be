"""The commands that a report offers for a patch: of the DaemonSet, from where it was read, harmless in a shell."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from conformance.command import run

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
