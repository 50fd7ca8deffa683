"""The shape of one ``esr`` command: a name, its arguments, and a function that runs it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

from bots.local.screen import Screen


@dataclass(frozen=True)
class Command:
    """``run`` gives the exit status (``bots.local.faults``) and raises ``UsageError`` and ``PlatformFailure``.

    ``help`` is one sentence; ``more`` is what ``--help`` says below the options, mostly examples.
    """

    name: str
    help: str
    more: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Screen], int]

    def add_to(self, parser: ArgumentParser) -> None:
        """Its arguments, and the one that all commands have."""
        self.arguments(parser)
        parser.add_argument("--json", action="store_true", help="write one JSON document instead of text")
