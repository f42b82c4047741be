"""The click group, and the one place where an error becomes an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module

import click

from dscov import __version__
from dscov.errors import DscovError
from kubectl_dscov import exits, prompt
from kubectl_dscov.render.ink import plain

PROG = "kubectl dscov"
_WRITING = {"fix", "undo", "accept"}

#: name -> (module in kubectl_dscov.commands, one line of help). A table, so that `--help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "diagnose": ("diagnose", "Say for every DaemonSet and node what is the case, and why."),
    "accept": ("accept", "Accept a gap, with a reason, in the policy file dscov.yaml."),
    "explain": ("explain", "Walk one DaemonSet through one node, or print the page of a cause."),
    "fix": ("fix", "Plan the least change that closes the gaps, and make it, in files or live."),
    "undo": ("undo", "Take back what fix did last, to a live object or to files."),
    "completion": ("completion", "Complete `kubectl dscov` at the prompt of your shell."),
}


class Verbs(click.Group):
    """A group that imports the module of a command only when that command runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, as the table gives them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The click command of a name, or None where there is no such name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"kubectl_dscov.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named, or a usage error that knows which one is like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from kubectl_dscov.lookup import or_so

            like = or_so(args[0], COMMANDS).replace("; did", " Did")
            raise click.UsageError(f"{error.message}{like}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in `--help`, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",
)
@click.version_option(__version__, message="%(prog)s v%(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Show which nodes a DaemonSet misses, and why; plan the smallest patch of your own files."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: list[str]) -> int:
    """Run the command line `args` (without the program's name) and return the exit code."""
    try:
        # Not through click's main: that turns a pipe which nobody reads any more into exit code 1, which means gaps.
        with cli.make_context(PROG, list(args)) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        # What is said of it may find no reader; the exit code has to.
        with contextlib.suppress(OSError):
            error.show()
        return exits.USAGE if isinstance(error, click.UsageError) else exits.COULD_NOT_LOOK
    except (KeyboardInterrupt, click.Abort):
        return exits.INTERRUPTED
    except DscovError as error:
        prompt.tell_error(error)
        return exits.code_for(error)
    except BrokenPipeError:
        # Whoever reads has enough; what was to be written to files or objects was not.
        with contextlib.suppress(OSError):
            sys.stderr.close()
        return exits.REFUSED if args and args[0] in _WRITING else exits.OK
    except Exception as error:  # noqa: BLE001 - the last stop: whoever sees exit 1 must be able to trust that it means gaps
        return _failed(error)
    return result if isinstance(result, int) else exits.OK


def _is_nowhere() -> bool:
    """Whether the current folder has been deleted."""
    try:
        os.getcwd()  # noqa: PTH109 - Path.cwd() is the same and says no more
    except FileNotFoundError:
        return True
    return False


def _failed(error: Exception) -> int:
    """What no part of the program expected, in one line; DSCOV_TRACEBACK=1 shows where it happened."""
    if os.environ.get("DSCOV_TRACEBACK"):
        raise error
    what = "not enough memory" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
    told = f"this is a fault of kubectl dscov, or of the streams it was given: {what}"
    if isinstance(error, FileNotFoundError) and _is_nowhere():
        told = "the current folder has been deleted: change to one that is there"
    with contextlib.suppress(Exception):
        click.echo(plain(f"error: {told}"), err=True)
    return exits.COULD_NOT_LOOK
