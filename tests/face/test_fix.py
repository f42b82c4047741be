"""`fix` as a command: how the DaemonSet is found, what is shown and asked, what comes back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click
import pytest

from face.fix import DATA, fix
from kubectl_dscov import prompt

ADD = ("--add-toleration", "dedicated=gpu:NoSchedule")
GPU = DATA / "manifests" / "gpu-agent.yaml"
BARE = (DATA / "manifests" / "bare.yaml").read_text()

DIFF = """\
--- a/bare.yaml
+++ b/bare.yaml
@@ -18,3 +18,8 @@
           - name: MODE
             value: "yes"
       # hostNetwork: true
+      tolerations:
+        - key: dedicated
+          operator: Equal
+          value: gpu
+          effect: NoSchedule
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECTL_EXTERNAL_DIFF", raising=False)
    Path("bare.yaml").write_text(BARE)
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, *, yes: bool = True, number: int = 0) -> list[str]:
    asked: list[str] = []

    def confirmed(question: str) -> bool:
        asked.append(question)
        return yes

    def chosen(_question: str, choices: list[str]) -> int:
        asked.extend(choices)
        return number

    monkeypatch.setattr(prompt, "can_ask", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda question, **_: confirmed(question))
    monkeypatch.setattr(prompt, "chosen", chosen)
    return asked


def test_shows_the_diff_and_writes(folder: Path) -> None:
    done = fix("bare", "-f", "bare.yaml", *ADD, "--yes")
    assert (done.code, done.text, done.err) == (0, DIFF, "wrote bare.yaml\n")
    assert Path("bare.yaml").read_text() == BARE + DIFF.partition("true\n")[2].replace("\n+", "\n").removeprefix("+")


def test_dry_run_writes_nothing(folder: Path) -> None:
    done = fix("-f", "bare.yaml", *ADD, "--dry-run", "--yes")
    assert (done.code, done.text) == (0, DIFF)
    assert Path("bare.yaml").read_text() == BARE


def test_asks_and_takes_no_for_an_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(monkeypatch, yes=False)
    done = fix("-f", "bare.yaml", *ADD)
    assert (done.code, asked) == (4, ["Write this to bare.yaml?"])
    assert "declined; nothing was written" in done.err
    assert Path("bare.yaml").read_text() == BARE
    answer(monkeypatch, yes=True)
    assert fix("-f", "bare.yaml", *ADD).code == 0
    assert "dedicated" in Path("bare.yaml").read_text()


def test_nobody_to_ask(folder: Path) -> None:
    done = fix("-f", "bare.yaml", *ADD)
    assert done.code == 4
    assert "nobody can be asked" in done.err
    assert "--yes" in done.err


@pytest.mark.parametrize("name", ["daemonset/bare", "ds/bare", "daemonsets.apps/bare", "bare"])
def test_names(folder: Path, name: str) -> None:
    assert fix(name, "-f", ".", *ADD, "--yes").code == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-f", "bare.yaml"], 3, "no kubeconfig was found"),
        ([*ADD], 2, "say which DaemonSet the edits are for"),
        (["-f", "bare.yaml", "--offline"], 2, "--offline asks no cluster"),
        (["-f", "bare.yaml", "--wait", *ADD], 2, "are for live objects, not for files"),
        (["-f", "bare.yaml", "-o", "json", *ADD], 2, "-o json prints the plan for live objects"),
        (["-f", "bare.yaml", "--cause", "quota", *ADD], 2, "edits that you spell out need no plan"),
        (["node/bare", "-f", "bare.yaml", *ADD], 2, "fix takes DaemonSets"),
        (["bare", "other", "-f", "bare.yaml", *ADD], 2, "one DaemonSet at a time"),
        (["--plan", "plan.json", *ADD], 2, "--plan says all that is to be done"),
        (["-f", "bare.yaml", "-k", ".", *ADD], 2, "name the files"),
        (["deploy/bare", "-f", "bare.yaml", *ADD], 2, "the kind must be daemonset"),
        (["-f", "bare.yaml", "--add-toleration", "a:Sometimes"], 2, "the effect is one of"),
        (["-f", "bare.yaml", "--add-toleration", "a b"], 2, "is not KEY[=VALUE][:EFFECT]"),
        (["-f", "bare.yaml", "--set-selector", "disk"], 2, "is not KEY=VALUE"),
        (["-f", "bare.yaml", "--add-affinity", "disk in ssd"], 2, "is not an expression"),
        (["-f", "bare.yaml", "--set-max-surge", "few"], 2, "neither a count nor a percentage"),
        (["other", "-f", ".", *ADD], 2, "daemonset/other is not in these files; there is daemonset/bare"),
        (["-n", "kube-system", "gpu-agent", "-f", str(GPU), *ADD], 2, "into namespace monitoring, not kube-system"),
        (["-f", "absent.yaml", *ADD], 3, "absent.yaml: No such file"),
        (["-f", "/dev/null", *ADD], 3, "not a regular file"),
        (["-f", "bare.yaml", "--change-toleration", "a", "b"], 2, "no toleration a to change"),
    ],
)
def test_exit_codes(folder: Path, words: list[str], code: int, said: str) -> None:
    done = fix(*words, "--yes")
    assert said in done.err
    assert done.code == code
    assert Path("bare.yaml").read_text() == BARE


