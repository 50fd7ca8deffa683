"""The one error of what a person types, and the exit statuses of every command."""

from __future__ import annotations

from typing import Final

FOUND: Final = 1
"""The command did its work and found something wrong: a record, a bot."""

USAGE: Final = 2
"""What was asked for cannot be done."""

MACHINE: Final = 3
"""This machine failed, not a bot."""

INTERRUPTED: Final = 130
"""Ctrl-C, as shells have it."""


class UsageError(ValueError):
    """What was asked for cannot be done; the message says what can."""
