"""What stands in the way of an answer is said in words that name the server and the remedy."""

import msgspec
import pytest
from engine.sources.access.servers import ApiServer, running
from engine.sources.access.world import changed, connect, in_turn

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access.model import Tls


def test_nobody_listens(access):
    with pytest.raises(
        CouldNotLook, match=r"server 127\.0\.0\.1:9 was refused - did you specify the right host or port\?"
    ):
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
