"""The built program as its users get it: unpacked, through links and kubectl, by krew, on a clean HOME.

They need what `python3 dev.py build` makes, and those of krew Go as well; `dev.py check --cluster local` sees to both.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from cluster.local import build
from package.krew import ROOT, Home, built, manifest

ARCHIVE = built()
pytestmark = pytest.mark.skipif(ARCHIVE is None, reason="no build of these sources in dist/: python3 dev.py build")
needs_go = pytest.mark.skipif(not shutil.which("go"), reason="krew is built with Go, and there is none on the PATH")
SHOP = str(ROOT / "examples" / "shop")


@pytest.fixture(scope="session")
def archive() -> Path:
    assert ARCHIVE is not None
    return ARCHIVE


@pytest.fixture(scope="session")
def program(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked program."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="fully_trusted")
    return folder / "kubectl-dscov" / "kubectl-dscov"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    build.ensure_built((build.KREW,))
    return Home(tmp_path, build.KREW.path)


def run(program: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C", **environ}
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=120)


def from_source(*arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "COLUMNS": "80"}
    command = [sys.executable, "-m", "kubectl_dscov", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


def test_the_archive_is_as_krew_wants_it(archive: Path) -> None:
    with tarfile.open(archive) as tar:
        entries = tar.getmembers()
    names = [entry.name for entry in entries]
    assert all(entry.isreg() for entry in entries)
    assert not [name for name in names if ".." in name or not name.startswith("kubectl-dscov/")]
    assert names == sorted(names)
    assert {(entry.uid, entry.gid, entry.uname) for entry in entries} == {(0, 0, "")}
    assert len({entry.mtime for entry in entries}) == 1
    assert {f"kubectl-dscov/{name}" for name in ("LICENSE", "THIRD_PARTY_LICENSES", "kubectl_complete-dscov")} <= set(
        names
    )


def test_the_checksum_beside_it_is_right(archive: Path) -> None:
    told, name = archive.with_name(f"{archive.name}.sha256").read_text().split()
    assert (told, name) == (hashlib.sha256(archive.read_bytes()).hexdigest(), archive.name)


def test_every_package_inside_has_its_licence(program: Path) -> None:
    text = (program.parent / "THIRD_PARTY_LICENSES").read_text()
    for name in (
        "Python",
        "click",
        "msgspec",
        "protobuf",
        "urllib3",
        "ruamel.yaml",
        "deepdiff",
        "OpenSSL",
        "PyInstaller",
    ):
        assert name in text
    assert "Permission is hereby granted" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("diagnose", "-A", "--from", SHOP, "-o", "json"),
        ("diagnose", "-A", "--from", SHOP, "-o", "yaml"),
        ("diagnose", "-A", "--from", SHOP),
        ("explain",),
        ("explain", "untolerated-taint"),
        ("fix", "--from", SHOP, "-o", "strategic"),
        ("completion", "bash"),
    ],
    ids=" ".join,
)
def test_it_says_what_the_sources_say(program: Path, arguments: tuple[str, ...]) -> None:
    done = run(program, *arguments, COLUMNS="80")
    assert done.stdout == from_source(*arguments)
    assert done.stdout
    assert "Traceback" not in done.stderr


def test_through_links(program: Path, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(program)
    (tmp_path / "kubectl-dscov").symlink_to("one")
    assert run(tmp_path / "kubectl-dscov", "--version").stdout.startswith("kubectl dscov v")


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")
def test_through_kubectl_and_its_exit_codes(program: Path, tmp_path: Path) -> None:
    (tmp_path / "kubectl-dscov").symlink_to(program)
    path = f"{tmp_path}:/usr/bin:/bin"
    for arguments, code in ((["--version"], 0), (["diagnose", "-A", "--from", SHOP], 1), (["diagnose", "--nope"], 2)):
        assert run(Path(shutil.which("kubectl") or ""), "dscov", *arguments, PATH=path).returncode == code


def test_a_credential_plugin_sees_the_environment_of_the_user(program: Path, tmp_path: Path) -> None:
    """Of the libraries in the archive, and of the notes of its starter, nothing."""
    plugin, told = tmp_path / "plugin", tmp_path / "told"
    plugin.write_text(f"#!/bin/sh\nenv > {told}\nexit 1\n")
    plugin.chmod(0o755)
    run_by = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}],
        "users": [{"name": "u", "user": {"exec": run_by}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    for libraries in ({}, {"LD_LIBRARY_PATH": "/of/the/user"}):
        assert run(program, "diagnose", KUBECONFIG=str(tmp_path / "config"), **libraries).returncode == 3
        seen = dict(line.split("=", 1) for line in told.read_text().splitlines())
        assert seen.get("LD_LIBRARY_PATH") == libraries.get("LD_LIBRARY_PATH")
        assert not [name for name in seen if name.startswith(("_PYI", "_MEI")) or name.endswith("_ORIG")]


def test_signs_that_the_locale_lacks(program: Path) -> None:
    assert run(program, "diagnose", "-A", "--from", SHOP, LC_ALL="POSIX").returncode == 1


@needs_go
def test_krew_installs_what_was_built(home: Home, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(manifest("v0.1.0", archive))
    done = home.run("kubectl", "krew", "install", f"--manifest={tmp_path / 'plugin.yaml'}", f"--archive={archive}")
    assert "Installed plugin: dscov" in done.stdout
    assert home.run("kubectl", "dscov", "--version").stdout.startswith("kubectl dscov v")
    assert home.run("kubectl", "dscov", "diagnose", "-A", "--from", SHOP).returncode == 1


@needs_go
def test_krew_refuses_another_archive(home: Home, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(manifest("v0.1.0", archive))
    (tmp_path / archive.name).write_bytes(archive.read_bytes() + b"\0")
    done = home.run(
        "kubectl", "krew", "install", f"--manifest={tmp_path / 'plugin.yaml'}", f"--archive={tmp_path / archive.name}"
    )
    assert done.returncode != 0
    assert "checksum" in done.stdout


@needs_go
def test_install_upgrade_uninstall_leave_nothing(home: Home, archive: Path) -> None:
    shutil.copyfile(archive, home.web / archive.name)
    with home.served() as base:
        home.publish(manifest("v0.0.9", archive, base=base))
        assert home.run("kubectl", "krew", "update").returncode == 0
        before = home.files()
        assert home.run("kubectl", "krew", "install", "dscov").returncode == 0
        assert (
            "v0.0.9" in home.run("kubectl", "krew", "list").stdout + home.run("kubectl", "krew", "info", "dscov").stdout
        )
        home.publish(manifest("v0.1.0", archive, base=base))
        upgraded = home.run("kubectl", "krew", "upgrade")
        assert upgraded.returncode == 0, upgraded.stdout
    assert not [name for name in home.files() if "/v0.0.9/" in name]
    assert home.run("kubectl", "dscov", "diagnose", "-A", "--from", SHOP).returncode == 1
    assert home.run("kubectl", "dscov", "completion", "install").returncode == 0
    assert "daemonset/" in home.run("kubectl", "__complete", "dscov", "diagnose", "da").stdout
    assert home.run("kubectl", "dscov", "completion", "uninstall").returncode == 0
    assert home.run("kubectl", "krew", "uninstall", "dscov").returncode == 0
    assert home.files() == before
