"""``manage.py verify FILE…`` is ``esr verify FILE…``."""

from __future__ import annotations

from bots.cli import game_commands
from bots.management.wrapping import LibraryCommand


class Command(LibraryCommand):
    """Records, re-executed."""

    help = game_commands.VERIFY_COMMAND.help
    command = game_commands.VERIFY_COMMAND
