"""The hosted workflows: every action at a full commit hash, no rights but those that a job names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
#: The only jobs that may write, and what.
WRITING = {("release.yml", "publish"): {"contents", "id-token", "attestations"}, ("release.yml", "pypi"): {"id-token"}}


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    assert found["permissions"] == {}
    return found["jobs"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned(path: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", path.read_text())
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_rights_are_the_least(path: Path) -> None:
    for name, job in jobs(path).items():
        writes = {what for what, right in job.get("permissions", {}).items() if right != "read"}
        assert writes == WRITING.get((path.name, name), set())
        assert "timeout-minutes" in job


def test_one_action_has_one_hash_everywhere() -> None:
    used = {use for path in WORKFLOWS for use in re.findall(r"uses: (\S+)", path.read_text())}
    assert len(used) == len({use.partition("@")[0] for use in used})


def test_a_release_builds_every_platform_of_the_manifest() -> None:
    manifest = yaml.safe_load((ROOT / "plugin.yaml").read_text())
    wanted = {"-".join(one["selector"]["matchLabels"].values()) for one in manifest["spec"]["platforms"]}
    matrix = jobs(ROOT / ".github" / "workflows" / "release.yml")["build"]["strategy"]["matrix"]["include"]
    assert {one["target"] for one in matrix} == wanted
