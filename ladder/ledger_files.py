"""A ladder's ledger as a file of JSON lines, with the chain of hashes, from which anybody can compute every rating."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ladder.models import Ladder, LedgerEntry
from ladder.ratings.chain import GENESIS, line

AT_ONCE: Final = 1000


def pieces(ladder: Ladder) -> Iterator[bytes]:
    """The lines of all entries that there are now, some at a time; a query each."""
    number, head, last = 0, GENESIS, ladder.next_ledger - 1
    while number < last:
        rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=number, number__lte=last).order_by("number")
        lines = []
        for number, kind, document, hashed in rows.values_list("number", "kind", "document", "hash")[:AT_ONCE]:
            lines.append(line(ladder.slug, number, kind, document, head, hashed))
            head = hashed
        if not lines:
            return
        yield b"".join(lines)
