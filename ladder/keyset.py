"""Keyset pagination of pages and the API.

A cursor identifies the last row of a page, so that the last page of a list costs as much as the first. It consists of
the id of the row, or of the value by which the list is sorted, ``_`` and the id: ``51007``, ``1702413_17``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.db.models import Model, Q, QuerySet

CURSOR: Final = r"^-?[0-9]{1,15}(_[0-9]{1,15})?$"
"""Pattern of all cursors."""

Row = TypeVar("Row", bound=Model | Mapping[str, Any])


@dataclass(frozen=True)
class Order:
    """A sort order: by the numeric ``field``, and equal rows by id, oldest first."""

    field: str
    falling: bool = False

    @property
    def by(self) -> tuple[str, ...]:
        """Arguments of ``order_by``."""
        field = f"-{self.field}" if self.falling else self.field
        return (field,) if self.field == "pk" else (field, "pk")

    def after(self, cursor: str) -> Q:
        """Return the condition for rows that follow the row at ``cursor``."""
        value, _, pk = cursor.partition("_")
        beyond = Q(**{f"{self.field}__{'lt' if self.falling else 'gt'}": int(value)})
        return beyond if not pk else beyond | Q(**{self.field: int(value), "pk__gt": int(pk)})

    def cursor(self, row: Model | Mapping[str, Any]) -> str:
        """Return the cursor of a row, a model instance or a mapping with ``pk`` and ``field``."""
        values = row if isinstance(row, Mapping) else {"pk": row.pk, self.field: getattr(row, self.field)}
        return str(values["pk"]) if self.field == "pk" else f"{values[self.field]}_{values['pk']}"


NEWEST: Final = Order("pk", falling=True)
OLDEST: Final = Order("pk")


def take(rows: QuerySet[Any, Row], order: Order, cursor: str | None, size: int) -> tuple[list[Row], str | None]:
    """Return up to ``size`` rows after ``cursor``, and the cursor of the next page or ``None``. Makes one query."""
    if cursor is not None:
        rows = rows.filter(order.after(cursor))
    chosen = list(rows.order_by(*order.by)[: size + 1])
    return chosen[:size], order.cursor(chosen[size - 1]) if len(chosen) > size else None
