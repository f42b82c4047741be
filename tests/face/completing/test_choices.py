"""What is offered where."""

from __future__ import annotations

from pathlib import Path

import pytest

import dscov
from kubectl_dscov.cli import COMMANDS
from kubectl_dscov.completing import kept
from kubectl_dscov.completing.answer import lines
from kubectl_dscov.completing.choices import FILES, NO_BLANK, NO_FILES, Answer, Choice, choices

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: one
contexts: [{name: one, context: {cluster: c, user: u}}, {name: two, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: u, user: {}}]
"""
NAMES = {
    "daemonsets": ("log-agent", "metrics"),
    "nodes": ("node-1", "node-2"),
    "namespaces": ("kube-system", "logging"),
}


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A kubeconfig, and a cluster that tells names."""
    (tmp_path / "config").write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(kept, "names", lambda kind, overrides, environ, read: NAMES[kind])


def offered(*words: str) -> list[str]:
    return [choice.text for choice in choices(words).choices]


@pytest.mark.parametrize(
    ("words", "wanted", "directive"),
    [
        ([""], list(COMMANDS), NO_FILES),
        (["ex"], ["explain"], NO_FILES),
        (["--v"], ["--version"], NO_FILES),
        (["no-verb", ""], [], NO_FILES),
        (["diagnose", ""], ["daemonset/", "node/"], NO_BLANK | NO_FILES),
        (["diagnose", "da"], ["daemonset/"], NO_BLANK | NO_FILES),
        (["diagnose", "daemonset/"], ["daemonset/log-agent", "daemonset/metrics"], NO_FILES),
        (["diagnose", "ds/l"], ["ds/log-agent"], NO_FILES),
        (["diagnose", "node/"], ["node/node-1", "node/node-2"], NO_FILES),
        (["diagnose", "pod/"], [], NO_FILES),
        (["diagnose", "me"], ["metrics"], NO_FILES),
        (["diagnose", "-A", "daemonset/metrics", "no"], ["node/"], NO_BLANK | NO_FILES),
        (["diagnose", "-n", ""], ["kube-system", "logging"], NO_FILES),
        (["diagnose", "--namespace=l"], ["logging"], NO_FILES),
        (["diagnose", "-n", "logging", "ds/m"], ["ds/metrics"], NO_FILES),
        (["diagnose", "--context", ""], ["one", "two"], NO_FILES),
        (["diagnose", "--cluster", ""], ["c"], NO_FILES),
        (["diagnose", "--user", ""], ["u"], NO_FILES),
        (["diagnose", "-o", "j"], ["json"], NO_FILES),
        (["diagnose", "--output=y"], ["yaml"], NO_FILES),
        (["diagnose", "--from", ""], [], FILES),
        (["diagnose", "--policy", ""], [], FILES),
        (["diagnose", "--now", ""], [], NO_FILES),
        (["diagnose", "--no-such-flag", ""], ["daemonset/", "node/"], NO_BLANK | NO_FILES),
        (["diagnose", "--no-such-flag=x"], [], NO_FILES),
        (["diagnose", "--as-g"], ["--as-group"], NO_FILES),
        (["diagnose", "--exit-zero", "--exit"], [], NO_FILES),
        (["explain", "untol"], ["untolerated-taint"], NO_FILES),
        (["explain", "daemonset/metrics", "node/node-2"], ["node/node-2"], NO_FILES),
        (["explain", "nothing-of-that"], [], NO_FILES),
        (["fix", "node/"], [], NO_FILES),
        (["fix", "daemonset/l"], ["daemonset/log-agent"], NO_FILES),
        (["fix", "-f", ""], [], FILES),
        (["fix", "--cause", "untol"], ["untolerated-taint"], NO_FILES),
        (["fix", "--nodes", "node/"], ["node/node-1", "node/node-2"], NO_FILES),
        (["fix", "--dry-run", "dae"], ["daemonset/"], NO_BLANK | NO_FILES),
        (["accept", "daemonset/m"], ["daemonset/metrics"], NO_FILES),
        (["undo", "daemonset/m"], ["daemonset/metrics"], NO_FILES),
        (["diagnose", "--", "ds/l"], ["ds/log-agent"], NO_FILES),
        (["completion", "p"], ["powershell"], NO_FILES),
        (["completion", "bash", ""], [], NO_FILES),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_offered(words: list[str], wanted: list[str], directive: int) -> None:
    assert offered(*words) == wanted
    assert choices(words).directive == directive


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_flag_that_help_shows_is_offered(verb: str) -> None:
    import click

    from kubectl_dscov.cli import cli

    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    shown = {
        max(param.opts, key=len) for param in command.params if isinstance(param, click.Option) and not param.hidden
    }
    assert set(offered(verb, "--")) == shown | {"--help"}


def test_the_slugs_are_those_of_the_causes() -> None:
    assert set(dscov.cause_slugs()) == {cause.slug for cause in dscov.registry()}


@pytest.mark.parametrize(
    "text", ["a b", "a$(b)", "a`b`", "a;b", 'a"b', "a'b", "a\tb", "a\nb", "a\x1b[31m", "-x", "é", "", "a\\"]
)
def test_a_hostile_name_is_left_out(text: str) -> None:
    assert list(lines(Answer((Choice("good"), Choice(text)), NO_FILES))) == ["good", ":4"]


@pytest.mark.parametrize("text", ["arn:aws:eks:eu-1:1:cluster/x", "me@cluster.example", "gke_a_b_c", "a.b-c"])
def test_a_usual_name_of_a_context_stays(text: str) -> None:
    assert list(lines(Answer((Choice(text),), NO_FILES))) == [text, ":4"]


def test_a_flag_of_ours_stays_and_its_description_is_one_line() -> None:
    assert list(lines(Answer((Choice("--nodes", "of\nthese \x20 labels", ours=True),), NO_FILES))) == [
        "--nodes\tof these labels",
        ":4",
    ]


def test_there_is_an_end() -> None:
    assert len(list(lines(Answer(tuple(Choice(f"n{number}") for number in range(9000)), NO_FILES)))) == 2001
