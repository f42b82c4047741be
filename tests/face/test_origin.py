"""The origin of a DaemonSet as people see it: 80 columns, nothing raw, commands that a shell takes as they are."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from dscov import Origin
from kubectl_dscov.render.origin import lines

FLUX = Origin(
    "flux",
    "spec.values of the Flux HelmRelease flux-system/logs (chart fluent-bit 0.48 of HelmRepository flux-system/fluent "
    "(https://fluent.example.com/charts)), applied by the Flux Kustomization flux-system/infra: the folder clusters/prod "
    "of GitRepository flux-system/fleet (https://git.example.com/fleet.git, branch main)",
    text="spec:\n  values:\n    tolerations:\n    - key: gpu\n      operator: Exists\n",
    commands=(
        (
            "kubectl patch helmreleases.v2.helm.toolkit.fluxcd.io logs -n flux-system --type=merge -p "
            '\'{"spec":{"values":{"tolerations":[{"key":"it\'"\'"\'s a","operator":"Exists"}]}}}\''
        ),
    ),
    notes=("Helm replaces lists, it never merges them: each list is the whole list that the chart gets",),
    fate="undone at the next upgrade of the release (drift detection is off)",
)
WHOLE = """\
  the change belongs into spec.values of the Flux HelmRelease flux-system/logs
    (chart fluent-bit 0.48 of HelmRepository flux-system/fluent
    (https://fluent.example.com/charts)), applied by the Flux Kustomization
    flux-system/infra: the folder clusters/prod of GitRepository
    flux-system/fleet (https://git.example.com/fleet.git, branch main)
  a live edit is undone at the next upgrade of the release (drift detection is
    off)

    spec:
      values:
        tolerations:
        - key: gpu
          operator: Exists

    kubectl patch helmreleases.v2.helm.toolkit.fluxcd.io logs -n flux-system \\
      --type=merge -p \\
      '{"spec":{"values":{"tolerations":[{"key":"it'"'"'s a","operator":"Exists"}]}}}'

  note: Helm replaces lists, it never merges them: each list is the whole list
    that the chart gets"""


def test_whole() -> None:
    assert "\n".join(lines(FLUX, colour=False)) == WHOLE


def test_colour_changes_no_word() -> None:
    shown = "\n".join(lines(FLUX, colour=True))
    assert "\x1b[32m" in shown
    assert re.sub(r"\x1b\[\d+m", "", shown) == WHOLE


def test_a_command_is_what_it_was_to_a_shell() -> None:
    shown = [line for line in WHOLE.splitlines() if line.startswith("    ")]
    start = next(number for number, line in enumerate(shown) if "kubectl patch" in line)
    script = "kubectl() { printf '%s\\0' \"$@\"; }\n" + "\n".join(shown[start : start + 3])
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\0")[:-1] == shlex.split(FLUX.commands[0])[1:]


def test_what_is_empty_leaves_no_gap() -> None:
    assert list(lines(Origin("none", "the manifest"), colour=False)) == ["  the change belongs into the manifest"]


@pytest.mark.parametrize("bad", ["\x1b[2J", "\u202e", "\x9b", "\r"])
def test_nothing_raw_reaches_a_terminal(bad: str) -> None:
    origin = Origin("none", f"a{bad}", text=f"a: {bad}\n", commands=(f"a {bad}",), notes=(bad,), fate=bad)
    shown = list(lines(origin, colour=False))
    assert all(line.isprintable() for line in shown)
    assert len(shown) == 8


def test_a_long_word_is_not_broken() -> None:
    url = "https://git.example.com/" + "x" * 90
    assert any(url in line for line in lines(Origin("none", f"the folder of {url}"), colour=False))
