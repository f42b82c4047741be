"""kubectl's global flags, spelt as kubectl spells them, and what they say about the way to a cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from dscov import Overrides

Function = TypeVar("Function", bound=Callable[..., Any])

MORE = "All flags of `kubectl options` are taken too: -s, --token, --as-group, --request-timeout, ..."

#: name of the value -> how its flag is written and what a verb's --help says of it; without a text it is not shown.
TEXTS = {
    "kubeconfig": (["--kubeconfig"], "FILE", "Use this kubeconfig file alone."),
    "context": (["--context"], "NAME", "Use this context of the kubeconfig."),
    "namespace": (["-n", "--namespace"], "NAME", "Look in this namespace."),
    "as_user": (["--as"], "USER", "Act as this user."),
    "cluster": (["--cluster"], "NAME", ""),
    "user": (["--user"], "NAME", ""),
    "server": (["-s", "--server"], "URL", ""),
    "tls_server_name": (["--tls-server-name"], "NAME", ""),
    "certificate_authority": (["--certificate-authority"], "FILE", ""),
    "client_certificate": (["--client-certificate"], "FILE", ""),
    "client_key": (["--client-key"], "FILE", ""),
    "token": (["--token"], "TOKEN", ""),
    "username": (["--username"], "NAME", ""),
    "password": (["--password"], "PASSWORD", ""),
    "as_uid": (["--as-uid"], "UID", ""),
    "request_timeout": (["--request-timeout"], "DURATION", ""),
    "kuberc": (["--kuberc"], "FILE", ""),
}
REPEATED = {"as_groups": ("--as-group", "GROUP"), "as_user_extra": ("--as-user-extra", "KEY=VALUE")}
SWITCHES = {
    "all_namespaces": (["-A", "--all-namespaces"], "Look in all namespaces, whatever -n says."),
    "insecure_skip_tls_verify": (["--insecure-skip-tls-verify"], ""),
    "disable_compression": (["--disable-compression"], ""),
}

#: Flags about kubectl's own workings: taken, so that no habit and no alias breaks, and without effect here.
IGNORED_TEXTS = (
    ["-v", "--v"],
    ["--vmodule"],
    ["--cache-dir"],
    ["--profile"],
    ["--profile-output"],
    ["--log-flush-frequency"],
)
IGNORED_SWITCHES = (["--match-server-version"], ["--warnings-as-errors"])

TRUE, FALSE = {"1", "t", "T", "true", "True", "TRUE"}, {"0", "f", "F", "false", "False", "FALSE"}


class KubectlCommand(click.Command):
    """A command whose flags may also be written as kubectl's parser takes them: -n=web, --all-namespaces=true."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after rewriting them to what click reads."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        switches = {flag for option in options if option.is_flag for flag in option.opts}
        # As with kubectl, only `=` gives such a flag a value: `--dry-run agent` is a flag and a name.
        assumed = {
            flag: option.flag_value
            for option in options
            if not option.is_flag and isinstance(option.flag_value, str)
            for flag in option.opts
        }
        left = super().parse_args(ctx, _rewritten(args, switches, assumed))
        _refuse_empty(ctx)
        return left

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options that are shown, and a line on those that are not."""
        super().format_options(ctx, formatter)
        if any(param.name == "kubeconfig" for param in self.params):
            formatter.write_paragraph()
            formatter.write_text(MORE)


def connection_options(function: Function) -> Function:
    """Give a command all global flags of kubectl, and -A; `overrides_from` reads the keyword arguments they become."""
    for flags, name, settings in reversed(_options()):
        function = click.option(*flags, name, **settings)(function)
    return function


def overrides_from(values: Mapping[str, Any]) -> Overrides:
    """The Overrides that the values of `connection_options` mean; keys that are none of theirs are passed over."""
    names = set(Overrides.__struct_fields__)
    return Overrides(**{name: value for name, value in values.items() if name in names and value is not None})


def _options() -> list[tuple[list[str], str, dict[str, Any]]]:
    """Flags, name and settings of every option, in the order of --help."""
    texts = [
        (flags, name, {"metavar": metavar, "help": shown, "hidden": not shown})
        for name, (flags, metavar, shown) in TEXTS.items()
    ]
    switches = [
        (flags, name, {"is_flag": True, "help": shown, "hidden": not shown})
        for name, (flags, shown) in SWITCHES.items()
    ]
    repeated = [
        ([flag], name, {"metavar": metavar, "multiple": True, "hidden": True})
        for name, (flag, metavar) in REPEATED.items()
    ]
    ignored: list[tuple[list[str], str, dict[str, Any]]] = [
        (flags, f"ignored_{index}", {"hidden": True, "expose_value": False, "is_flag": flags in IGNORED_SWITCHES})
        for index, flags in enumerate((*IGNORED_TEXTS, *IGNORED_SWITCHES))
    ]
    return [*texts[:3], *switches[:1], *texts[3:], *switches[1:], *repeated, *ignored]


def _refuse_empty(ctx: click.Context) -> None:
    """An empty text is nearly always a variable that is not set; taken for a flag that was not given it would do harm.

    kubectl's own flags take it as kubectl does.
    """
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        given = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        empty = value == "" or (isinstance(value, tuple) and "" in value)
        if given and empty and param.name not in {*TEXTS, *REPEATED}:
            raise click.UsageError(f"{param.opts[-1]} is empty", ctx)


def _rewritten(args: list[str], switches: set[str], assumed: Mapping[str, str]) -> list[str]:
    """`args` with -x=value as two words and --switch=true or =false as the switch or nothing, up to a lone --.

    A flag that is there without a value gets the one that is `assumed`.
    """
    end = args.index("--") if "--" in args else len(args)
    words: list[str] = []
    for arg in args[:end]:
        flag, equals, value = arg.partition("=")
        if not equals and flag in assumed:
            words.append(f"{flag}={assumed[flag]}")
        elif equals and flag in switches and value in TRUE | FALSE:
            words += [flag] if value in TRUE else []
        elif equals and re.fullmatch("-[A-Za-z]", flag):
            words += [flag, value]
        else:
            words.append(arg)
    return words + args[end:]
