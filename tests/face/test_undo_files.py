"""`fix` and then `undo -f`: every byte as before and nothing beside it, for every kind of edit and every form of file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click
import pytest
import yaml

from face.fix import DATA, fix, undo
from kubectl_dscov import prompt

DS = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  updateStrategy:
    rollingUpdate: {"maxUnavailable": 3} # three
    type:   RollingUpdate
  template:
    metadata: {labels: {app: agent}}
    spec:
      # who may
      priorityClassName: 'low' # for now
      nodeSelector:
        "disk":  ssd   # fast
        pool: "a"
      tolerations:
      - effect: NoExecute  # order of its own
        tolerationSeconds: 300
        operator: "Exists"
        key: a
      # the second
      - {key: b, operator: Exists}
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - {operator: In, values: ["x", w], key: zone}
      containers:
      - name: agent
        image: registry.example/agent:1.0
"""
VALUES = """\
# values of ours
agent:
  priorityClassName: 'low' # for now
  nodeSelector: {"disk": ssd} # fast
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 3}}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {operator: In, values: ["x", w], key: zone}
  tolerations:
    # the first
    - effect: NoExecute
      tolerationSeconds: 300
      operator: "Exists"
      key: a
    - {key: b, operator: Exists}
"""
TEMPLATE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  updateStrategy: {{- toYaml .Values.agent.updateStrategy | nindent 4 }}
  template:
    spec:
      priorityClassName: {{ .Values.agent.priorityClassName }}
      nodeSelector: {{- toYaml .Values.agent.nodeSelector | nindent 8 }}
      affinity: {{- toYaml .Values.agent.affinity | nindent 8 }}
      tolerations: {{- toYaml .Values.agent.tolerations | nindent 8 }}
