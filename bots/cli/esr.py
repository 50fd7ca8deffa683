"""The ``esr`` command: parse the arguments and run a subcommand. ``python -m bots.cli`` is equivalent."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Final

import games
from bots.cli import cup_commands, game_commands, play_commands, site_commands, verification
from bots.cli.frame import FOUND, INTERRUPTED, MACHINE, UNFINISHED, USAGE, Parser, Screen, SubCommand, UsageError
from bots.runner import PlatformFailure

_SHELLS: Final = ("bash", "zsh", "fish", "tcsh", "powershell")


def completion_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr completion``."""
    parser.add_argument("shell", choices=_SHELLS, help="shell that runs the script")


def run_completion(options: Namespace, screen: Screen) -> int:
    """Print the script of one shell."""
    import shtab  # only this command needs it

    script = shtab.complete(parser(), options.shell)
    sys.stdout.write("" if screen.machine else script + "\n")
    screen.answer({"ok": True, "shell": options.shell, "script": script})
    return 0


COMPLETION_COMMAND: Final = SubCommand(
    "completion",
    "Print a script that completes commands, options and file names in your shell.",
    """\
examples:
  esr completion bash > ~/.esr.bash && echo 'source ~/.esr.bash' >> ~/.bashrc
  esr completion zsh > ~/.zfunc/_esr                        with ~/.zfunc in fpath
  esr completion fish > ~/.config/fish/completions/esr.fish""",
    completion_arguments,
    run_completion,
)

COMMANDS: Final[tuple[SubCommand, ...]] = (
    game_commands.GAMES_COMMAND,
    game_commands.RULES_COMMAND,
    game_commands.NEW_BOT_COMMAND,
    play_commands.CHECK_COMMAND,
    play_commands.PLAY_COMMAND,
    play_commands.REPLAY_DECISION_COMMAND,
    game_commands.VERIFY_COMMAND,
    verification.VERIFY_CUP_COMMAND,
    verification.VERIFY_SEASON_COMMAND,
    site_commands.LOGIN_COMMAND,
    site_commands.UPLOAD_COMMAND,
    site_commands.STATUS_COMMAND,
    site_commands.PLAY_REMOTE_COMMAND,
    site_commands.WATCH_COMMAND,
    site_commands.DOWNLOAD_COMMAND,
    cup_commands.CUP_COMMAND,
    COMPLETION_COMMAND,
)

_ABOUT: Final = "Write, check, debug and upload bots for board games."
_MORE: Final = f"""\
examples:
  esr games                                        list games and house bots
  esr new-bot mybot --game edel-stein-reich        create a bot from a template
  esr check mybot                                  check the bot
  esr play edel-stein-reich mybot house:greedy house:random --games 20

exit codes:
  0    success
  {FOUND}    a bot, a game record, a cup or a season has errors
  {USAGE}    invalid arguments, or the site rejected the request
  {MACHINE}    this machine failed, not a bot
  {UNFINISHED}    a cup or a season is not finished, without errors so far
  {INTERRUPTED}  interrupted with Ctrl-C

Run `esr COMMAND --help` for the options and examples of a command."""


def parser() -> ArgumentParser:
    """Build the argument parser; it sets ``command`` to the selected :class:`SubCommand`."""
    whole = Parser("esr", description=_ABOUT, epilog=_MORE, formatter_class=RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=f"esr {games.__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name,
            help=command.help.rstrip("."),
            description=command.help,
            epilog=command.more,
            formatter_class=RawDescriptionHelpFormatter,
        )
        command.add_to(subparser)
        subparser.set_defaults(command=command)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments`` and return its exit code. Invalid options raise ``SystemExit(2)``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # legacy consoles cannot encode every character
            stream.reconfigure(errors="replace")
    options = parser().parse_args(arguments)
    return run(options.command, options, Screen(options.json))


def run(command: SubCommand, options: Namespace, screen: Screen) -> int:
    """Run ``command``, report its errors and return its exit code."""
    try:
        return command.run(options, screen)
    except UsageError as error:
        return screen.fail(str(error), USAGE)
    except PlatformFailure as error:
        return screen.fail(f"The failure was on this machine, not in a bot: {error}", MACHINE)
    except KeyboardInterrupt:
        return screen.fail("Interrupted.", INTERRUPTED)
    except BrokenPipeError:  # the reader closed the pipe, for example `esr rules … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
