"""What somebody has typed, and how names are compared with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final
from urllib.parse import quote

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When

LONGEST: Final = 60
_NUMBER: Final = re.compile(r"(?:match)?[#\s]*([0-9]{1,12})", re.IGNORECASE)


@dataclass(frozen=True)
class Words:
    """A search: its text without anything that cannot be seen, single spaces, 60 characters at most."""

    text: str

    @classmethod
    def of(cls, typed: str | None) -> Words:
        """Whatever an address says."""
        visible = "".join(char if char.isprintable() else " " for char in (typed or "")[: 4 * LONGEST])
        return cls(" ".join(visible.split())[:LONGEST].strip())

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def encoded(self) -> str:
        """The text as it stands in an address."""
        return quote(self.text, safe="")

    @property
    def match_number(self) -> int | None:
        """The number of a match, from ``4711``, ``#4711`` or ``match 4711``; ``None`` for any other text."""
        found = _NUMBER.fullmatch(self.text)
        return int(found[1]) if found else None

    def in_any(self, *fields: str) -> Q:
        """Rows that have the text in one of ``fields``, in capitals or not.

        SQLite knows capitals of ASCII only, so other letters are asked for in both.
        """
        texts = {self.text}
        if not self.text.isascii():
            texts |= {self.text.lower(), self.text.upper(), self.text.title()}
        return reduce(or_, (Q(**{f"{field}__icontains": text}) for field in fields for text in sorted(texts)))

    def best_first(self, rows: QuerySet[Any], field: str) -> QuerySet[Any]:
        """``rows`` that are called exactly so, then those that begin so, then the others, by name."""
        place = Case(
            When(**{f"{field}__iexact": self.text}, then=Value(0)),
            When(**{f"{field}__istartswith": self.text}, then=Value(1)),
            default=Value(2),
            output_field=IntegerField(),
        )
        ordered: QuerySet[Any] = rows.annotate(place=place).order_by("place", field, "pk")
        return ordered
