"""Long lists in parts: newest first, by the last row seen, so that the hundredth part costs what the first does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Part(Generic[Row]):
    """Some rows of a list, newest first. ``before`` is the cursor of the older ones, ``after`` of the newer ones."""

    rows: Sequence[Row]
    before: int | None
    after: int | None

    def __bool__(self) -> bool:
        return bool(self.rows)


def cursor(text: str | None) -> int | None:
    """A cursor from an address; ``None`` for anything that is none, since the start of the list is a good answer."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 18 else None


def part(rows: QuerySet[Row, Any], parameters: Callable[[str], str | None], size: int) -> Part[Row]:
    """The ``size`` rows below ``before`` or above ``after``, as the address says; the newest otherwise."""
    before, after = cursor(parameters("before")), cursor(parameters("after"))
    if after is not None and before is None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        more, shown = len(found) > size, found[:size][::-1]
        return Part(shown, shown[-1].pk if shown else None, shown[0].pk if more else None)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: size + 1])
    more, shown = len(found) > size, found[:size]
    return Part(shown, shown[-1].pk if more else None, shown[0].pk if shown and before is not None else None)
