"""Which files are opened at all: nothing is waited for that may never come."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from engine.build import around, daemonset

from dscov.errors import BadInput
from dscov.sources.saved import read_saved

TEXT = json.dumps({"apiVersion": "v1", "kind": "List", "items": around(daemonset())}).encode()


def test_a_pipe_or_a_device_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (str(tmp_path / "pipe.json"), "/dev/zero"):
        with pytest.raises(BadInput, match="use - for standard input"):
            read_saved(path)


def test_a_pipe_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "cluster.json").write_bytes(TEXT)
    assert len(read_saved(str(tmp_path)).nodes) == 2


@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
def test_standard_input(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(TEXT)))
    assert len(read_saved(path).nodes) == 2


def test_what_a_shell_gives_for_the_output_of_a_command() -> None:
    reading, writing = os.pipe()

    def fill() -> None:
        with os.fdopen(writing, "wb") as stream:
            stream.write(TEXT)

    filler = Thread(target=fill)
    filler.start()
    try:
        assert len(read_saved(f"/dev/fd/{reading}").nodes) == 2
    finally:
        filler.join()
        os.close(reading)
