"""An API server and a proxy that write down what they are sent."""

import http.server
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ANSWER = b'{"kind":"List","items":[]}'


class Seen(NamedTuple):
    method: str
    path: str
    headers: list[tuple[str, str]]
    certificate: str
    server_name: str | None
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def one(self, name: str) -> str:
        return ", ".join(self.all(name))


class ApiServer(http.server.ThreadingHTTPServer):
    """`answer` may be replaced by a function of (handler, seen) that writes the answer itself."""

    daemon_threads = True

    def __init__(self, certificate: Path | None = None, authority: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[Seen] = []
        self.answer: Callable[[Handler, Seen], None] = plainly
        self.secure = certificate is not None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            if authority:
                context.load_verify_locations(authority)
                context.verify_mode = ssl.CERT_OPTIONAL
            context.sni_callback = lambda sock, name, _: setattr(sock, "asked_name", name)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address) -> None:
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ApiServer

    def do_GET(self) -> None:
        peer = self.connection.getpeercert() if self.server.secure else None
        names = [value for part in (peer or {}).get("subject", ()) for key, value in part if key == "commonName"]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = getattr(self.connection, "asked_name", None)
        seen = Seen(self.command, self.path, self.headers.items(), "".join(names), asked, body)
        self.server.seen.append(seen)
        self.server.answer(self, seen)

    do_PATCH = do_GET

    def reply(self, status: int, body: bytes = ANSWER, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args) -> None:
        pass


def plainly(handler: Handler, seen: Seen) -> None:
    handler.reply(200)


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy that leads every tunnel to `target`, and answers plain requests itself."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, target: int) -> None:
        super().__init__(("127.0.0.1", 0), Tunnel)
        self.target = target
        self.requests: list[str] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address) -> None:
        pass


class Tunnel(socketserver.StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        lines = []
        while line := self.rfile.readline().strip():
            lines.append(line.decode())
        self.server.requests.append("\n".join(lines))
        if not lines[0].startswith("CONNECT"):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.target)) as behind:
            threading.Thread(target=pour, args=(behind, self.connection), daemon=True).start()
            pour(self.connection, behind)


def pour(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def running(server):
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class SocksProxy(Proxy):
    """A SOCKS5 proxy that leads every connection to `target`; `requests` are the names it is asked for."""

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.RequestHandlerClass = Socks


class Socks(socketserver.StreamRequestHandler):
    server: SocksProxy

    def handle(self) -> None:
        _, methods = self.rfile.read(2)
        self.rfile.read(methods)
        self.wfile.write(b"\x05\x00")
        *_, kind = self.rfile.read(4)
        name = self.rfile.read(self.rfile.read(1)[0] if kind == 3 else 4)
        self.rfile.read(2)
        self.server.requests.append(name.decode() if kind == 3 else "an address")
        self.wfile.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        with socket.create_connection(("127.0.0.1", self.server.target)) as behind:
            threading.Thread(target=pour, args=(behind, self.connection), daemon=True).start()
            pour(self.connection, behind)
