"""``esr``: the games, the runner and one's own bots on a command line. ``python -m bots.local`` is the same."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Final

from bots.local.command import Command
from bots.local.commands import (
    check,
    download,
    games,
    login,
    new_bot,
    play,
    play_remote,
    replay_decision,
    rules,
    status,
    upload,
    verify,
    watch,
)
from bots.local.faults import FOUND, INTERRUPTED, MACHINE, USAGE, UsageError
from bots.local.screen import Screen
from bots.runner import PlatformFailure

COMMANDS: Final[tuple[Command, ...]] = (
    games.COMMAND,
    rules.COMMAND,
    new_bot.COMMAND,
    check.COMMAND,
    play.COMMAND,
    replay_decision.COMMAND,
    verify.COMMAND,
    login.COMMAND,
    upload.COMMAND,
    status.COMMAND,
    play_remote.COMMAND,
    watch.COMMAND,
    download.COMMAND,
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
