"""The row that an address names, or a page that says there is none."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import QuerySet
from django.http import Http404

_Row = TypeVar("_Row")


def found(rows: QuerySet[Any, _Row], otherwise: str, **wanted: Any) -> _Row:
    """The row that an address names. Raises ``Http404`` with the sentence ``otherwise``."""
    sayable = not any("\0" in str(value) for value in wanted.values())  # PostgreSQL takes no text with a NUL
    row = rows.filter(**wanted).first() if sayable else None
    if row is None:
        raise Http404(otherwise)
    return row
