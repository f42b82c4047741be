"""No secret in a message, a repr, or a file left behind; what cannot be sent safely is refused."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from engine.sources.access.certificates import inline
from engine.sources.access.world import SECRET, changed, connect, in_turn

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Access, Overrides
from dscov.sources.access.credentials import Credentials
from dscov.sources.access.model import ExecPlugin, Identity, Impersonation, Tls
from dscov.sources.access.resolve import server_url
from dscov.sources.access.tls import context_for


@pytest.mark.parametrize("token", ["a\nb", "a\r\nX: y", "a\x00", "tökén"])
def test_a_token_that_no_header_can_hold(token, access, api):
    with pytest.raises(BadAccess) as caught:
        connect(changed(access, identity=Identity(token=token))).get("/x")
    assert token not in str(caught.value)
    assert api.seen == []


def test_a_user_to_impersonate_that_no_header_can_hold(access, api):
    with pytest.raises(BadAccess, match="Impersonate-User"):
        connect(changed(access, impersonation=Impersonation(user="a\nX: y"))).get("/x")
    assert api.seen == []


def test_a_user_to_impersonate_beyond_latin(access, api):
    connect(changed(access, impersonation=Impersonation(user="Jörg 日本"))).get("/x")
    assert api.seen[0].one("Impersonate-User").encode("latin-1").decode() == "Jörg 日本"


def test_reprs_hold_no_secrets():
    plugin = ExecPlugin(command="c", api_version="v", args=(SECRET,), env=(("A", SECRET),))
    identity = Identity(
        token=SECRET, username="u", password=SECRET, certificate=b"x", key=SECRET.encode(), plugin=plugin
    )
    access = Access(server="https://x", identity=identity, proxy=f"http://me:{SECRET}@p:1")
    proof = Credentials(identity).proof()
    for thing in (plugin, identity, access, proof, Overrides(token=SECRET, password=SECRET)):
        assert SECRET not in repr(thing)
        assert SECRET not in str(thing)
        assert SECRET not in f"{thing}"


def test_errors_hold_no_secrets(access, api):
    """Whatever goes wrong on the way, neither the message nor what it was raised from shows the token."""
    api.answer = in_turn(401)
    troubles = [
        changed(access, server="https://127.0.0.1:9"),
        changed(access, tls=Tls()),
        changed(access, proxy=f"http://me:{SECRET}@127.0.0.1:9"),
        access,
    ]
    for trouble in troubles:
        with pytest.raises(CouldNotLook) as caught:
            connect(trouble).get("/x")
        assert SECRET not in str(caught.value)


def certified(access, certs):
    pair = {"certificate": (certs / "alice.crt").read_bytes(), "key": (certs / "alice.key").read_bytes()}
    return changed(access, identity=Identity(**pair))


def test_no_file_is_left_behind(access, api, certs, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    connect(certified(access, certs)).get("/x")
    assert api.seen[0].certificate == "alice"
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_left_behind_where_memory_files_are_not_to_be_had(access, api, certs, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delattr(os, "memfd_create", raising=False)
    connect(certified(access, certs)).get("/x")
    assert api.seen[0].certificate == "alice"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="this system has no files in memory")
def test_no_file_is_left_behind_when_killed(access, api, certs, tmp_path):
    """Killed in the middle of a request, with a client certificate given inline."""
    here = threading.Event()
    api.answer = lambda *_: (here.set(), time.sleep(5))
    config = {
        "clusters": [{"name": "c", "cluster": {"server": api.url, "certificate-authority": str(certs / "ca.crt")}}],
        "users": [
            {
                "name": "c",
                "user": {
                    "client-certificate-data": inline(certs / "alice.crt"),
                    "client-key-data": inline(certs / "alice.key"),
                },
            }
        ],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    (tmp_path / "tmp").mkdir()
    script = "import os; from dscov.sources.access import *; from dscov.sources.access.transport import Transport; Transport(resolve(Overrides(), os.environ)).get('/x')"
    environ = os.environ | {
        "KUBECONFIG": str(tmp_path / "config"),
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    with subprocess.Popen([sys.executable, "-c", script], env=environ, cwd=tmp_path / "tmp") as process:
        assert here.wait(30)
        process.send_signal(signal.SIGKILL)
    assert api.seen[0].certificate == "alice"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_encrypted_key_is_refused_without_asking(certs, tmp_path):
    command = [
        "openssl",
        "ec",
        "-in",
        str(certs / "alice.key"),
        "-aes256",
        "-passout",
        "pass:x",
        "-out",
        str(tmp_path / "key"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(BadAccess, match="the client certificate and its key cannot be used"):
        context_for(Tls(), (certs / "alice.crt").read_bytes(), (tmp_path / "key").read_bytes())


def test_old_tls_is_not_spoken(access, api, certs):
    context = context_for(access.tls)
    assert context.minimum_version.name == "TLSv1_2"


def test_resolving_loads_neither_yaml_nor_http():
    """Only the command that connects pays for them."""
    script = "import sys; import kubectl_dscov.connection; print([m for m in ('ruamel', 'urllib3', 'ssl', 'kubernetes', 'http.client') if m in sys.modules])"
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("url", ["ftp://host:1/x?token=hush", "host/path?token=hush", "http://h:0?token=hush#hush"])
def test_what_follows_the_path_of_a_servers_url_is_not_told(url: str) -> None:
    with pytest.raises(BadAccess) as problem:
        server_url(url)
    assert "hush" not in str(problem.value)


def test_a_query_in_a_servers_url_is_not_kept() -> None:
    assert server_url("https://host:6443/x?token=hush") == "https://host:6443/x"
