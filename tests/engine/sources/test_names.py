"""Names alone: what is asked for, and what comes of answers that are no table."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Access
from dscov.sources.names import kubeconfig_names, list_names

TABLE = {"columnDefinitions": [{"format": ""}, {"format": "name"}], "rows": [{"cells": [1, "b"]}, {"cells": [1, "a"]}]}


class Server(http.server.ThreadingHTTPServer):
    status, body = 200, b""
    asked: list[tuple[str, str]]


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append((self.path, self.headers["Accept"]))
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(found.body)))
            self.end_headers()
            self.wfile.write(found.body)

        def log_message(self, *args: object) -> None:
            pass

    found = Server(("127.0.0.1", 0), Handler)
    found.asked, found.body = [], json.dumps(TABLE).encode()
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield found
    found.shutdown()
    found.server_close()


def names(server: Server, kind: str = "nodes", namespace: str = "") -> tuple[str, ...]:
    return list_names(Access(server=f"http://127.0.0.1:{server.server_port}"), kind, namespace=namespace)


@pytest.mark.parametrize(
    ("kind", "namespace", "path"),
    [
        ("nodes", "web", "/api/v1/nodes"),
        ("namespaces", "", "/api/v1/namespaces"),
        ("daemonsets", "", "/apis/apps/v1/daemonsets"),
        ("daemonsets", "web", "/apis/apps/v1/namespaces/web/daemonsets"),
    ],
)
def test_a_table_without_objects_is_asked_for(server: Server, kind: str, namespace: str, path: str) -> None:
    assert names(server, kind, namespace) == ("a", "b")
    assert server.asked == [
        (f"{path}?resourceVersion=0&includeObject=None", "application/json;as=Table;v=v1;g=meta.k8s.io")
    ]


@pytest.mark.parametrize("rows", [None, [], [{}], [{"cells": []}], [{"cells": [1, 2]}]], ids=repr)
def test_a_row_without_a_name_is_passed_over(server: Server, rows: object) -> None:
    server.body = json.dumps({**TABLE, "rows": rows}).encode()
    assert names(server) == ()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"rows": 7}', b"\xff", b"[" * 100_000], ids=lambda body: repr(body[:9])
)
def test_what_is_no_table_could_not_be_read(server: Server, body: bytes) -> None:
    server.body = body
    with pytest.raises(CouldNotLook, match="names of nodes"):
        names(server)


def test_a_refusal_is_told(server: Server) -> None:
    server.status = 403
    with pytest.raises(CouldNotLook, match="403"):
        names(server)


def test_names_in_a_kubeconfig(tmp_path: object) -> None:
    with pytest.raises(BadAccess):
        kubeconfig_names("/no/such/file", {})
    assert kubeconfig_names("", {"KUBECONFIG": "/no/such/file"}) == {"contexts": (), "clusters": (), "users": ()}