def test_a_folder_is_searched_to_the_bottom(folder: Path) -> None:
    Path("a/b").mkdir(parents=True)
    Path("bare.yaml").rename("a/b/bare.yml")
    Path("a/broken.yaml").write_text("{{- if x }}\nkind: Service\n")
    done = fix("bare", "-f", ".", *ADD, "--yes")
    assert (done.code, done.err) == (0, "wrote a/b/bare.yml\n")


def test_a_template_of_a_daemonset_is_the_reason(folder: Path) -> None:
    Path("broken.yaml").write_text("kind: DaemonSet\nmetadata:\n  name: {{ .x }}\n")
    done = fix("other", "-f", ".", *ADD, "--yes")
    assert done.code == 4
    assert "broken.yaml: a template, not YAML" in done.err
    assert "--values" in done.err


def test_several_are_listed(folder: Path) -> None:
    Path("two.yaml").write_text(BARE + "---\n" + BARE.replace("name: bare", "name: bare\n  namespace: b", 1))
    done = fix("bare", "-f", "two.yaml", *ADD, "--yes")
    assert done.code == 4
    assert "two.yaml:1: daemonset/bare, two.yaml:22: daemonset/bare -n b" in done.err
    assert Path("two.yaml").read_text().count("dedicated") == 0


def test_several_are_asked_about(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("two.yaml").write_text(BARE + "---\n" + BARE)
    asked = answer(monkeypatch, number=1)
    assert fix("bare", "-f", "two.yaml", *ADD).code == 0
    assert asked == ["two.yaml:1: daemonset/bare", "two.yaml:22: daemonset/bare", "Write this to two.yaml?"]
    assert Path("two.yaml").read_text().startswith(BARE + "---\n")


def test_a_daemonset_inside_a_configmap_is_only_text(folder: Path) -> None:
    inner = "".join("    " + line for line in BARE.splitlines(keepends=True))
    Path("cm.yaml").write_text("kind: ConfigMap\nmetadata: {name: cm}\ndata:\n  ds.yaml: |\n" + inner)
    Path("bare.yaml").unlink()
    done = fix("bare", "-f", ".", *ADD, "--yes")
    assert done.code == 4
    assert "cm.yaml: daemonset/bare is only text inside a ConfigMap (line 4)" in done.err


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_links_that_leave_the_folder_are_left_alone(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "ds.yaml"
    outside.write_text(BARE.replace("name: bare", "name: away"))
    Path("inside").mkdir()
    Path("inside/link.yaml").symlink_to(outside)
    assert fix("away", "-f", "inside", *ADD, "--yes").code == 2
    assert "dedicated" not in outside.read_text()
    assert fix("away", "-f", "inside/link.yaml", *ADD, "--yes").code == 0
    assert Path("inside/link.yaml").is_symlink()
    assert "dedicated" in outside.read_text()


def test_a_strategic_patch_gets_a_warning(folder: Path) -> None:
    patch = "kind: DaemonSet\nmetadata: {name: bare}\nspec:\n  template:\n    spec:\n      hostPID: true\n"
    Path("patch.yaml").write_text(patch)
    done = fix("bare", "-f", "patch.yaml", *ADD, "--yes")
    assert done.code == 0
    assert "replaces that of its base" in done.err


def test_a_strategic_patch_of_a_kustomization_is_refused(folder: Path) -> None:
    patch = "kind: DaemonSet\nmetadata: {name: bare}\nspec:\n  template:\n    spec:\n      hostPID: true\n"
    Path("patch.yaml").write_text(patch)
    Path("kustomization.yaml").write_text("resources: [bare.yaml]\npatches:\n- path: patch.yaml\n")
    done = fix("bare", "-f", "patch.yaml", *ADD, "--yes")
    assert done.code == 4
    assert "-k" in done.err
    assert Path("patch.yaml").read_text() == patch


def test_hostile_names_do_not_reach_the_terminal(folder: Path) -> None:
    Path("evil.yaml").write_text(BARE.replace("name: bare", 'name: "a\\e[2Jb"', 1).replace("- name: bare", "- name: x"))
    done = fix("-f", "evil.yaml", *ADD, "--yes")
    assert done.code == 0
    assert "\x1b" not in done.err + done.text


def test_external_diff(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = folder / "my-diff"
    tool.write_text('#!/bin/sh\necho "$@" | sed "s#/.*/##g" > args\ndiff -r "$2" "$3" > shown\n')
    tool.chmod(0o755)
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", f"{tool} -u ;rm")
    done = fix("-f", "bare.yaml", *ADD, "--yes")
    assert (done.code, done.text) == (0, "")
    assert Path("args").read_text() == "-u NEW\n"
    assert "+" not in Path("shown").read_text()
    assert "> " in Path("shown").read_text()


def test_output_dir(folder: Path) -> None:
    done = fix("bare", "-f", "bare.yaml", *ADD, "--output-dir", "out")
    assert done.code == 0
    assert Path("bare.yaml").read_text() == BARE
    names = sorted(path.name for path in Path("out").iterdir())
    assert names == ["bare.json-patch.json", "bare.kustomize.yaml", "bare.md", "bare.patch", "bare.strategic.yaml"]
    assert Path("out/bare.patch").read_text() == DIFF
    body = Path("out/bare.md").read_text()
    assert body.startswith("# Scheduling of daemonset/bare\n\n- tolerate `dedicated=gpu:NoSchedule`\n")
    assert DIFF in body
    again = fix("bare", "-f", "bare.yaml", *ADD, "--output-dir", "out")
    assert (again.code, again.err) == (0, "out: holds these files already\n")


@pytest.mark.parametrize(
    ("form", "want"),
    [
        ("diff", DIFF),
        (
            "json-patch",
            '[\n  {\n    "op": "test",\n    "path": "/spec/template/spec/tolerations",\n    "value": null\n  },',
        ),
        (
            "strategic",
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: bare\nspec:\n  template:\n    spec:\n      tolerations:\n",
        ),
        ("kustomize", "patches:\n- target:\n    kind: DaemonSet\n    name: bare\n  patch: |-\n    - op: test\n"),
        ("yaml", BARE + "      tolerations:\n"),
    ],
)
def test_forms_touch_no_file(folder: Path, form: str, want: str) -> None:
    done = fix("bare", "-f", "bare.yaml", *ADD, "-o", form)
    assert done.code == 0
    assert done.text.startswith(want)
    assert Path("bare.yaml").read_text() == BARE


def test_no_final_newline_is_marked(folder: Path) -> None:
    Path("bare.yaml").write_text(BARE.rstrip("\n"))
    lines = fix("-f", "bare.yaml", *ADD, "-o", "diff").text.splitlines()
    assert lines.count("\\ No newline at end of file") == 2
    assert lines[-2:] == ["+          effect: NoSchedule", "\\ No newline at end of file"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--plan", ""], "--plan is empty"),
        (["-f", ""], "--filename is empty"),
        (["-k", "", *ADD], "--kustomize is empty"),
        (["--values", "", *ADD], "--values is empty"),
        (["--chart", "", *ADD], "--chart is empty"),
        (["--from", ""], "--from is empty"),
        (["--save-plan", ""], "--save-plan is empty"),
        (["--output-dir", ""], "--output-dir is empty"),
        (["--set-priority-class", "", "-f", "bare.yaml"], "--set-priority-class is empty"),
        (["--nodes", ""], "--nodes is empty"),
        (["", "-f", "bare.yaml", *ADD], "is empty"),
        (["ds/", "-f", "bare.yaml", *ADD], "the name is missing"),
        (["-f", "bare.yaml", "--add-toleration", ""], "write * for every key"),
        (["-f", "bare.yaml", "--add-toleration", ":NoSchedule"], "write * for every key"),
        (["-f", "bare.yaml", "--set-max-unavailable", "1" * 24], "neither a count nor a percentage"),
        (["ds/bare", "--values-path", "a.b", *ADD], "name that with --values or --chart"),
        (["--plan", "p", "--nodes", "x"], "--plan says all that is to be done"),
        (["-o", "diff", "--output-dir", "d"], "give one of them"),
        (["--dry-run", "--save-plan", "p"], "--dry-run shows and does nothing"),
        (["--cause", "untolerated-tain"], "did you mean untolerated-taint"),
    ],
)
def test_flags_that_would_do_harm(folder: Path, words: list[str], said: str) -> None:
    done = fix(*words, "--yes")
    assert (done.code, said in done.err) == (2, True), done.err
    assert Path("bare.yaml").read_text() == BARE


def test_a_name_after_a_bare_dry_run(folder: Path) -> None:
    done = fix("--dry-run", "ds/bare", "-f", "bare.yaml", *ADD)
    assert (done.code, "dry run" in done.err) == (0, True)


# -- planned edits ---------------------------------------------------------------------------------------------------

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the example that may be written to."""
    place = tmp_path / "shop"
    shutil.copytree(SHOP, place)
    return place


def test_a_plan_is_written_into_the_file_and_then_there_is_none(shop: Path) -> None:
    words = ("ds/log-agent", "--from", shop, "--cause", "untolerated-taint")
    done = fix(*words, "-f", shop / "daemonsets.yaml", "--yes")
    assert (done.code, "wrote " in done.err) == (0, True)
    before, after = ((place / "daemonsets.yaml").read_bytes().splitlines() for place in (SHOP, shop))
    added = [line.strip() for line in after if line not in before or after.count(line) > before.count(line)]
    assert len(after) == len(before) + 4
    assert b"- key: nvidia.com/gpu" in added
    again = fix("ds/log-agent", "--from", SHOP, *words[3:], "-f", shop / "daemonsets.yaml", "--yes")
    told = (
        f"logging/log-agent: nothing to do: {shop / 'daemonsets.yaml'} has it already, the saved cluster does not yet\n"
    )
    assert (again.code, again.text, again.err) == (0, "", told)


def test_what_is_there_already_is_said_in_short_beside_what_is_not(shop: Path) -> None:
    words = ("-A", "--from", SHOP, "-f", shop / "daemonsets.yaml", "--yes")
    assert fix("ds/log-agent", *words[1:]).code == 1
    rest = fix(*words)
    assert "has it already" in rest.err
    assert "monitoring/node-exporter: 4 nodes" in rest.text
    assert "logging/log-agent: 4 nodes" not in rest.text
    assert rest.text.count("+++ b/") == 3
    done = fix(*words)
    assert (done.code, done.text.count("+++ b/"), done.err.count("has it already")) == (1, 0, 4)
    assert done.text.startswith("No patch of a DaemonSet mends these:")


def test_a_daemonset_that_is_not_in_the_files(shop: Path) -> None:
    (shop / "other.yaml").write_text((SHOP / "daemonsets.yaml").read_text().replace("name: log-agent", "name: else"))
    done = fix("ds/log-agent", "--from", SHOP, "-f", shop / "other.yaml", "--yes")
    assert (done.code, "logging/log-agent: not in these files" in done.err) == (1, True)


def test_patch_files_of_a_live_object(tmp_path: Path) -> None:
    folder = tmp_path / "patches"
    done = fix("ds/log-agent", "--from", SHOP, "--cause", "untolerated-taint", "--output-dir", folder)
    assert done.code == 0, done.err
    assert {path.name for path in folder.iterdir()} == {
        "log-agent.md",
        "log-agent.json-patch.json",
        "log-agent.strategic.yaml",
        "log-agent.kustomize.yaml",
    }


def test_a_plan_file_of_a_saved_cluster(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert fix("ds/log-agent", "--from", SHOP, "--save-plan", plan).code == 1
    done = fix("--from", SHOP, "--plan", plan)
    assert (done.code, "tolerate nvidia.com/gpu=present:NoSchedule" in done.text) == (0, True)
    assert fix("--from", SHOP, "--plan", plan, "-n", "logging").code == 0
    assert fix("--from", SHOP, "--plan", plan, "-n", "shop").code == 2
    assert fix("--from", SHOP, "--plan", plan, "--yes").code == 4
    plan.write_text(plan.read_text().replace('"gains": [\n          "gpu-1",', '"gains": ['))
    assert (fix("--from", SHOP, "--plan", plan).code, fix("--plan", tmp_path / "none").code) == (4, 3)


def test_what_could_not_be_seen_is_no_all_clear(shop: Path) -> None:
    (shop / "nodes.yaml").unlink()
    done = fix("-A", "--from", shop)
    assert (done.code, "not seen: nodes" in done.err, "nothing to do" in done.err) == (3, True, False)


def test_edits_that_are_spelt_out_for_a_live_object() -> None:
    done = fix("ds/log-agent", "--from", SHOP, "--set-priority-class", "system-node-critical")
    assert (done.code, "system-node-critical" in done.text) == (0, True)
    assert fix("ds/log-agent", "ds/kube-proxy", "--from", SHOP, "--remove-toleration", "nobody").code == 0


GONE = ("--remove-toleration", "nobody:NoSchedule", "--unset-selector", "nothing")
MISSING = ["there is no toleration nobody:NoSchedule to take out", "there is no label nothing in nodeSelector"]


def test_what_is_not_there_is_not_listed_as_taken_out(folder: Path) -> None:
    done = fix("ds/log-agent", "--from", SHOP, *GONE, "--set-priority-class", "high")
    assert "run with the priority class `high`" in done.text
    assert "no more" not in done.text
    assert all(f"note: {text}" in " ".join(done.text.split()) for text in MISSING)
    in_file = fix("-f", "bare.yaml", *GONE, *ADD, "--output-dir", "out")
    assert in_file.code == 0
    assert all(f"note: {text}\n" in in_file.err for text in MISSING)
    body = Path("out/bare.md").read_text()
    assert "- tolerate `dedicated=gpu:NoSchedule`\n" in body
    assert "no more" not in body
    assert "do not select" not in body


def test_what_is_not_there_alone(folder: Path) -> None:
    for words in (("-f", "bare.yaml"), ("ds/log-agent", "--from", SHOP)):
        done = fix(*words, *GONE)
        assert (done.code, done.text, "nothing to do" in done.err) == (0, "", True)
        assert all(f"{text}\n" in done.err for text in MISSING)


def test_several_in_one_kustomization() -> None:
    done = fix("-A", "--from", SHOP, "-o", "kustomize")
    assert done.text.count("patches:") == 1
    assert done.text.count("- target:") == 4


def test_what_is_there_is_replaced_only_after_a_yes(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    words = ("ds/log-agent", "--from", SHOP, "--save-plan", mine)
    assert (fix(*words).code, mine.read_text()) == (4, "mine")
    assert fix(*words, "--yes").code == 1
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "log-agent.md").write_text("mine")
    words = ("ds/log-agent", "--from", SHOP, "--output-dir", folder)
    assert (fix(*words).code, (folder / "log-agent.md").read_text()) == (4, "mine")


# -- a manifest that is not as the live object -----------------------------------------------------------------------

SPOT = """\
        - effect: NoSchedule
          key: capacity
          operator: Equal
          value: spot
"""
LIST = "        tolerations:\n"
LOG_AGENT = ("ds/log-agent", "--from", SHOP, "--cause", "untolerated-taint")


def drifted(shop: Path, old: str, new: str) -> Path:
    file = shop / "daemonsets.yaml"
    head, middle, tail = file.read_text().partition("name: log-agent\n")
    assert old in tail
    file.write_text(head + middle + tail.replace(old, new, 1))
    return file


def test_what_only_the_live_object_tolerates_is_told_with_the_nodes_it_costs(shop: Path, tmp_path: Path) -> None:
    file = drifted(shop, SPOT, "")
    told = (
        f"{file} differs from the object in the cluster in tolerations "
        "(only in the cluster: capacity=spot:NoSchedule): "
        "what is promised holds for the object in the cluster; applying the file loses "
    )
    done = fix(*LOG_AGENT, "-f", file, "-o", "diff")
    assert f"warning: {told}" in done.err
    fix(*LOG_AGENT, "-f", file, "--output-dir", tmp_path / "out")
    body = (tmp_path / "out" / "log-agent.md").read_text()
    assert "- **Warning: " in body
    assert "capacity=spot:NoSchedule" in body.partition("**Warning")[2].partition("\n")[0]
    fix(*LOG_AGENT, "-f", file, "--yes")
    again = fix(*LOG_AGENT, "-f", file, "--yes")
    assert ("has it already" in again.err, f"warning: {told}" in again.err) == (True, True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SPOT, SPOT.replace("          operator: Equal\n", ""), None),
        (SPOT, "", "in tolerations (only in the cluster: capacity=spot:NoSchedule)"),
        (SPOT, SPOT + SPOT, None),
        (SPOT, SPOT + SPOT.replace("spot", "old"), "in tolerations (only in the file: capacity=old:NoSchedule)"),
        (LIST, "        nodeSelector: {pool: none}\n" + LIST, "in nodeSelector (only in the file: pool=none)"),
        (LIST, "        nodeSelector: {}\n        nodeName: ''\n" + LIST, None),
        (LIST, "        nodeName: web-1\n" + LIST, "in nodeName (only in the file: web-1)"),
        (LIST, "        priorityClassName: low\n" + LIST, "in priorityClassName (only in the file: low)"),
        ("maxUnavailable: 1", "maxUnavailable: 2", "only in the cluster: maxUnavailable=1; only in the file: max"),
        ("        maxUnavailable: 1\n", "", None),
    ],
)
def test_drift_is_one_of_meaning(shop: Path, old: str, new: str, said: str | None) -> None:
    done = fix(*LOG_AGENT, "-f", drifted(shop, old, new), "--dry-run")
    assert done.code == 0, done.err
    assert (said in done.err) if said else ("differs" not in done.err), done.err


def test_a_no_after_a_yes_is_for_that_file_alone(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (shop / "daemonsets.yaml").read_text()
    answers = iter([True, False, True, False])
    monkeypatch.setattr(prompt, "can_ask", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda *_, **__: next(answers))
    done = fix("-A", "--from", SHOP, "-f", shop / "daemonsets.yaml")
    assert (done.code, next(answers, None)) == (4, None)
    told = [line for line in done.err.splitlines() if line.startswith(("wrote", "declined", "error"))]
    assert [line.split()[0] for line in told] == ["wrote", "declined:", "wrote", "declined:"]
    assert told[1].endswith(": nothing was written for it")
    assert (shop / "daemonsets.yaml").read_text() != before


# -- files that hold no DaemonSet ------------------------------------------------------------------------------------

WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
LIST_OF_TWO = "kind: List\nitems:\n- {kind: Service, metadata: {name: a}}\n- {kind: Secret, metadata: {}}\n"


@pytest.mark.parametrize("more", [(), ADD], ids=["planned", "spelt out"])
@pytest.mark.parametrize(
    ("texts", "words", "code", "said"),
    [
        ({"web.yaml": WEB}, ("-f", "web.yaml"), 2, "web.yaml holds no DaemonSet; it holds Deployment web"),
        ({"l.yaml": LIST_OF_TWO}, ("-f", "l.yaml"), 2, "l.yaml holds no DaemonSet; it holds Service a, Secret"),
        ({"e.yaml": "# nothing\n"}, ("-f", "e.yaml"), 2, "e.yaml holds no DaemonSet"),
        (
            {"d/a.yaml": WEB + "---\n" + WEB, "d/b.yaml": WEB + "---\n" + WEB},
            ("-f", "d"),
            2,
            "these 2 files hold no DaemonSet; they hold Deployment web, Deployment web, Deployment web and more",
        ),
        ({"d/x.txt": WEB}, ("-f", "d"), 2, "there is no file of YAML or JSON here, and so no DaemonSet"),
        ({"b.yaml": "a: [\n"}, ("-f", "b.yaml"), 4, "b.yaml:2:1: not YAML"),
        ({"b.yaml": "kind: DaemonSet\na: [\n"}, ("-f", "b.yaml", "-f", "b.yaml"), 4, "b.yaml:3:1: not YAML"),
        ({}, ("-f", "none.yaml"), 3, "none.yaml: No such file or directory"),
        ({"d/x.txt": ""}, ("-k", "d"), 2, "d: no kustomization.yaml"),
        ({}, ("--values", "none.yaml", "--values-path", "tolerations"), 3, "none.yaml: No such file or directory"),
    ],
)
def test_no_daemonset_is_said_before_a_plan(
    texts: dict[str, str], words: tuple[str, ...], code: int, said: str, more: tuple[str, ...], folder: Path
) -> None:
    for name, text in texts.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    done = fix(*words, *(more or ("-A", "--from", SHOP)))
    assert (done.code, done.text) == (code, ""), done.err
    assert done.err.startswith(f"error: {said}"), done.err


# -- strategies that the API server refuses --------------------------------------------------------------------------

UNAVAILABLE, SURGE = "--set-max-unavailable", "--set-max-surge"


@pytest.mark.parametrize(
    ("own", "words", "said"),
    [
        ("", (UNAVAILABLE, "0"), "maxUnavailable 0 and maxSurge 0 (the default) are both 0"),
        ("", (UNAVAILABLE, "0%"), "maxUnavailable 0% and maxSurge 0 (the default) are both 0"),
        ("maxUnavailable: 0, maxSurge: 1", (UNAVAILABLE, "3"), "maxUnavailable 3 and maxSurge 1 are both not 0"),
        ("", (SURGE, "1"), None),
        ("", (SURGE, "10%", UNAVAILABLE, "2"), "maxUnavailable 2 and maxSurge 10% are both not 0"),
        ("maxSurge: 0%", (UNAVAILABLE, "0"), "maxUnavailable 0 and maxSurge 0% are both 0"),
        ("maxUnavailable: 0, maxSurge: 1", (SURGE, "0"), "maxUnavailable 0 and maxSurge 0 are both 0"),
        ("", (UNAVAILABLE, "101%"), "maxUnavailable 101% is more than 100%"),
        ("", (UNAVAILABLE, "0", SURGE, "1"), None),
        ("", (UNAVAILABLE, "3"), None),
        ("maxSurge: 30%", (UNAVAILABLE, "0"), None),
        ("maxUnavailable: 0%", (SURGE, "100%"), None),
        ("maxUnavailable: 0", ADD, None),
    ],
)
@pytest.mark.parametrize("way", ["-f", "-k"])
def test_strategies_that_are_refused(
    own: str, words: tuple[str, ...], said: str | None, way: str, folder: Path
) -> None:
    text = BARE.replace("\nspec:\n", "\nspec:\n  updateStrategy: {rollingUpdate: {" + own + "}}\n") if own else BARE
    assert (text != BARE) == bool(own)
    Path("bare.yaml").write_text(text)
    Path("kustomization.yaml").write_text("resources: [bare.yaml]\n")
    place = ("-f", "bare.yaml") if way == "-f" else ("-k", ".", "--offline")
    done = fix("bare", *place, *words, "--yes")
    assert (done.code, Path("bare.yaml").read_text() == text) == ((4, True) if said else (0, False)), done.err
    assert (said or "wrote") in done.err
    assert not said or "--set-max-surge" in done.err or "100%" in done.err


def test_a_strategy_that_is_refused_of_a_live_object() -> None:
    done = fix("ds/log-agent", "-n", "logging", "--from", SHOP, UNAVAILABLE, "0")
    assert (done.code, "are both 0" in done.err) == (4, True)
