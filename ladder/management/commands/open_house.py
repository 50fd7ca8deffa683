from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from ladder.creation import open_house


class Command(BaseCommand):
    help = "Create the house ladders and house bots, and new versions of house bots whose code has changed."

    def handle(self, *_args: Any, **_options: Any) -> None:
        open_house()
