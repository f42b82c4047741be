"""The transport's own promises: whole answers and streams, compression, threads, retries within bounds, time limits."""

import gzip
import re
import socket
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine.sources.access.servers import ANSWER
from engine.sources.access.world import changed, connect, in_turn

from dscov.errors import CouldNotLook
from dscov.sources.access.transport import ATTEMPTS

SECRET = "s3cr3t-t0k3n"


def test_get(access, api):
    with connect(access) as transport:
        answer = transport.get(
            "/api/v1/pods", query=[("limit", "5"), ("labelSelector", "a=b,c!=d")], accept="application/json;as=Table"
        )
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
    api.answer = lambda handler, _: handler.reply(200, b"not gzip", Content_Encoding="gzip")
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
    api.answer = lambda handler, _: handler.reply(200, b"x" * (1 << 20))
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
        api.answer = in_turn(status, 200, Retry_After="9999")
        assert transport.get("/x").status == 200
    assert waits == [7, 7, 30]


@pytest.mark.parametrize(("status", "requests"), [(429, 2), (503, 1)])
def test_a_patch_is_sent_again_only_where_nothing_can_have_been_done(status, requests, access, api):
    api.answer = in_turn(status, 200, Retry_After="1")
    connect(access).patch("/x", b"{}", content_type="a/b")
    assert len(api.seen) == requests


def test_a_server_that_stays_busy_is_left_alone(access, api):
    api.answer = in_turn(429, Retry_After="1")
    assert connect(access).get("/x").status == 429
    assert len(api.seen) == ATTEMPTS


def breaking(times, *, after=b""):
    todo = [True] * times

    def answer(handler, seen):
        if not todo:
            handler.reply(200)
            return
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


@pytest.mark.parametrize("answer", [lambda *_: time.sleep(3), slowly], ids=["silent", "dripping"])
def test_the_request_timeout_ends_a_request(answer, access, api):
    api.answer = answer
    with pytest.raises(CouldNotLook, match=r"did not answer within 0\.3s \(--request-timeout\)"):
        connect(changed(access, timeout=0.3)).get("/x")
