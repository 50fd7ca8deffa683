"""``esr``: the games, the runner and one's own bots on a command line. ``python -m bots.cli`` is the same."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Final

from bots.cli import game_commands, play_commands, site_commands
from bots.cli.frame import FOUND, INTERRUPTED, MACHINE, USAGE, Command, Screen, UsageError
from bots.runner import PlatformFailure

COMMANDS: Final[tuple[Command, ...]] = (
    game_commands.GAMES_COMMAND,
    game_commands.RULES_COMMAND,
    game_commands.NEW_BOT_COMMAND,
    play_commands.CHECK_COMMAND,
    play_commands.PLAY_COMMAND,
    play_commands.REPLAY_DECISION_COMMAND,
    game_commands.VERIFY_COMMAND,
    site_commands.LOGIN_COMMAND,
    site_commands.UPLOAD_COMMAND,
    site_commands.STATUS_COMMAND,
    site_commands.PLAY_REMOTE_COMMAND,
    site_commands.WATCH_COMMAND,
    site_commands.DOWNLOAD_COMMAND,
)

_ABOUT: Final = "Board games for bots: write a bot, check it, play it against the house, look into what it did."
_MORE: Final = f"""\
A first bot:
  esr games                                            what there is to play
  esr new-bot mybot --game edel-stein-reich            write a bot that plays at once
  esr check mybot                                      does it play every table it claims?
  esr play edel-stein-reich mybot house:greedy house:random --games 20

Exit status: 0 all right, {FOUND} something is wrong with a bot or a record, {USAGE} this cannot be done as asked,
{MACHINE} this machine failed, {INTERRUPTED} stopped by Ctrl-C. `esr COMMAND --help` has examples."""


def parser() -> ArgumentParser:
    """The parser of all commands; ``command`` is the :class:`Command` that was named."""
    whole = ArgumentParser("esr", description=_ABOUT, epilog=_MORE, formatter_class=RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=f"esr {_version()}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        one = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help,
            epilog=command.more,
            formatter_class=RawDescriptionHelpFormatter,
        )
        command.add_to(one)
        one.set_defaults(command=command)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Wrong usage of the options exits with 2 from within."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a console of another age may not know every letter
            stream.reconfigure(errors="replace")
    options = parser().parse_args(arguments)
    return run(options.command, options, Screen(options.json))


def run(command: Command, options: Namespace, screen: Screen) -> int:
    """Run ``command`` and say what went wrong in a sentence; its exit status."""
    try:
        return command.run(options, screen)
    except UsageError as error:
        return screen.fail(str(error), USAGE)
    except PlatformFailure as error:
        return screen.fail(f"This machine failed, not a bot: {error}", MACHINE)
    except KeyboardInterrupt:
        return screen.fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:  # whoever read the output has seen enough: `esr rules … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _version() -> str:
    try:
        return version("esr-platform")
    except PackageNotFoundError:
        return "of a checkout that is not installed"
