"""``manage.py play GAME BOT…`` is ``esr play GAME BOT…``."""

from __future__ import annotations

from bots.local.commands import play
from bots.management.wrapping import LibraryCommand


class Command(LibraryCommand):
    """Games between bots on this machine."""

    help = play.COMMAND.help
    command = play.COMMAND
