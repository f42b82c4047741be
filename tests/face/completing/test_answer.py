"""The program at the prompt: in a process of its own, against servers that do all they can."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine.sources.access.servers import ApiServer, running

ROOT = Path(__file__).parent.parent.parent.parent
HOSTILE = ["good", "$(touch x)", "a\x1b[2J", "b c", "-rf", "`id`"]


def asked(
    folder: Path, *words: str, server: str = "", environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    config = folder / "config"
    if server:
        entry = {"clusters": [{"name": "c", "cluster": {"server": server}}], "users": []}
        config.write_text(
            json.dumps({**entry, "contexts": [{"name": "x", "context": {"cluster": "c"}}], "current-context": "x"})
        )
    environment = os.environ | {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "KUBECONFIG": str(config),
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        **(environ or {}),
    }
    command = [sys.executable, "-m", "kubectl_dscov", "__complete", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def tables() -> Iterator[str]:
    """A server whose every list holds the hostile names."""
    table = {"columnDefinitions": [{"format": "name"}], "rows": [{"cells": [name, 1]} for name in [*HOSTILE, 7]]}

    with running(ApiServer()) as server:
        server.answer = lambda handler, _: handler.reply(200, json.dumps({"kind": "Table", **table}).encode())
        yield server.url


def test_hostile_names_do_not_reach_the_prompt(tmp_path: Path, tables: str) -> None:
    done = asked(tmp_path, "diagnose", "-A", "node/", server=tables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "node/-rf\nnode/good\n:4\n", "")
    assert asked(tmp_path, "diagnose", "-n", "", server=tables).stdout == "good\n:4\n"


def test_a_server_that_never_answers(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = asked(tmp_path, "diagnose", "node/", server=f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert (done.returncode, done.stdout, done.stderr) == (0, ":4\n", "")


@pytest.mark.parametrize(
    "words", [["diagnose", "node/"], ["diagnose", "--context", ""], ["diagnose", "-n", ""]], ids=" ".join
)
@pytest.mark.parametrize("text", ["not: [yaml", "- a list", "\0", "contexts: 7"], ids=repr)
def test_a_broken_kubeconfig_is_not_told_at_the_prompt(tmp_path: Path, words: list[str], text: str) -> None:
    (tmp_path / "config").write_text(text)
    done = asked(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, ":4\n", "")


def test_a_credential_plugin_can_say_nothing_and_ask_nothing(tmp_path: Path, tables: str) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text("#!/bin/sh\necho noise >&2\ncat >&2\nexit 1\n")
    plugin.chmod(0o755)
    asked(tmp_path, "", server=tables.replace("http", "https"))
    config = json.loads((tmp_path / "config").read_text())
    run = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "IfAvailable"}
    config["users"] = [{"name": "u", "user": {"exec": run}}]
    config["contexts"][0]["context"]["user"] = "u"
    (tmp_path / "config").write_text(json.dumps(config))
    done = asked(tmp_path, "diagnose", "node/")
    assert (done.returncode, done.stdout, done.stderr) == (0, ":4\n", "")


def test_the_words_may_be_anything(tmp_path: Path) -> None:
    for words in (
        ["\0"[:0], "x"],
        ["diagnose", "-n"],
        ["diagnose", "-n", "--", "-"],
        ["fix", "--change-toleration", "a", ""],
        ["💥"],
    ):
        done = asked(tmp_path, *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1].startswith(":")


def test_files_of_the_shell_where_the_flag_takes_one(tmp_path: Path) -> None:
    assert asked(tmp_path, "diagnose", "--from", "x").stdout == ":0\n"