"""
FIRST = "a:NoExecute"
EDITS = [
    ("--add-toleration", "new=v:NoSchedule"),
    ("--remove-toleration", FIRST),
    ("--remove-toleration", "b"),
    ("--change-toleration", FIRST, "a=v:NoExecute"),
    ("--remove-toleration-seconds", FIRST),
    ("--set-selector", "disk=hdd"),
    ("--set-selector", "new=v"),
    ("--unset-selector", "disk"),
    ("--add-affinity", "arch in (amd64)"),
    ("--change-affinity", "zone in (x,w)", "zone"),
    ("--set-priority-class", "high"),
    ("--set-max-unavailable", "10%"),
    ("--set-max-surge", "2"),
    ("--set-update-strategy", "OnDelete"),
    ("--remove-toleration", "b", "--unset-selector", "disk", "--set-priority-class", "high"),
]
#: How the file is laid out in bytes: what is done to the text before `fix` sees it.
LAYOUTS = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: "\ufeff" + text,
    "no final newline": lambda text: text.rstrip("\n"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "repo").mkdir()
    monkeypatch.chdir(tmp_path / "repo")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("KUBECTL_EXTERNAL_DIFF", raising=False)
    return tmp_path / "repo"


def put(**texts: str) -> None:
    for name, text in texts.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text.encode())


def tree() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def there_and_back(*words: str, at: str) -> None:
    """`fix` changes something, and `undo` makes everything as it was."""
    before = tree()
    done = fix(*words, "--yes")
    assert done.code == 0, done.err
    assert "will not be able" not in done.err
    assert tree() != before
    back = undo("-f", at, "--yes")
    assert back.code == 0, back.err
    assert tree() == before
    assert undo("-f", at, "--yes").code == 2


# -- the law --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("edit", EDITS, ids=" ".join)
def test_a_manifest(folder: Path, edit: tuple[str, ...], layout: str) -> None:
    put(agent_yaml=LAYOUTS[layout](DS))
    there_and_back("agent", "-f", "agent.yaml", *edit, at="agent.yaml")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
@pytest.mark.parametrize("edit", EDITS, ids=" ".join)
def test_a_kustomization_with_a_new_patch(folder: Path, edit: tuple[str, ...]) -> None:
    put(base__ds_yaml=DS, base__kustomization_yaml="resources: [ds.yaml]\n")
    put(over__kustomization_yaml="# ours\nresources:\n- ../base\nnamePrefix: prod-   # all\n")
    there_and_back("agent", "-k", "over", *edit, at="over")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
def test_a_new_patch_goes_only_with_its_kustomization(folder: Path) -> None:
    put(base__ds_yaml=DS, base__kustomization_yaml="resources: [ds.yaml]\n")
    put(over__kustomization_yaml="resources:\n- ../base\n")
    before = tree()
    fix("agent", "-k", "over", "--add-toleration", "new", "--yes")
    (made,) = set(tree()) - set(before)
    shown = undo("-f", made, "--dry-run")
    assert (shown.code, f"note: `fix` made {made}: it is deleted" in shown.err) == (0, True)
    Path("over/kustomization.yaml").write_text("resources:\n- ../base\n# mine\n")
    changed = tree()
    refused = undo("-f", made, "--yes")
    assert (refused.code, tree() == changed) == (4, True)
    assert "over/kustomization.yaml: was changed since `fix` wrote it" in refused.err


@pytest.mark.parametrize("edit", EDITS, ids=" ".join)
def test_helm_values(folder: Path, edit: tuple[str, ...]) -> None:
    put(chart__Chart_yaml="name: agent\n", chart__templates__ds_yaml=TEMPLATE, prod_yaml=VALUES)
    put(chart__values_yaml="agent: {}\n")
    there_and_back("--values", "prod.yaml", "--chart", "chart", "--offline", *edit, at="prod.yaml")


def objects(source: Path) -> list[dict]:
    # The reader of the tests knows no tab in front of a comment.
    found = [one for one in yaml.safe_load_all(source.read_bytes().replace(b"\t#", b" #")) if one]
    return [inner for one in found for inner in one.get("items", [one])]


@pytest.mark.parametrize("source", sorted((DATA / "manifests").iterdir()), ids=lambda path: path.name)
def test_real_manifests(folder: Path, source: Path) -> None:
    """The edits that a file takes, one on top of the other, and back one by one."""
    shutil.copy(source, folder / source.name)
    names = [one["metadata"]["name"] for one in objects(source) if one["kind"] == "DaemonSet"]
    seen = [tree()]
    for edit in (("--add-toleration", "new=v:NoSchedule"), ("--set-selector", "new=v"), *EDITS[10:14]):
        done = fix(names[0], "-f", ".", *edit, "--yes")
        if done.code == 0 and tree() != seen[-1]:
            seen.append(tree())
    assert len(seen) > 3
    for before in reversed(seen[:-1]):
        assert undo("-f", ".", "--yes").code == 0
        assert tree() == before


# -- what is shown and asked ----------------------------------------------------------------------------------------


@pytest.fixture
def fixed(folder: Path) -> Path:
    put(agent_yaml=DS)
    assert fix("agent", "-f", "agent.yaml", "--remove-toleration", FIRST, "--yes").code == 0
    return folder / "agent.yaml"


def test_shows_what_it_does(fixed: Path) -> None:
    shown = undo("-f", "agent.yaml", "--dry-run")
    lines = shown.text.splitlines()
    assert lines[:2] == ["--- a/agent.yaml", "+++ b/agent.yaml"]
    assert [line for line in lines[2:] if line.startswith(("+", "-"))] == [
        "+      - effect: NoExecute  # order of its own",
        "+        tolerationSeconds: 300",
        '+        operator: "Exists"',
        "+        key: a",
    ]
    head, *rest = shown.err.splitlines()
    assert head.startswith("take back: 20")
    assert head.endswith("Z  agent.yaml")
    assert rest == ["  agent: tolerate `a:NoExecute` no more", "dry run: nothing was written"]
    assert fixed.read_text() != DS


def test_writes_and_says_so(fixed: Path) -> None:
    done = undo("-f", "agent.yaml", "-y")
    assert (done.code, done.err.splitlines()[-1]) == (0, "restored agent.yaml")
    assert fixed.read_text() == DS


@pytest.mark.parametrize("way", ["none", "client", "server"])
def test_dry_run(fixed: Path, way: str) -> None:
    changed = fixed.read_bytes()
    done = undo("-f", ".", f"--dry-run={way}", "--yes")
    assert (done.code, fixed.read_bytes() == changed) == (0, way != "none")


def test_nobody_to_ask(fixed: Path) -> None:
    changed = fixed.read_bytes()
    done = undo("-f", "agent.yaml")
    assert (done.code, fixed.read_bytes()) == (4, changed)
    assert done.err.endswith(
        "error: not a terminal, so nobody can be asked; nothing was written\n"
        "Add --yes to take it back, or --dry-run to look.\n"
    )


@pytest.mark.parametrize("yes", [True, False])
def test_asks(fixed: Path, monkeypatch: pytest.MonkeyPatch, yes: bool) -> None:
    monkeypatch.setattr(prompt, "can_ask", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda *_, **__: yes)
    changed = fixed.read_text()
    done = undo("-f", "agent.yaml")
    assert (done.code, fixed.read_text()) == ((0, DS) if yes else (4, changed))


def test_lists_the_newest_first(fixed: Path) -> None:
    put(sub__other_yaml=DS.replace("name: agent}", "name: other}", 1))
    fix("other", "-f", "sub", "--set-selector", "x=y", "--set-priority-class", "high", "--yes")
    lines = undo("-f", ".", "--list").text.splitlines()
    assert [line.partition("Z")[2] or line for line in lines] == [
        "  sub/other.yaml",
        "  other: select nodes with the label `x=y`; run with the priority class `high`",
        "  agent.yaml",
        "  agent: tolerate `a:NoExecute` no more",
    ]
    fixed.write_text("mine\n")
    lines = undo("-f", "agent.yaml", "--list").text.splitlines()
    assert lines[2:] == ["  changed since, so that it cannot be taken back: agent.yaml"]
    nothing = undo("-f", "sub/none", "--list")
    assert (nothing.code, nothing.out) == (0, b"")
    assert nothing.err == "sub/none: nothing that was written here can be taken back\n"


def test_what_was_changed_since_is_left_alone(fixed: Path) -> None:
    fixed.write_text("mine\n")
    done = undo("-f", ".", "--yes")
    assert (done.code, fixed.read_text()) == (4, "mine\n")
    assert done.err == (
        f"error: {fixed}: was changed since `fix` wrote it; nothing was written\n"
        f"See with `git log -p -- {fixed}` what it was, and change it back by hand.\n"
    )


def test_no_cluster_is_asked_and_its_flags_do_no_harm(fixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nonexistent/config")
    done = undo("-f", "agent.yaml", "--yes", "--context", "none", "-n", "x", "-A", "--server=https://127.0.0.1:1")
    assert (done.code, fixed.read_text()) == (0, DS)


@pytest.mark.parametrize("words", [("daemonset/agent", "-f", "agent.yaml"), ("-f", "a", "-f", "b"), ("-f", "")])
def test_usage(fixed: Path, words: tuple[str, ...]) -> None:
    changed = fixed.read_bytes()
    assert undo(*words, "--yes").code == 2
    assert fixed.read_bytes() == changed


def test_nothing_there(folder: Path) -> None:
    done = undo("-f", "none.yaml", "--yes")
    assert (done.code, done.err) == (2, "error: none.yaml: nothing that `fix` wrote here can be taken back\n")


# -- odd places -----------------------------------------------------------------------------------------------------


def test_a_name_that_steers_a_terminal(folder: Path) -> None:
    odd = "a\x1b[31m\n\u202e" + os.fsdecode(b"\xff") + ".yaml"
    Path(odd).write_text(DS)
    there = fix("agent", "-f", odd, "--add-toleration", "x", "--yes")
    assert there.code == 0, there.err
    listed, done = undo("-f", ".", "--list"), undo("-f", odd, "--yes")
    assert (listed.code, done.code, Path(odd).read_text()) == (0, 0, DS)
    assert not {"\x1b", "\u202e"} & {*listed.text, *done.text, *done.err, *there.err}


def test_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text(DS)
    Path("link.yaml").symlink_to("../real.yaml")
    there_and_back("agent", "-f", "link.yaml", "--set-selector", "x=y", at=".")
    assert Path("link.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_text() == DS


@pytest.mark.parametrize("broken", ["a file", "a folder that may not be written"])
def test_without_a_place_for_records(folder: Path, tmp_path: Path, broken: str) -> None:
    state = tmp_path / "state"
    if broken == "a file":
        state.write_text("")
    elif os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    else:
        state.mkdir(mode=0o500)
    put(agent_yaml=DS)
    done = fix("agent", "-f", "agent.yaml", "--add-toleration", "x", "--yes")
    assert (done.code, Path("agent.yaml").read_text() != DS) == (0, True)
    note, wrote = done.err.splitlines()
    assert note.startswith(f"note: `undo` will not be able to take this back: {state}/kubectl-dscov/files/")
    assert wrote == "wrote agent.yaml"
    assert undo("-f", "agent.yaml", "--yes").code == 2


def test_what_needs_no_record_has_none(folder: Path, tmp_path: Path) -> None:
    from kubectl_dscov.cli import run

    put(agent_yaml=DS)
    add = ("agent", "-f", "agent.yaml", "--add-toleration", "x")
    assert fix(*add, "--output-dir", "out", "--yes").code == 0
    assert fix(*add, "--dry-run").code == 0
    assert fix(*add).code == 4
    assert fix(*add, "-o", "diff").code == 0
    assert run(["accept", "ds/agent", "--nodes", "all", "--reason", "x", "--yes"]) == 0
    assert not (tmp_path / "state").exists()


def test_older_writings_are_told_of(fixed: Path) -> None:
    assert fix("agent", "-f", "agent.yaml", "--set-selector", "x=y", "--yes").code == 0
    assert fix("agent", "-f", "agent.yaml", "--set-selector", "z=y", "--yes").code == 0
    more = "go on with: kubectl dscov undo -f ."
    last = [undo("-f", ".", "--yes").err.splitlines()[-1] for _ in range(3)]
    assert last == [
        f"note: 2 older writings of `fix` are left there; {more}",
        f"note: an older writing of `fix` is left there; {more}",
        "restored agent.yaml",
    ]
    assert fixed.read_text() == DS
