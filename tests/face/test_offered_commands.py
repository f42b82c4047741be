"""The commands that a report offers are ones that `fix` takes."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from dscov import Remedy
from kubectl_dscov.cli import cli
from kubectl_dscov.render.commands import fixing

ROLLING = "/spec/updateStrategy/rollingUpdate"
POD = "/spec/template/spec"


@pytest.mark.parametrize(
    ("operation", "flags"),
    [
        ({"op": "add", "path": f"{POD}/priorityClassName", "value": "high"}, ["--set-priority-class", "high"]),
        ({"op": "replace", "path": f"{ROLLING}/maxUnavailable", "value": 2}, ["--set-max-unavailable", "2"]),
        ({"op": "replace", "path": f"{ROLLING}/maxSurge", "value": "10%"}, ["--set-max-surge", "10%"]),
        ({"op": "add", "path": f"{POD}/nodeSelector/a~1b", "value": "c"}, ["--set-selector", "a/b=c"]),
        (
            {"op": "add", "path": f"{POD}/tolerations/-", "value": {"key": "a", "operator": "Exists"}},
            ["--add-toleration", "a"],
        ),
        ({"op": "remove", "path": f"{POD}/tolerations/0"}, []),
        ({"op": "add", "path": f"{POD}/hostNetwork", "value": True}, []),
    ],
)
def test_the_command_of_a_patch(operation: dict[str, Any], flags: list[str]) -> None:
    words = shlex.split(fixing(Remedy("patch", "x", target="ns/name", patch=(operation,))))
    assert words == (["kubectl", "dscov", "fix", "daemonset/name", "-n", "ns", "-f", "FILE", *flags] if flags else [])
    command = cli.get_command(None, "fix")  # type: ignore[arg-type]
    assert command is not None
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known
