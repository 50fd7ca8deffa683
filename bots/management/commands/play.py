"""``manage.py play GAME BOT…`` is ``esr play GAME BOT…``."""

from __future__ import annotations

from bots.cli import play_commands
from bots.management.wrapping import LibraryCommand


class Command(LibraryCommand):
    """Games between bots on this machine."""

    help = play_commands.PLAY_COMMAND.help
    command = play_commands.PLAY_COMMAND
