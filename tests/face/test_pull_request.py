"""The body of the pull request: what reviewers are told, and that no name in it does anything."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from face.fix import DATA, fix
from kubectl_dscov.render import marks

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def body(folder: Path, *words: object, name: str = "*", code: int = 0) -> str:
    done = fix(*words, "--output-dir", folder / "out")
    assert done.code == code, done.err
    (file,) = (folder / "out").glob(f"{name}.md")
    return file.read_text()


def planned(folder: Path, name: str, *more: object, source: Path = SHOP, code: int = 1) -> str:
    return body(folder, f"ds/{name}", "--from", source, *more, name=name, code=code)


def test_a_plan_tells_nodes_restarts_causes_and_checks(tmp_path: Path) -> None:
    text = planned(tmp_path, "log-agent")
    for part in (
        "# Scheduling of daemonset/log-agent\n\n- tolerate `nvidia.com/gpu=present:NoSchedule`\n",
        "- Gains 4 nodes, node.kubernetes.io/instance-type=g6.4xlarge: gpu-1, gpu-2, gpu-3, gpu-4.\n- Loses no node.\n",
        "- Restarts all 25 pods, at most 1 at a time \\(a rollout",
        "taint nvidia.com/gpu=present:NoSchedule is not tolerated (`untolerated-taint`).\n",
        "## What else is to be done\n",
        "(`node-lost`): bring the node back",
        "kubectl rollout status daemonset/log-agent -n logging\nkubectl dscov diagnose daemonset/log-agent -n logging\n",
        "kubectl dscov explain daemonset/log-agent node/gpu-1 -n logging\n```\n",
    ):
        assert part in text
    assert text.count("general-07 (") == 1, "what follows from a fault of the node is not told again"


def test_a_changed_strategy_restarts_only_what_waits(tmp_path: Path) -> None:
    text = planned(tmp_path, "cni-agent")
    assert "- Gains no node.\n" in text
    assert "Lets the rollout that waits go on: 18 pods of an old revision restart, at most 2 at a time." in text
    assert "18 old pods wait: maxUnavailable 1 is used up by general-07" in text


def test_a_file_shows_its_diff_and_where_to_apply_it(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop")
    file = tmp_path / "shop" / "daemonsets.yaml"
    text = planned(tmp_path, "log-agent", "-f", file)
    assert "```diff\n--- a/" in text
    assert "+        - key: nvidia.com/gpu\n" in text
    assert "Apply it in the folder where it was made" in text
    (tmp_path / ".git").mkdir()
    shutil.rmtree(tmp_path / "out")
    assert "Apply it at the top of the work tree" in planned(tmp_path, "log-agent", "-f", file)


def test_with_on_delete_nothing_restarts(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop")
    file = tmp_path / "shop" / "daemonsets.yaml"
    file.write_text(re.sub(r"type: RollingUpdate", "type: OnDelete", file.read_text()))
    text = planned(tmp_path, "log-agent", source=tmp_path / "shop")
    assert "- Restarts nothing by itself (OnDelete)" in text.replace("\\", "")
    assert "rollout status" not in text


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            ["--add-toleration", "a"],
            "Restarts every pod of the DaemonSet, node by node, as its update strategy allows.",
        ),
        (["--set-max-unavailable", "2"], "No pod restarts by itself: the pod template stays as it is."),
        (["--set-update-strategy", "OnDelete"], "No pod restarts by itself: the pod template stays as it is."),
        (["--set-update-strategy", "OnDelete", "--add-toleration", "a"], "Restarts nothing by itself (OnDelete)"),
    ],
)
def test_edits_without_a_cluster(flags: list[str], said: str, tmp_path: Path) -> None:
    text = body(tmp_path, "-f", DATA / "manifests" / "bare.yaml", *flags)
    assert said in text
    assert "## Nodes" not in text
    assert ("rollout status" in text) == ("every pod" in said or "OnDelete)" in said)


def test_values_of_a_chart_whose_template_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("agent:\n  tolerations: [{key: a}]\n")
    values = ("--values", tmp_path / "values.yaml", "--values-path", "agent.tolerations")
    text = body(tmp_path, *values, "--add-toleration", "b")
    assert "as its update strategy allows, unless its update strategy is OnDelete." in text


def test_of_many_nodes_ten_are_named(tmp_path: Path) -> None:
    words = ("ds/log-agent", "--from", SHOP, "--set-selector", "nowhere=1")
    text = body(tmp_path, *words)
    (line,) = [line for line in text.splitlines() if "Loses" in line]
    assert re.fullmatch(r"- \*\*Loses \d+ nodes.*: (\S+, ){10}and \d+ more\.\*\*", line)


EVIL = "x` @team #1 [a](http://evil) <img src=x> \x1b[2J ````\n# Head"


def test_no_name_does_anything(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop")
    for file in (tmp_path / "shop").glob("*.yaml"):
        raw = file.read_text().replace("value: present", f"value: {escaped(EVIL)}")
        file.write_text(raw.replace("name: gpu-1\n", f"name: {escaped(EVIL)}\n"))
    text = planned(tmp_path, "log-agent", source=tmp_path / "shop")
    assert "\x1b" not in text
    assert "\n# Head" not in text
    outside = re.sub(r"(?ms)^( *)(`{3,})\w*$.*?^\1\2$|(`+)[^`\n]+\3", "", text)
    assert "evil" in outside
    for sign in (" @team", " #1", "[a](", "http://", "<img"):
        assert sign not in outside


def escaped(text: str) -> str:
    return '"' + "".join(f"\\x{ord(c):02x}" if ord(c) < 32 else c for c in text) + '"'


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("tolerate `a`", "tolerate `a`"),
        ("tolerate `a` [x](y) `b`", "tolerate `a` \\[x\\]\\(y\\) `b`"),
        ("tolerate `a``", "tolerate \\`a\\`\\`"),
        ("<b> `<b>\n`", "&lt;b&gt; `<b>\\x0a`"),
    ],
)
def test_code_in_words(words: str, want: str) -> None:
    assert marks.with_code(words) == want


def test_a_fence_is_longer_than_any_inside() -> None:
    assert marks.fenced("a\n`````\n\tb\x1b\n", "sh") == ["``````sh", "a", "`````", "\tb\\x1b", "``````"]


def test_values_of_no_daemonset_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("a: 1\n")
    words = ["--values", str(tmp_path / "v.yaml"), "--values-path", "b.tolerations", "--offline"]
    assert fix(*words, "--add-toleration", "x", "--output-dir", str(tmp_path / "out"), "--yes").code == 0
    (text,) = [file.read_text() for file in (tmp_path / "out").glob("*.md")]
    assert text.startswith("# Scheduling of ")
    assert "daemonset/" not in text
