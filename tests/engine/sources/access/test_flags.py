"""The flags: each of kubectl's is taken, written in each way that kubectl takes it."""

import re
import shutil
import subprocess

import click
import pytest
from engine.sources.access.world import overrides

from dscov.sources.access import Overrides
from kubectl_dscov.connection import KubectlCommand, connection_options, overrides_from


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", Overrides()),
        ("-n web", Overrides(namespace="web")),
        ("-nweb", Overrides(namespace="web")),
        ("-n=web", Overrides(namespace="web")),
        ("--namespace=web", Overrides(namespace="web")),
        ("--namespace web", Overrides(namespace="web")),
        ("-A", Overrides(all_namespaces=True)),
        ("-A=true", Overrides(all_namespaces=True)),
        ("--all-namespaces=false", Overrides()),
        ("-A -n web", Overrides(all_namespaces=True, namespace="web")),
        ("-s=https://x", Overrides(server="https://x")),
        ("--as-group a,b --as-group=c", Overrides(as_groups=("a,b", "c"))),
        ("--as-user-extra a=1 --as-user-extra b=2", Overrides(as_user_extra=("a=1", "b=2"))),
        ("--insecure-skip-tls-verify", Overrides(insecure_skip_tls_verify=True)),
        ("--insecure-skip-tls-verify=T --disable-compression=1", Overrides(insecure_skip_tls_verify=True, disable_compression=True)),
        ("--token=a=b", Overrides(token="a=b")),
        ("--kuberc f --request-timeout 5", Overrides(kuberc="f", request_timeout="5")),
        ("-v 6 -v=6 -v6 --v=6 --vmodule x=1 --cache-dir /x --profile cpu --profile-output f", Overrides()),
        ("--log-flush-frequency 5s --match-server-version --warnings-as-errors=true", Overrides()),
    ],
)  # fmt: skip
def test_flags(words, expected):
    assert overrides(words.split()) == expected


@pytest.mark.parametrize("words", ["--insecure-skip-tls-verify=maybe", "--nope", "-n"])
def test_flags_that_are_none(words):
    with pytest.raises(click.UsageError):
        overrides(words.split())


def a_verb():
    @click.command(cls=KubectlCommand)
    @click.argument("names", nargs=-1)
    @connection_options
    def verb(names, **connection):
        """Do it."""
        return names, overrides_from(connection)

    return verb


def test_flags_and_arguments_in_any_order():
    names = a_verb().main(["a", "-A", "b", "--as", "u", "--", "-n=x"], standalone_mode=False)
    assert names == (("a", "b", "-n=x"), Overrides(all_namespaces=True, as_user="u"))


HELP = """\
Usage: verb [OPTIONS] [NAMES]...

  Do it.

Options:
  --kubeconfig FILE     Use this kubeconfig file alone.
  --context NAME        Use this context of the kubeconfig.
  -n, --namespace NAME  Look in this namespace.
  -A, --all-namespaces  Look in all namespaces, whatever -n says.
  --as USER             Act as this user.
  --help                Show this message and exit.

All flags of `kubectl options` are taken too: -s, --token, --as-group,
--request-timeout, ...
"""


def test_help_stays_short():
    verb = a_verb()
    with click.Context(verb, info_name="verb", terminal_width=80) as context:
        assert verb.get_help(context) + "\n" == HELP


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_every_flag_of_kubectl_is_taken():
    said = subprocess.run(["kubectl", "options"], capture_output=True, text=True, check=True, timeout=60).stdout
    theirs = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*(?==)|(?<!\S)-[a-z](?=,)", said))
    ours = {flag for option in a_verb().params if isinstance(option, click.Option) for flag in option.opts}
    assert len(theirs) > 25
    assert theirs - ours == set()
