"""``manage.py verify FILE…`` is ``esr verify FILE…``."""

from __future__ import annotations

from bots.local.commands import verify
from bots.management.wrapping import LibraryCommand


class Command(LibraryCommand):
    """Records, re-executed."""

    help = verify.COMMAND.help
    command = verify.COMMAND
