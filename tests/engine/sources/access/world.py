"""Running the same files and flags through kubectl and through us, and boiling down what the server was sent."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import pytest
from engine.sources.access.servers import ANSWER, Seen

from dscov.errors import CouldNotLook
from dscov.sources.access import Access, resolve
from dscov.sources.access.transport import Transport
from kubectl_dscov.connection import KubectlCommand, connection_options, overrides_from


class Sent(NamedTuple):
    """What identifies us to a server; `impersonate` is what follows `Impersonate-`, in small letters."""

    authorization: str = ""
    impersonate: tuple[tuple[str, str], ...] = ()
    certificate: str = ""
    server_name: str | None = None
    path: str = "/x"


def facts(seen: Seen) -> Sent:
    prefix = "impersonate-"
    impersonate = [
        (key.lower().removeprefix(prefix), value) for key, value in seen.headers if key.lower().startswith(prefix)
    ]
    return Sent(seen.one("Authorization"), tuple(sorted(impersonate)), seen.certificate, seen.server_name, seen.path)


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def kubeconfig(*, cluster=None, user=None, name="c", current=True, **more) -> dict:
    """A kubeconfig of one cluster, one user, one context, all called `name`."""
    config = {
        "clusters": [
            {
                "name": name,
                "cluster": {"server": "SERVER", "certificate-authority": "CERTS/ca.crt"}
                if cluster is None
                else cluster,
            }
        ],
        "users": [{"name": name, "user": {"token": "t"} if user is None else user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    return config | ({"current-context": name} if current else {}) | more


class World:
    """A folder of files and an environment; both programs are run in it."""

    def __init__(self, folder: Path, replacements: dict[str, str]) -> None:
        self.folder, self.replacements = folder, replacements | {"DIR": str(folder)}

    def text(self, text: str) -> str:
        for word, value in self.replacements.items():
            text = text.replace(word, value)
        return text

    def write(self, files: dict[str, object]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text(content if isinstance(content, str) else json.dumps(content)))
            if isinstance(content, str) and content.startswith("#!"):
                path.chmod(0o755)

    def environ(self, environ: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}} | {
            name: self.text(value) for name, value in environ.items()
        }


def sent_by_kubectl(world: World, server, flags: list[str], environ: dict[str, str]) -> Sent | str:
    """The one request of `kubectl get --raw /x`, or the error it ended with before any."""
    command = ["kubectl", "get", "--raw", "/x", *map(world.text, flags)]
    server.seen.clear()
    done = subprocess.run(
        command,
        env=world.environ(environ),
        cwd=world.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    found = [facts(seen) for seen in server.seen if "dispatcher" not in seen.one("User-Agent")]
    return found[0] if found else done.stderr.decode()


def sent_by_us(world: World, server, flags: list[str], environ: dict[str, str], **more) -> Sent | str:
    """The one request of ours, or the error it ended with before any."""
    server.seen.clear()
    try:
        access = resolve(overrides([world.text(flag) for flag in flags]), world.environ(environ), **more)
        with Transport(access, environ=world.environ(environ), sleep=lambda _: None) as transport:
            transport.get("/x")
    except CouldNotLook as error:
        assert not server.seen, "an error after a request went out"
        return str(error)
    return facts(server.seen[0])


SECRET = "s3cr3t-t0k3n"


def changed(access: Access, **fields) -> Access:
    return msgspec.structs.replace(access, **fields)


def connect(access: Access, **more) -> Transport:
    """A transport that never really waits."""
    return Transport(access, sleep=more.pop("sleep", lambda _: None), **more)


def in_turn(*statuses: int, **headers: str):
    """Answers with one status after the other, the last one for ever."""
    todo = list(statuses)

    def answer(handler, _) -> None:
        status = todo.pop(0) if len(todo) > 1 else todo[0]
        handler.reply(status, b'{"kind":"Status","message":"as told"}' if status >= 400 else ANSWER, **headers)

    return answer


def overrides(flags: list[str]):
    @click.command(cls=KubectlCommand)
    @connection_options
    def command(**values):
        return overrides_from(values)

    return command.main(flags, standalone_mode=False)


#: Run a test once with us and once with kubectl.
both = pytest.mark.parametrize(
    "send",
    [
        pytest.param(sent_by_us, id="we"),
        pytest.param(
            sent_by_kubectl,
            id="kubectl",
            marks=pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed"),
        ),
    ],
)


def through(world: World, url, *, user=None, **cluster) -> dict[str, str]:
    """A kubeconfig for `url`, and the environment that names it."""
    authority = {"certificate-authority": "CERTS/ca.crt"} if url.startswith("https") else {}
    world.write({"config": kubeconfig(cluster={"server": url} | authority | cluster, user=user)})
    return {"KUBECONFIG": "DIR/config"}
