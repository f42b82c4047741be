"""Every cause that a patch of the DaemonSet cures: told, patched, verified by what is there afterwards, taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.curables.rollouts import ROLLOUTS
from cluster.curables.selectors import SELECTORS
from cluster.curables.table import Curable, Table
from cluster.curables.taints import TAINTS
from cluster.curables.waiting import ADMITTED, WAITING
from cluster.curables.world import World
from cluster.handle import Cluster
from cluster.local.plane import Settings
from dscov import causes

CURABLE: Table = {**TAINTS, **SELECTORS, **WAITING, **ROLLOUTS}
#: What a module says of a cause whose remedy can be a patch.
PATCHES = ('"patch",', '"patch")', "make_room", "repeat_in_template", "without_surge")


def test_every_cause_with_a_patch_is_tried() -> None:
    files = Path(causes.__path__[0]).glob("*.py")
    patching = {file.stem.replace("_", "-") for file in files if any(word in file.read_text() for word in PATCHES)}
    assert {case.cause for case in (CURABLE | ADMITTED).values()} >= patching
    assert len(patching) >= 25


@pytest.mark.parametrize("name", CURABLE)
def test_a_curable_cause_is_cured_and_taken_back(world: World, state: dict[str, str], name: str) -> None:
    cured_and_taken_back(world, state, CURABLE[name])


@pytest.mark.parametrize("name", ADMITTED)
def test_a_selector_of_admission_is_repeated(
    new_cluster: Callable[..., Cluster], state: dict[str, str], name: str
) -> None:
    cluster = new_cluster(Settings(admission_plugins=("PodNodeSelector",)))
    world = World(cluster, cluster.make_namespace(), lambda *nodes: cluster.api.create_all(nodes))
    cured_and_taken_back(world, state, ADMITTED[name])


def cured_and_taken_back(world: World, state: dict[str, str], case: Curable) -> None:
    """The whole story of one cause."""
    case.make(world)
    assert case.cause in world.causes()
    before = world.now()["spec"]
    name = f"daemonset/{world.name}"
    with world.kubelet(but=case.dead):
        done = world.fix(state, name, "--yes", "--wait", "--timeout", "90s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"verified {name}" in done.stderr
    assert case.says in " ".join(done.stdout.split())
    assert world.covered() == case.covered
    assert world.served() == case.covered
    assert world.outdated() == []
    assert world.now()["spec"] != before
    taken = world.fix(state, name, "--yes", verb="undo")
    assert taken.returncode == 0, taken.stderr
    assert world.now()["spec"] == before
