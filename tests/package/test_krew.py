"""krew's own rules for manifests, and that the two manifests here say the same.

Rules: internal/index/validation/validate.go and cmd/validate-krew-manifest of krew v0.5.0; the length of the short
description is what the reviewers of krew-index ask for.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

import make_manifest
import pytest
import yaml

import dscov

ROOT = Path(__file__).parent.parent.parent
PLATFORMS = {("windows", "amd64"), ("linux", "amd64"), ("linux", "arm64"), ("darwin", "amd64"), ("darwin", "arm64")}
SHA = "0" * 64


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "plugin.yaml").read_text())
    return found


def rendered(tag: str) -> dict[str, Any]:
    """The template as the release bot renders it, every archive having the same checksum."""
    template = (ROOT / "krew-manifest" / "dscov.yaml").read_text()
    made: dict[str, Any] = yaml.safe_load(make_manifest.rendered(template, tag, lambda uri: SHA))
    return made


def test_the_template_renders_to_the_manifest() -> None:
    """But for the checksums, which the release fills in."""
    ours = manifest()
    for platform in ours["spec"]["platforms"]:
        platform["sha256"] = SHA
    assert rendered(ours["spec"]["version"]) == ours


def test_nothing_of_the_template_is_left() -> None:
    assert "{{" not in make_manifest.manifest("v9.9.9", ROOT / "nowhere")


def test_the_manifest_gets_the_checksums_that_lie_beside_the_archives(tmp_path: Path) -> None:
    (tmp_path / "kubectl-dscov-linux-arm64.tar.gz.sha256").write_text(f"{'a' * 64}  kubectl-dscov-linux-arm64.tar.gz\n")
    made = yaml.safe_load(make_manifest.manifest("v1.2.3", tmp_path))
    told = {platform["uri"].rpartition("/")[2]: platform["sha256"] for platform in made["spec"]["platforms"]}
    assert {name for name, checksum in told.items() if checksum != SHA} == {"kubectl-dscov-linux-arm64.tar.gz"}
    assert told["kubectl-dscov-linux-arm64.tar.gz"] == "a" * 64
    assert all("/download/v1.2.3/" in platform["uri"] for platform in made["spec"]["platforms"])


def test_a_release_must_have_them_all_and_be_of_this_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make_manifest.main(["--archives", str(tmp_path), "--all"]) == 1
    assert make_manifest.main(["--archives", str(tmp_path), "--tag", "v99.0.0"]) == 1
    assert list(tmp_path.iterdir()) == []
    assert make_manifest.main(["--archives", str(tmp_path)]) == 0
    assert (tmp_path / "plugin.yaml").exists()


def test_the_version_is_that_of_the_program() -> None:
    assert manifest()["spec"]["version"] == f"v{dscov.__version__}"


def test_the_head_is_as_krew_wants_it() -> None:
    ours = manifest()
    assert ours["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert ours["kind"] == "Plugin"
    assert re.fullmatch(r"[\w-]+", ours["metadata"]["name"])
    assert re.fullmatch(r"v\d+\.\d+\.\d+", ours["spec"]["version"])
    assert len(ours["spec"]["shortDescription"]) <= 50
    assert "\n" not in ours["spec"]["shortDescription"]
    assert max(map(len, ours["spec"]["description"].splitlines())) <= 80


def test_the_help_says_what_the_manifest_says() -> None:
    from kubectl_dscov.cli import cli

    assert (cli.help or "").startswith(manifest()["spec"]["shortDescription"].rstrip("."))


def test_the_description_is_no_manual() -> None:
    """Reviewers of krew-index send back usage texts, links and the words that say nothing."""
    spec = manifest()["spec"]
    assert not re.search(r"kubectl dscov|https?://|\$ ", spec["description"])
    assert not re.search(r"kubectl|plugin|kubernetes", spec["shortDescription"], re.IGNORECASE)
    assert set(spec) == {"version", "homepage", "shortDescription", "description", "platforms"}
    assert set(manifest()) == {"apiVersion", "kind", "metadata", "spec"}


def test_the_name_is_one_that_windows_and_kubectl_can_have() -> None:
    assert manifest()["metadata"]["name"] == "dscov"
    assert not re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", manifest()["metadata"]["name"])


@pytest.mark.parametrize("number", range(len(PLATFORMS)))
def test_every_platform_is_as_krew_wants_it(number: int) -> None:
    platform = manifest()["spec"]["platforms"][number]
    assert set(platform["selector"]["matchLabels"]) == {"os", "arch"}
    assert re.fullmatch(r"[a-f0-9]{64}", platform["sha256"])
    assert platform["uri"].startswith("https://")
    assert platform["uri"].endswith((".tar.gz", ".zip"))
    binary = PurePosixPath(platform["bin"])
    assert not binary.is_absolute()
    assert ".." not in binary.parts
    assert (binary.suffix == ".exe") == (platform["selector"]["matchLabels"]["os"] == "windows")


def test_all_platforms_are_there_once() -> None:
    selectors = [platform["selector"]["matchLabels"] for platform in manifest()["spec"]["platforms"]]
    assert {(found["os"], found["arch"]) for found in selectors} == PLATFORMS
    assert len(selectors) == len(PLATFORMS)
