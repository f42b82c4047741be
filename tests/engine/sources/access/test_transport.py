"""The transport's own promises: streaming, compression, retries within bounds, errors in words, and no secret anywhere."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Access, Overrides
from dscov.sources.access.credentials import Credentials
from dscov.sources.access.model import ExecPlugin, Identity, Impersonation, Tls
from dscov.sources.access.tls import context_for
from dscov.sources.access.transport import ATTEMPTS, Transport
from engine.sources.access.servers import ANSWER, ApiServer, running

SECRET = "s3cr3t-t0k3n"  # noqa: S105


@pytest.fixture
def access(api, certs):
    tls = Tls(authority=(certs / "ca.crt").read_bytes())
    return Access(server=api.url, tls=tls, identity=Identity(token=SECRET), origin="test")


def changed(access, **fields):
    return msgspec.structs.replace(access, **fields)


def connect(access, **more):
    return Transport(access, sleep=more.pop("sleep", lambda _: None), **more)


def in_turn(*statuses, **headers):
    """Answers with one status after the other, the last one for ever."""
    todo = list(statuses)

    def answer(handler, seen):
        status = todo.pop(0) if len(todo) > 1 else todo[0]
        handler.reply(status, b'{"kind":"Status","message":"as told"}' if status >= 400 else ANSWER, **headers)

    return answer


def test_get(access, api):
    with connect(access) as transport:
        answer = transport.get("/api/v1/pods", query=[("limit", "5"), ("labelSelector", "a=b,c!=d")], accept="application/json;as=Table")
    assert answer.status == 200
    assert answer.body == ANSWER
    assert answer.headers["content-type"] == "application/json"
    seen = api.seen[0]
    assert seen.path == "/api/v1/pods?limit=5&labelSelector=a%3Db%2Cc%21%3Dd"
    assert seen.one("Accept") == "application/json;as=Table"
    assert seen.one("Accept-Encoding") == "gzip"
    assert re.fullmatch(r"kubectl-dscov/\S+ \((linux|darwin|windows)/\w+\)", seen.one("User-Agent"))


def test_patch(access, api):
    with connect(access) as transport:
        answer = transport.patch("/p", b"[1]", query={"dryRun": "All"}, content_type="application/json-patch+json")
    assert (answer.status, api.seen[0].method, api.seen[0].body) == (200, "PATCH", b"[1]")
    assert api.seen[0].path == "/p?dryRun=All"
    assert api.seen[0].one("Content-Type") == "application/json-patch+json"


@pytest.mark.parametrize("status", [200, 301, 403, 404, 410, 422, 500, 503])
def test_statuses_are_facts_for_the_caller(status, access, api):
    api.answer = in_turn(status)
    with connect(access) as transport, transport.stream("/x") as stream:
        assert (transport.get("/x").status, stream.status) == (status, status)
    assert len(api.seen) == 2


def zipped(handler, seen):
    handler.reply(200, gzip.compress(ANSWER * 1000), Content_Encoding="gzip")


def test_gzip(access, api):
    api.answer = zipped
    with connect(access) as transport:
        assert transport.get("/x").body == ANSWER * 1000
        with transport.stream("/x") as stream:
            assert b"".join(stream.chunks) == ANSWER * 1000


def test_no_gzip_where_compression_is_off(access, api):
    connect(changed(access, disable_compression=True)).get("/x")
    assert api.seen[0].one("Accept-Encoding") == "identity"


def test_gzip_that_is_broken(access, api):
    api.answer = lambda handler, seen: handler.reply(200, b"not gzip", Content_Encoding="gzip")
    with pytest.raises(CouldNotLook, match="cannot be decompressed"):
        connect(access).get("/x")


def test_streaming_keeps_little_in_memory(access, api):
    piece = gzip.compress(b"0123456789abcdef" * 65536)

    def answer(handler, seen):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(64):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.write(b"0\r\n\r\n")

    api.answer = answer
    with connect(access) as transport, transport.stream("/x") as stream:
        tracemalloc.start()
        sizes = [len(chunk) for chunk in stream.chunks]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 1 << 20
    assert peak < 8 << 20


def test_a_stream_may_be_left_early(access, api):
    api.answer = lambda handler, seen: handler.reply(200, b"x" * (1 << 20))
    with connect(access) as transport:
        with transport.stream("/x") as stream:
            assert next(iter(stream.chunks))
        assert transport.get("/y").status == 200


def test_threads_share_a_transport(access, api):
    with connect(access) as transport, ThreadPoolExecutor(8) as threads:
        assert {answer.status for answer in threads.map(lambda n: transport.get(f"/{n}"), range(40))} == {200}
    assert sorted(int(seen.path[1:]) for seen in api.seen) == list(range(40))


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_says(status, access, api):
    waits = []
    api.answer = in_turn(status, status, 200, Retry_After="7")
    with connect(access, sleep=waits.append) as transport:
        assert transport.get("/x").status == 200
        assert waits == [7, 7]
        api.answer = in_turn(status, 200, Retry_After="9999")
        assert transport.patch("/x", b"{}", content_type="a/b").status == 200
    assert waits == [7, 7, 30]


def test_a_server_that_stays_busy_is_left_alone(access, api):
    api.answer = in_turn(429, Retry_After="1")
    assert connect(access).get("/x").status == 429
    assert len(api.seen) == ATTEMPTS


def breaking(times, *, after=b""):
    todo = [True] * times

    def answer(handler, seen):
        if not todo:
            return handler.reply(200)
        todo.pop()
        handler.wfile.write(after)
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    return answer


@pytest.mark.parametrize("after", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"])
def test_a_get_is_repeated_when_the_connection_breaks(after, access, api):
    api.answer = breaking(1, after=after)
    assert connect(access).get("/x").body == ANSWER
    assert len(api.seen) == 2


@pytest.mark.parametrize("after", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"])
def test_a_patch_is_not_repeated(after, access, api):
    api.answer = breaking(1, after=after)
    with pytest.raises(CouldNotLook, match="broke"):
        connect(access).patch("/x", b"{}", content_type="a/b")
    assert len(api.seen) == 1


def test_a_connection_that_always_breaks(access, api):
    api.answer = breaking(1000)
    with pytest.raises(CouldNotLook, match=r"the connection to the server 127\.0\.0\.1:\d+ broke"):
        connect(access).get("/x")
    assert len(api.seen) == ATTEMPTS


def test_a_stream_that_breaks_off_is_an_error(access, api):
    api.answer = breaking(1, after=b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}")
    with connect(access) as transport, transport.stream("/x") as stream, pytest.raises(CouldNotLook, match="broke"):
        list(stream.chunks)


def slowly(handler, seen):
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [lambda handler, seen: time.sleep(3), slowly], ids=["silent", "dripping"])
def test_the_request_timeout_ends_a_request(answer, access, api):
    api.answer = answer
    with pytest.raises(CouldNotLook, match=r"did not answer within 0\.3s \(--request-timeout\)"):
        connect(changed(access, timeout=0.3)).get("/x")


# what went wrong, in words


def test_nobody_listens(access):
    with pytest.raises(CouldNotLook, match=r"server 127\.0\.0\.1:9 was refused - did you specify the right host or port\?"):
        connect(changed(access, server="https://127.0.0.1:9")).get("/x")


def test_a_name_that_is_none(access):
    with pytest.raises(CouldNotLook, match=r"name of the server nothing\.invalid:6443 cannot be resolved"):
        connect(changed(access, server="https://nothing.invalid:6443")).get("/x")


def test_an_unknown_authority(access, certs):
    with pytest.raises(CouldNotLook, match="cannot be trusted: it is signed by an unknown authority"):
        connect(changed(access, tls=Tls(authority=(certs / "foreign.crt").read_bytes()))).get("/x")


def test_another_name(access, api):
    with pytest.raises(CouldNotLook, match=r"cannot be trusted: it is for another name than other\.example"):
        connect(changed(access, tls=msgspec.structs.replace(access.tls, server_name="other.example"))).get("/x")


def test_an_expired_certificate(access, certs, tmp_path):
    pem = tmp_path / "server.pem"
    pem.write_bytes((certs / "expired.crt").read_bytes() + (certs / "expired.key").read_bytes())
    with running(ApiServer(pem)) as server, pytest.raises(CouldNotLook, match="it has expired"):
        connect(changed(access, server=server.url)).get("/x")


def test_a_server_that_speaks_plain_http(access, plain_api):
    with pytest.raises(CouldNotLook, match="does not speak TLS on this port"):
        connect(changed(access, server=f"https://127.0.0.1:{plain_api.server_port}")).get("/x")


def test_a_server_that_speaks_tls_where_plain_http_was_meant(access, api):
    with pytest.raises(CouldNotLook, match="broke"):
        connect(changed(access, server=f"http://127.0.0.1:{api.server_port}")).get("/x")


def test_not_logged_in(access, api):
    api.answer = in_turn(401)
    with pytest.raises(BadAccess, match=r"you must be logged in to the server \(as told\): .* as user 'u'; renew them"):
        connect(changed(access, user="u")).get("/x")
    assert len(api.seen) == 1


# credentials over time


def test_a_token_file_is_read_anew(access, api, tmp_path):
    file = tmp_path / "token"
    file.write_text("one\n")
    with connect(changed(access, identity=Identity(token_file=str(file)))) as transport:
        transport.get("/x")
        file.write_text("two")
        transport.get("/x")
        file.unlink()
        transport.get("/x")
    assert [seen.one("Authorization") for seen in api.seen] == ["Bearer one", "Bearer two", "Bearer two"]


COUNTING = """
import json, pathlib, sys
count = pathlib.Path(sys.argv[1])
count.write_text(str(int(count.read_text() if count.exists() else 0) + 1))
status = {"token": "run-" + count.read_text()} | json.loads(sys.argv[2])
print(json.dumps({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": status}))
"""


@pytest.fixture
def plugin(tmp_path):
    def build(**status):
        args = ("-c", COUNTING, str(tmp_path / "count"), json.dumps(status))
        version = "client.authentication.k8s.io/v1"
        return Identity(plugin=ExecPlugin(command=sys.executable, api_version=version, args=args, interactive_mode="Never"))

    return build


def test_a_plugin_is_run_once_for_many_requests(access, api, plugin):
    with connect(changed(access, identity=plugin())) as transport, ThreadPoolExecutor(4) as threads:
        list(threads.map(transport.get, ["/x"] * 8))
    assert {seen.one("Authorization") for seen in api.seen} == {"Bearer run-1"}


@pytest.mark.parametrize(("until", "tokens"), [("2020-01-01T00:00:00Z", ["run-1", "run-2"]), ("2999-01-01T00:00:00Z", ["run-1"] * 2)])
def test_a_plugin_is_run_again_when_its_token_has_expired(until, tokens, access, api, plugin):
    with connect(changed(access, identity=plugin(expirationTimestamp=until))) as transport:
        transport.get("/x")
        transport.get("/x")
    assert [seen.one("Authorization") for seen in api.seen] == [f"Bearer {token}" for token in tokens]


def test_a_plugin_is_run_again_when_its_token_is_refused(access, api, plugin):
    api.answer = in_turn(401, 200)
    with connect(changed(access, identity=plugin())) as transport:
        assert transport.get("/x").status == 200
    assert [seen.one("Authorization") for seen in api.seen] == ["Bearer run-1", "Bearer run-2"]


def test_a_plugin_whose_new_token_is_refused_too(access, api, plugin):
    api.answer = in_turn(401)
    with pytest.raises(BadAccess, match="logged in"):
        connect(changed(access, identity=plugin())).get("/x")
    assert len(api.seen) == 2


def test_a_plugin_that_gives_the_same_token_again_is_not_tried_again(access, api, plugin):
    api.answer = in_turn(401)
    with pytest.raises(BadAccess, match="logged in"):
        connect(changed(access, identity=plugin(token="same"))).get("/x")  # noqa: S106
    assert len(api.seen) == 1


def test_a_new_client_certificate_means_new_connections(access, api, certs, tmp_path):
    pairs = {name: ((certs / f"{name}.crt").read_text(), (certs / f"{name}.key").read_text()) for name in ("alice", "bob")}
    script = f"""
import json, pathlib
pairs = {pairs!r}
first = not pathlib.Path({str(tmp_path / "ran")!r}).exists()
pathlib.Path({str(tmp_path / "ran")!r}).touch()
crt, key = pairs["alice" if first else "bob"]
status = {{"clientCertificateData": crt, "clientKeyData": key, "expirationTimestamp": "2020-01-01T00:00:00Z"}}
print(json.dumps({{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": status}}))
"""
    plugin = ExecPlugin(command=sys.executable, api_version="client.authentication.k8s.io/v1", args=("-c", script))
    with connect(changed(access, identity=Identity(plugin=plugin))) as transport:
        transport.get("/x")
        transport.get("/x")
    assert [seen.certificate for seen in api.seen] == ["alice", "bob"]


def test_a_failing_plugin_is_never_an_anonymous_request(access, api):
    plugin = ExecPlugin(command="false", api_version="client.authentication.k8s.io/v1")
    with pytest.raises(BadAccess, match="the credential plugin false failed with exit code 1"):
        connect(changed(access, identity=Identity(plugin=plugin))).get("/x")
    assert api.seen == []


def test_stderr_of_a_plugin_passes_through(access, capfd):
    args = ("-c", "import sys; sys.exit('log in first')")
    plugin = ExecPlugin(command=sys.executable, api_version="client.authentication.k8s.io/v1", args=args)
    with pytest.raises(BadAccess):
        connect(changed(access, identity=Identity(plugin=plugin))).get("/x")
    assert capfd.readouterr().err == "log in first\n"


# secrets


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
    identity = Identity(token=SECRET, username="u", password=SECRET, certificate=b"x", key=SECRET.encode(), plugin=plugin)
    access = Access(server="https://x", identity=identity, proxy=f"http://me:{SECRET}@p:1")
    proof = Credentials(identity).proof()
    for thing in (plugin, identity, access, proof, Overrides(token=SECRET, password=SECRET)):
        assert SECRET not in repr(thing)
        assert SECRET not in str(thing)
        assert SECRET not in f"{thing}"


def test_errors_hold_no_secrets(access, api, plugin):
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
    api.answer = lambda handler, seen: (here.set(), time.sleep(5))
    config = {
        "clusters": [{"name": "c", "cluster": {"server": api.url, "certificate-authority": str(certs / "ca.crt")}}],
        "users": [{"name": "c", "user": {"client-certificate-data": inline(certs / "alice.crt"), "client-key-data": inline(certs / "alice.key")}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    (tmp_path / "tmp").mkdir()
    script = "import os; from dscov.sources.access import *; from dscov.sources.access.transport import Transport; Transport(resolve(Overrides(), os.environ)).get('/x')"
    environ = os.environ | {"KUBECONFIG": str(tmp_path / "config"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environ, cwd=tmp_path / "tmp") as process:
        assert here.wait(30)
        process.send_signal(signal.SIGKILL)
    assert api.seen[0].certificate == "alice"
    assert list((tmp_path / "tmp").iterdir()) == []


def inline(path: Path) -> str:
    import base64

    return base64.b64encode(path.read_bytes()).decode()


def test_an_encrypted_key_is_refused_without_asking(certs, tmp_path):
    command = ["openssl", "ec", "-in", str(certs / "alice.key"), "-aes256", "-passout", "pass:x", "-out", str(tmp_path / "key")]
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
