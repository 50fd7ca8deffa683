"""The commands of ``esr`` under ``manage.py``, for those who work in a checkout of the site. They add nothing."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.cli.frame import INTERRUPTED, MACHINE, USAGE, Command, Screen, UsageError
from bots.runner import PlatformFailure


class LibraryCommand(BaseCommand):
    """Uses no database. Its exit statuses are those of ``esr``."""

    command: ClassVar[Command]
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Those of the library's command."""
        self.command.add_to(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Run it; what cannot be done is a ``CommandError``."""
        try:
            status = self.command.run(Namespace(**options), Screen(options["json"]))
        except UsageError as error:
            raise CommandError(str(error), returncode=USAGE) from error
        except PlatformFailure as error:
            raise CommandError(f"This machine failed, not a bot: {error}", returncode=MACHINE) from error
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
            raise SystemExit(INTERRUPTED) from None
        if status:
            raise SystemExit(status)
