from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from ladder.creation import open_house


class Command(BaseCommand):
    help = "Make the house's ladders, bots and entries, and give new versions to house bots whose code has changed."

    def handle(self, *_args: Any, **_options: Any) -> None:
        open_house()
