"""What starting costs: which modules are loaded, seen from outside."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
