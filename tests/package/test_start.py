"""What starting costs: which modules are loaded, seen from outside."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dscov

HEAVY = {"kubernetes", "deepdiff", "rich", "ruamel", "urllib3", "google.protobuf", "ssl", "dscov.causes"}


def loaded(code: str) -> set[str]:
    """The modules that are loaded once `code` has run."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "code",
    [
        "import dscov",
        "from kubectl_dscov.cli import run; run(['--help'])",
        "from kubectl_dscov.cli import run; run(['--version'])",
        "from kubectl_dscov.cli import run; run(['diagnose', '--help'])",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded(code) & HEAVY == set()


def test_a_saved_json_cluster_needs_no_network_and_no_yaml() -> None:
    code = "import dscov\ntry: dscov.read_saved('/nowhere')\nexcept Exception: pass"
    assert loaded(code) & {"kubernetes", "deepdiff", "urllib3", "ruamel", "google.protobuf"} == set()


def test_every_public_name_loads() -> None:
    import dscov

    assert [name for name in dscov.__all__ if getattr(dscov, name, None) is None] == []
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        dscov.nothing_of_that_name  # noqa: B018


def test_type_checkers_are_told_of_the_names_that_are_there() -> None:
    """`__init__.pyi` and the table of homes say the same."""
    stub = Path(dscov.__file__).with_suffix(".pyi")
    told = {
        (name.asname, node.module)
        for node in ast.parse(stub.read_text()).body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert told == set(dscov._HOMES.items())  # type: ignore[attr-defined]


def test_the_quick_answer_to_version_is_that_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    from kubectl_dscov.cli import run

    assert run(["--version"]) == 0
    told = capsys.readouterr().out
    code = "from kubectl_dscov.__main__ import answered; answered(['--version'])"
    assert "kubectl_dscov.__main__" in loaded(code)
    assert "click" not in loaded(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == told


def test_what_cannot_be_written_is_no_success() -> None:
    """A full disk behind standard output; a pipe that nobody reads is nothing to complain of."""
    command = [sys.executable, "-m", "kubectl_dscov", "--version"]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stdout=full, stderr=subprocess.DEVNULL).returncode == 3
    reader, writer = os.pipe()
    os.close(reader)
    told = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (told.returncode, told.stderr) == (0, "")
