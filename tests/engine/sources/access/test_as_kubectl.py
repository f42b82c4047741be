"""What we send a server equals what kubectl sends it, for the same files, flags and environment.

Every case states what is sent; we are held to that on every machine, and kubectl itself where it is installed, so that
the table cannot drift from the real thing.
"""

import shutil
from typing import NamedTuple

import pytest
from engine.sources.access.certificates import inline
from engine.sources.access.world import Sent, World, basic, kubeconfig, sent_by_kubectl, sent_by_us

PLUGIN = """#!/bin/sh
echo "$0 $*" >&2
cat <<EOF
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "$TOKEN-$1"}}
EOF
"""
V1 = {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never"}
V1BETA1 = {"apiVersion": "client.authentication.k8s.io/v1beta1"}


class Case(NamedTuple):
    name: str
    files: dict
    expected: Sent | None
    flags: str = ""
    environ: dict | None = None


def one(name, expected, *, flags="", environ=None, files=None, **config) -> Case:
    """A case with one kubeconfig in KUBECONFIG."""
    return Case(
        name,
        {"config": kubeconfig(**config)} | (files or {}),
        expected,
        flags,
        {"KUBECONFIG": "DIR/config"} | (environ or {}),
    )


def plugged(name, expected, plugin, **more) -> Case:
    """A case whose user is a plugin."""
    return one(
        name,
        expected,
        user={"exec": plugin},
        files={"plug": PLUGIN, "bin/plug-in": PLUGIN} | more.pop("files", {}),
        **more,
    )


def two(name, first, second, expected, flags="", listed="DIR/first:DIR/second") -> Case:
    """A case with two files in KUBECONFIG."""
    return Case(name, {"first": first, "second": second}, expected, flags, {"KUBECONFIG": listed})


TOKEN = Sent("Bearer t")
OTHER = kubeconfig(name="d", user={"token": "d"})
NO_USERS = {"contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}], "current-context": "c"}
TLS = {"server": "SERVER", "certificate-authority": "CERTS/ca.crt"}
BY_NAME = TLS | {"server": "https://localhost:PORT"}
AS = {"as": "alice", "as-groups": ["g1", "g2"], "as-uid": "7", "token": "t"}
AS_SENT = (("group", "g1"), ("group", "g2"), ("uid", "7"), ("user", "alice"))
CERT = {"client-certificate": "CERTS/alice.crt", "client-key": "CERTS/alice.key"}

FILES = [
    one("a token", TOKEN),
    Case("home", {"home/.kube/config": kubeconfig()}, TOKEN),
    Case("--kubeconfig alone counts", {"a": kubeconfig(), "b": OTHER}, Sent("Bearer d"), "--kubeconfig b", {"KUBECONFIG": "DIR/a"}),
    Case("--kubeconfig must be there", {"a": kubeconfig()}, None, "--kubeconfig nope", {"KUBECONFIG": "DIR/a"}),
    two("the first current-context wins", kubeconfig(), OTHER, TOKEN),
    two("the second current-context wins where the first is missing", kubeconfig(current=False), OTHER, Sent("Bearer d")),
    two("an empty current-context is none", kubeconfig() | {"current-context": ""}, OTHER, Sent("Bearer d")),
    two("an empty file", "", OTHER, Sent("Bearer d")),
    two("a missing file", {}, OTHER, Sent("Bearer d"), listed="DIR/nope:DIR/second"),
    two("empty names", {}, OTHER, Sent("Bearer d"), listed="::DIR/second:"),
    two("a file named twice", kubeconfig(), OTHER, TOKEN, listed="DIR/first:DIR/second:DIR/first"),
    two("the first entry of a name wins", kubeconfig(), kubeconfig(user={"token": "second"}), TOKEN),
    two("an entry is not merged inside", kubeconfig(user={"token": "t"}), kubeconfig(user={"as": "bob"}), TOKEN),
    two("entries of several files", NO_USERS, kubeconfig(), TOKEN),
    two("a broken file among good ones", "{", OTHER, None),
    two("an entry of the second file by flag", kubeconfig(), OTHER, Sent("Bearer d"), "--context d"),
    one("two users of one name in one file", None, users=[{"name": "c", "user": {"token": "t1"}}, {"name": "c", "user": {"token": "t2"}}]),
    one("another kind of file", None, kind="Pod", apiVersion="v1"),
    one("another version", None, apiVersion="v2", kind="Config"),
    one("a number for a token", None, user={"token": 12}),
    one("a number for an unused user's token", None, users=[{"name": "c", "user": {"token": "t"}}, {"name": "x", "user": {"token": 5}}]),
    one("unknown fields", TOKEN, user={"token": "t", "what": [1]}, cluster=TLS | {"what": 1}, preferences={}, extra=5),
    Case("YAML with anchors", {"config": "clusters: [{name: c, cluster: {server: SERVER, certificate-authority: CERTS/ca.crt}}]\n"
         "x: &u {token: t}\nusers: [{name: c, user: {<<: *u}}]\ncontexts: [{name: c, context: {cluster: c, user: c}}]\n"
         "current-context: c\n"}, TOKEN, "", {"KUBECONFIG": "DIR/config"}),
    Case("only the first document counts", {"config": "current-context: c\n---\ncurrent-context: d\n"}, None, "", {"KUBECONFIG": "DIR/config"}),
]  # fmt: skip

CHOICES = [
    one("--context that is not there", None, flags="--context nope"),
    one("--cluster that is not there", None, flags="--cluster nope"),
    one("--user that is not there", None, flags="--user nope"),
    one("a current-context that is not there", None, **{"current-context": "nope"}),
    one("a current-context that is not there, with --cluster and --user", None, flags="--cluster c --user c", **{"current-context": "nope"}),
    one("--cluster and --user without a context", TOKEN, current=False, flags="--cluster c --user c"),
    one("--user overrides the context's", Sent("Bearer o"), flags="--user o", users=[{"name": "c", "user": {"token": "t"}}, {"name": "o", "user": {"token": "o"}}]),
    one("a context whose user is not there", None, users=[]),
    one("no credentials over TLS", None, user={}),
    one("--token", Sent("Bearer x"), flags="--token x"),
    one("--server by another name", Sent("Bearer t", server_name="localhost"), flags="-s https://localhost:PORT"),
    one("--server=", Sent("Bearer t", server_name="localhost"), flags="--server=https://localhost:PORT"),
    one("KUBERNETES_MASTER without any file", None, environ={"KUBECONFIG": "DIR/nope", "KUBERNETES_MASTER": "SERVER"}),
    one("-s and --token without any file", Sent("Bearer x"), flags="-s SERVER --token x --certificate-authority CERTS/ca.crt", environ={"KUBECONFIG": "DIR/nope"}),
    one("a timeout in seconds", Sent("Bearer t", path="/x?timeout=9s"), flags="--request-timeout 9"),
    one("a timeout of mixed units", Sent("Bearer t", path="/x?timeout=1m1.5s"), flags="--request-timeout=1m1500ms"),
    one("a timeout without a meaning", None, flags="--request-timeout 9x"),
    one("a negative number of seconds", None, flags="--request-timeout=-9"),
]  # fmt: skip

SERVERS = [
    one("tls-server-name", Sent("Bearer t", server_name="cluster.example"), cluster=TLS | {"tls-server-name": "cluster.example"}),
    one("tls-server-name that the certificate lacks", None, cluster=TLS | {"tls-server-name": "other.example"}),
    one("--tls-server-name", Sent("Bearer t", server_name="cluster.example"), flags="--tls-server-name cluster.example"),
    one("--server drops the tls-server-name", Sent("Bearer t", server_name="localhost"), cluster=TLS | {"tls-server-name": "other.example"}, flags="-s https://localhost:PORT"),
    one("a foreign authority", None, cluster=TLS | {"certificate-authority": "CERTS/foreign.crt"}),
    one("an authority inline", TOKEN, cluster={"server": "SERVER", "certificate-authority-data": "CA_INLINE"}),
    one("an authority twice", None, cluster=TLS | {"certificate-authority-data": "CA_INLINE"}),
    one("an authority that is not there", None, cluster=TLS | {"certificate-authority": "nope.crt"}),
    one("an authority that is not PEM", None, cluster=TLS | {"certificate-authority": "config"}),
    one("the server's own certificate as authority", TOKEN, cluster=TLS | {"certificate-authority": "CERTS/server.crt"}),
    one("no authority", None, cluster={"server": "SERVER"}),
    one("insecure", TOKEN, cluster={"server": "SERVER", "insecure-skip-tls-verify": True}),
    one("insecure by name", Sent("Bearer t", server_name="localhost"), cluster={"server": "https://localhost:PORT", "insecure-skip-tls-verify": True}),
    one("insecure with an authority", None, cluster=TLS | {"insecure-skip-tls-verify": True}),
    one("--insecure displaces the authority", TOKEN, cluster=TLS | {"certificate-authority": "CERTS/foreign.crt"}, flags="--insecure-skip-tls-verify"),
    one("--insecure=false changes nothing", TOKEN, flags="--insecure-skip-tls-verify=false"),
    one("--certificate-authority displaces insecure", None, cluster={"server": "SERVER", "insecure-skip-tls-verify": True}, flags="--certificate-authority CERTS/foreign.crt"),
    one("--certificate-authority displaces the inline one", TOKEN, cluster={"server": "SERVER", "certificate-authority-data": "FOREIGN_INLINE"}, flags="--certificate-authority CERTS/ca.crt"),
    one("a URL with a query", TOKEN, cluster=TLS | {"server": "SERVER?a=b#c"}),
    one("a URL with a final slash", TOKEN, cluster=TLS | {"server": "SERVER/"}),
    one("host:port with a path", None, cluster=TLS | {"server": "127.0.0.1:PORT/x"}),
    one("another scheme", None, cluster=TLS | {"server": "ftp://127.0.0.1:PORT"}),
]  # fmt: skip

USERS = [
    one("tokenFile", Sent("Bearer file"), user={"tokenFile": "DIR/tok"}, files={"tok": " file\n"}),
    one("tokenFile relative to its kubeconfig", Sent("Bearer file"), flags="--kubeconfig sub/config", files={"sub/config": kubeconfig(user={"tokenFile": "../tok"}), "tok": "file"}),
    one("tokenFile wins over token", Sent("Bearer file"), user={"token": "t", "tokenFile": "tok"}, files={"tok": "file"}),
    one("token where the tokenFile is missing", TOKEN, user={"token": "t", "tokenFile": "nope"}),
    one("token where the tokenFile is empty", TOKEN, user={"token": "t", "tokenFile": "tok"}, files={"tok": ""}),
    one("a tokenFile that is missing", None, user={"tokenFile": "nope"}),
    one("a tokenFile that is empty", None, user={"tokenFile": "tok"}, files={"tok": ""}),
    one("basic", Sent(basic("a", "b:ü")), user={"username": "a", "password": "b:ü"}),
    one("--username and --password", Sent(basic("x", "y")), user={"username": "a", "password": "b"}, flags="--username x --password y"),
    one("--username alone", Sent(basic("x", "b")), user={"username": "a", "password": "b"}, flags="--username x"),
    one("basic and token", None, user={"username": "a", "password": "b", "token": "t"}),
    one("basic and --token", None, user={"username": "a", "password": "b"}, flags="--token t"),
    one("token and --username", None, flags="--username a --password b"),
    one("basic and tokenFile", None, user={"username": "a", "password": "b", "tokenFile": "tok"}, files={"tok": "x"}),
    one("a client certificate", Sent(certificate="alice"), user=CERT),
    one("a client certificate and a token", Sent("Bearer t", certificate="alice"), user=CERT | {"token": "t"}),
    one("a client certificate inline", Sent(certificate="alice"), user={"client-certificate-data": "ALICE_CRT", "client-key-data": "ALICE_KEY"}),
    one("a client certificate with an inline key", Sent(certificate="alice"), user={"client-certificate": "CERTS/alice.crt", "client-key-data": "ALICE_KEY"}),
    one("relative paths", Sent(certificate="alice"), flags="--kubeconfig sub/config", files={
        "sub/config": kubeconfig(user={"client-certificate": "../c/a.crt", "client-key": "./a.key"}, cluster=TLS | {"certificate-authority": "../c/ca.crt"}),
        "sub/a.key": "ALICE_KEY_TEXT", "c/a.crt": "ALICE_CRT_TEXT", "c/ca.crt": "CA_TEXT"}),
    one("--client-certificate and --client-key", Sent(certificate="bob"), user=CERT, flags="--client-certificate CERTS/bob.crt --client-key CERTS/bob.key"),
    one("a relative --client-certificate", Sent(certificate="alice"), flags="--client-certificate=CERTS/alice.crt --client-key=./a.key --user n", users=[{"name": "n", "user": {}}], files={"a.key": "ALICE_KEY_TEXT"}),
    one("a certificate without its key", None, user={"client-certificate": "CERTS/alice.crt"}),
    one("a certificate with another's key", None, user=CERT | {"client-key": "CERTS/bob.key"}),
    one("a certificate twice", None, user=CERT | {"client-certificate-data": "ALICE_CRT"}),
    one("a key twice", None, user=CERT | {"client-key-data": "ALICE_KEY"}),
    one("a certificate that is not there", None, user=CERT | {"client-certificate": "nope"}),
    one("a certificate that is not base64", None, user={"client-certificate-data": "!", "client-key-data": "!"}),
    one("a key without a certificate is passed over", TOKEN, user={"client-key": "CERTS/alice.key", "token": "t"}),
    one("a removed auth-provider", None, user={"auth-provider": {"name": "gcp"}}),
    one("an unknown auth-provider", None, user={"auth-provider": {"name": "mine"}, "token": "t"}),
]  # fmt: skip

IMPERSONATION = [
    one("as", Sent("Bearer t", AS_SENT), user=AS),
    one("--as keeps the file's groups", Sent("Bearer t", (*AS_SENT[:3], ("user", "bob"))), user=AS, flags="--as bob"),
    one("--as-group replaces the file's groups", Sent("Bearer t", (("group", "a,b"), ("group", "c"), ("uid", "7"), ("user", "alice"))), user=AS, flags="--as-group a,b --as-group c"),
    one("--as and --as-uid", Sent("Bearer t", (("uid", "8"), ("user", "bob"))), flags="--as bob --as-uid=8"),
    one("as-user-extra", Sent("Bearer t", (("extra-scopes", "x y"), ("extra-scopes", "z"), ("user", "a"))), user={"token": "t", "as": "a", "as-user-extra": {"scopes": ["x y", "z"]}}),
    one("a service account", Sent("Bearer t", (("user", "system:serviceaccount:kube-system:x"),)), flags="--as=system:serviceaccount:kube-system:x"),
    one("groups without a user", None, user={"token": "t", "as-groups": ["a"]}),
    one("--as-group without a user", None, flags="--as-group a"),
    one("uid without a user", None, user={"token": "t", "as-uid": "1"}),
    one("extra without a user", None, user={"token": "t", "as-user-extra": {"a": ["b"]}}),
]  # fmt: skip

PLUGINS = [
    plugged("a plugin", Sent("Bearer z-q"), V1 | {"command": "DIR/plug", "args": ["q"], "env": [{"name": "TOKEN", "value": "z"}]}),
    plugged("a plugin with nulls", Sent("Bearer -"), V1 | {"command": "DIR/plug", "args": None, "env": None}),
    plugged("a plugin relative to its kubeconfig", Sent("Bearer -"), V1 | {"command": "./plug"}),
    plugged("a plugin by a path in its kubeconfig's folder", Sent("Bearer -"), V1 | {"command": "bin/plug-in"}),
    plugged("a plugin on the PATH", Sent("Bearer -"), V1 | {"command": "plug-in"}, environ={"PATH": "/usr/bin:/bin:DIR/bin"}),
    plugged("a plugin on a relative PATH", None, V1 | {"command": "plug-in"}, environ={"PATH": "/usr/bin:/bin:./bin"}),
    plugged("a name is not a file here", None, V1 | {"command": "plug"}),
    plugged("a plugin inherits the environment", Sent("Bearer e-"), V1 | {"command": "./plug"}, environ={"TOKEN": "e"}),
    plugged("its own variables win", Sent("Bearer f-"), V1 | {"command": "./plug", "env": [{"name": "TOKEN", "value": "f"}]}, environ={"TOKEN": "e"}),
    plugged("a plugin that is not installed", None, V1 | {"command": "no-such-plugin", "installHint": "get it"}),
    plugged("a plugin that fails", None, V1 | {"command": "false"}),
    plugged("a plugin that prints no JSON", None, V1 | {"command": "echo", "args": ["x"]}),
    plugged("a plugin that prints nothing", None, V1 | {"command": "true"}),
    plugged("a plugin that prints no status", None, V1 | {"command": "echo", "args": ['{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}']}),
    plugged("a plugin that gives nothing", None, V1 | {"command": "echo", "args": ['{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {}}']}),
    plugged("a plugin that gives half a pair", None, V1 | {"command": "echo", "args": ['{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t", "clientKeyData": "x"}}']}),
    plugged("a plugin that gives a certificate", Sent(certificate="alice"), V1 | {"command": "cat", "args": ["DIR/answer"]}, files={"answer": "CERTIFICATE_ANSWER"}),
    plugged("a plugin of another version", None, V1BETA1 | {"command": "./plug"}),
    plugged("v1beta1", Sent("Bearer b"), V1BETA1 | {"command": "echo", "args": ['{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "b"}}']}),
    plugged("a version that is gone", None, {"command": "./plug", "apiVersion": "client.authentication.k8s.io/v1alpha1"}),
    plugged("v1 without interactiveMode", None, {"command": "./plug", "apiVersion": V1["apiVersion"]}),
    plugged("an unknown interactiveMode", None, V1 | {"command": "./plug", "interactiveMode": "Sometimes"}),
    plugged("a plugin that must ask, without a terminal", None, V1 | {"command": "./plug", "interactiveMode": "Always"}),
    plugged("no command", None, V1),
    plugged("a variable without a name", None, V1 | {"command": "./plug", "env": [{"value": "x"}]}),
    plugged("--token spares the plugin", Sent("Bearer x"), V1 | {"command": "false"}, flags="--token x"),
    plugged("--username spares the plugin", Sent(basic("a", "b")), V1 | {"command": "false"}, flags="--username a --password b"),
    plugged("a certificate spares the plugin", Sent(certificate="bob"), V1 | {"command": "false"}, flags="--client-certificate CERTS/bob.crt --client-key CERTS/bob.key"),
    plugged("a plugin with impersonation", Sent("Bearer -", (("user", "alice"),)), V1 | {"command": "./plug"}, flags="--as alice"),
]  # fmt: skip

#: Where kubectl got it right after 1.32: there --token left a tokenFile in force, and the file's inline data made the
#: certificate of the flags an error. `--as-user-extra` is a flag of later versions.
NEWER = [
    one("--token over a tokenFile", Sent("Bearer x"), user={"tokenFile": "tok"}, files={"tok": "file"}, flags="--token x"),
    one("--client-certificate over an inline one", Sent(certificate="bob"), user={"client-certificate-data": "ALICE_CRT", "client-key-data": "ALICE_KEY"}, flags="--client-certificate CERTS/bob.crt --client-key CERTS/bob.key"),
    one("--as-user-extra", Sent("Bearer t", (("extra-a", "1"), ("extra-a", "2=3"), ("extra-b", "x"), ("user", "u"))), user={"token": "t", "as": "u", "as-user-extra": {"a": ["0"], "b": ["x"]}}, flags="--as-user-extra a=1 --as-user-extra a=2=3"),
    one("--as-user-extra without a value", None, flags="--as u --as-user-extra a"),
]  # fmt: skip

CASES = FILES + CHOICES + SERVERS + USERS + IMPERSONATION + PLUGINS


@pytest.fixture
def world(tmp_path, certs, api, environment):
    answer = '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"clientCertificateData": %s, "clientKeyData": %s}}'
    import json

    pair = [json.dumps((certs / name).read_text()) for name in ("alice.crt", "alice.key")]
    return World(
        tmp_path,
        {
            "CERTIFICATE_ANSWER": answer % tuple(pair),
            "ALICE_CRT_TEXT": (certs / "alice.crt").read_text(),
            "ALICE_KEY_TEXT": (certs / "alice.key").read_text(),
            "CA_TEXT": (certs / "ca.crt").read_text(),
            "ALICE_CRT": inline(certs / "alice.crt"),
            "ALICE_KEY": inline(certs / "alice.key"),
            "FOREIGN_INLINE": inline(certs / "foreign.crt"),
            "CA_INLINE": inline(certs / "ca.crt"),
            "CERTS": str(certs),
            "SERVER": api.url,
            "PORT": str(api.server_port),
        },
    )


def without_timeout(sent):
    """We keep time ourselves and leave the server's own limit alone."""
    return sent._replace(path=sent.path.partition("?timeout")[0])


@pytest.mark.parametrize("case", CASES + NEWER, ids=lambda case: case.name)
def test_we_send(case, world, api, monkeypatch):
    world.write(case.files)
    monkeypatch.chdir(world.folder)
    sent = sent_by_us(world, api, case.flags.split(), case.environ or {})
    if case.expected is None:
        assert isinstance(sent, str)
    else:
        assert sent == without_timeout(case.expected)


@pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl, which these cases are compared with, is not installed"
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kubectl_sends(case, world, api):
    world.write(case.files)
    sent = sent_by_kubectl(world, api, case.flags.split(), case.environ or {})
    if case.expected is None:
        assert isinstance(sent, str)
    else:
        assert sent == case.expected
