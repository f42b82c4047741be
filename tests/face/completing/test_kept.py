"""How long names are kept, and from whom."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from dscov import Overrides
from kubectl_dscov.completing import kept


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config").write_text("{}")
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "config")}


def told(*names: str) -> kept.Read:
    return lambda kind: names


def refused(kind: str) -> tuple[str, ...]:
    raise AssertionError(kind)


def grow_old(environ: dict[str, str], seconds: float) -> None:
    for file in kept.folder(environ).iterdir():
        os.utime(file, (time.time() - seconds,) * 2)


def test_what_is_fresh_is_not_read_again(environ: dict[str, str]) -> None:
    assert kept.names("nodes", Overrides(), environ, read=told("a", "b")) == ("a", "b")
    assert kept.names("nodes", Overrides(), environ, read=refused) == ("a", "b")


def test_what_is_old_is_read_again_and_told_where_that_fails(environ: dict[str, str]) -> None:
    kept.names("nodes", Overrides(), environ, read=told("a"))
    grow_old(environ, kept.FRESH + 5)
    assert kept.names("nodes", Overrides(), environ, read=refused) == ("a",)
    assert kept.names("nodes", Overrides(), environ, read=told("b")) == ("b",)
    grow_old(environ, kept.STALE + 5)
    assert kept.names("nodes", Overrides(), environ, read=refused) == ()


def test_nobody_waits_for_a_cluster_that_hangs(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PATIENCE", 0.05)
    end = threading.Event()

    def hangs(kind: str) -> tuple[str, ...]:
        end.wait(60)
        return ("late",)

    assert kept.names("nodes", Overrides(), environ, read=hangs) == ()
    end.set()


@pytest.mark.parametrize(
    "overrides",
    [Overrides(context="other"), Overrides(user="other"), Overrides(as_user="other"), Overrides(token="other")],
    ids=lambda overrides: "",
)
def test_another_way_has_names_of_its_own(environ: dict[str, str], overrides: Overrides) -> None:
    kept.names("nodes", Overrides(), environ, read=told("a"))
    assert kept.names("nodes", overrides, environ, read=told("b")) == ("b",)


def test_another_namespace_has_daemonsets_of_its_own_and_the_same_nodes(environ: dict[str, str]) -> None:
    for kind in ("daemonsets", "nodes"):
        kept.names(kind, Overrides(namespace="one"), environ, read=told("a"))
    assert kept.names("daemonsets", Overrides(namespace="two"), environ, read=told("b")) == ("b",)
    assert kept.names("nodes", Overrides(namespace="two"), environ, read=refused) == ("a",)


def test_a_written_kubeconfig_may_lead_elsewhere(environ: dict[str, str]) -> None:
    kept.names("nodes", Overrides(), environ, read=told("a"))
    Path(environ["KUBECONFIG"]).write_text("{current-context: other}")
    assert kept.names("nodes", Overrides(), environ, read=told("b")) == ("b",)


def test_only_the_user_may_read_it_and_no_secret_is_in_it(environ: dict[str, str]) -> None:
    kept.names("nodes", Overrides(token="geheim"), environ, read=told("a"))
    (file,) = kept.folder(environ).iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "geheim" not in file.read_text() + file.name


def test_a_torn_file_is_no_answer(environ: dict[str, str]) -> None:
    kept.names("nodes", Overrides(), environ, read=told("a"))
    for file in kept.folder(environ).iterdir():
        file.write_bytes(b"\xff\xfe")
    assert kept.names("nodes", Overrides(), environ, read=told("b")) == ("b",)


def test_a_cache_that_cannot_be_written_is_no_matter(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert kept.names("nodes", Overrides(), environ, read=told("a")) == ("a",)


def test_what_is_forgotten_is_removed(environ: dict[str, str]) -> None:
    kept.names("nodes", Overrides(), environ, read=told("a"))
    grow_old(environ, kept.STALE + 5)
    kept.names("namespaces", Overrides(), environ, read=told("b"))
    assert len(list(kept.folder(environ).iterdir())) == 1
