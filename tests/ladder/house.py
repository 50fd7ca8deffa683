"""The house as ``open_house`` opens it, put into an empty database again as rows: a test run needs it a thousand times.

It is opened for real once in each process, and wherever anything stands in the database already.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Model

from bots.models import Bot, BotVersion
from ladder.models import DealSeries, Entry, Ladder, LedgerEntry, Season
from ladder.opening import open_house

_WRITTEN: Final[tuple[type[Model], ...]] = (Ladder, Season, DealSeries, LedgerEntry, Bot, BotVersion, Entry)
"""What opening the house writes, in an order in which it can be written."""

_rows: Final[dict[type[Model], list[Any]]] = {}


def opened_house() -> None:
    """All ladders with the house's bots on them."""
    empty = not Ladder.objects.exists() and not Bot.objects.exists()
    if not empty or not _rows:
        open_house()
        if empty:
            _rows.update({model: list(model._base_manager.order_by("pk")) for model in _WRITTEN})
        return
    with transaction.atomic():
        for model, rows in _rows.items():
            model._base_manager.bulk_create([copy(row) for row in rows])
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(_rows)):
                cursor.execute(statement)
