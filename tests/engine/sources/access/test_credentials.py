"""Credentials over time: token files that change, plugins whose answers expire or are refused."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine.sources.access.world import changed, connect, in_turn

from dscov.errors import BadAccess
from dscov.sources.access.model import ExecPlugin, Identity
from dscov.sources.access.transport import Transport


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
        return Identity(
            plugin=ExecPlugin(command=sys.executable, api_version=version, args=args, interactive_mode="Never")
        )

    return build


def test_a_plugin_is_run_once_for_many_requests(access, api, plugin):
    with connect(changed(access, identity=plugin())) as transport, ThreadPoolExecutor(4) as threads:
        list(threads.map(transport.get, ["/x"] * 8))
    assert {seen.one("Authorization") for seen in api.seen} == {"Bearer run-1"}


def test_a_plugin_is_run_once_for_several_connections(access, api, plugin):
    same = changed(access, identity=plugin())
    for _ in range(2):
        with Transport(same) as transport:
            transport.get("/x")
    assert [seen.one("Authorization") for seen in api.seen] == ["Bearer run-1"] * 2


@pytest.mark.parametrize(
    ("until", "tokens"), [("2020-01-01T00:00:00Z", ["run-1", "run-2"]), ("2999-01-01T00:00:00Z", ["run-1"] * 2)]
)
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
        connect(changed(access, identity=plugin(token="same"))).get("/x")
    assert len(api.seen) == 1


def test_a_new_client_certificate_means_new_connections(access, api, certs, tmp_path):
    pairs = {
        name: ((certs / f"{name}.crt").read_text(), (certs / f"{name}.key").read_text()) for name in ("alice", "bob")
    }
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
