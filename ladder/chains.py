"""The hash chain of a ledger, followed from where it was checked last, so that a long one takes no longer than a short.

A changed entry before that place is found by the next rebuild, which reads all of them (``ladder.rebuilding``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ladder.models import ChainMark, Ladder, LedgerEntry
from ladder.ratings.chain import chained

AT_ONCE: Final = 5000
"""Entries that are followed in one go at most."""


@dataclass(frozen=True)
class Link:
    """How far a chain holds: entry ``number`` has ``hash``. ``problem`` is what is wrong with the next, in words."""

    number: int
    hash: str
    problem: str = ""


def follow(ladder: Ladder, mark: ChainMark, most: int = AT_ONCE) -> Link:
    """Follow the chain from ``mark`` for at most so many entries; one query."""
    number, head = mark.number, mark.hash
    rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=number).order_by("number")[:most]
    for found, kind, document, kept in rows.values_list("number", "kind", "document", "hash"):
        if found != number + 1:
            return Link(number, head, f"number {number + 1} is missing: {found} follows {number}")
        if kept != chained(ladder.slug, found, kind, document, head):
            return Link(number, head, f"the hash of number {found} is not that of its document and of number {number}")
        number, head = found, kept
    return Link(number, head)


def mark_of(ladder: Ladder) -> ChainMark:
    """Where the chain of ``ladder`` was checked last; at its beginning for one that never was."""
    return ChainMark.objects.filter(ladder=ladder).first() or ChainMark(ladder=ladder)


def go_on(ladder: Ladder) -> ChainMark:
    """Follow the chain of ``ladder`` a good way further and keep how far it holds."""
    mark = mark_of(ladder)
    link = follow(ladder, mark)
    kept, _ = ChainMark.objects.update_or_create(
        ladder=ladder, defaults={"number": link.number, "hash": link.hash, "problem": link.problem}
    )
    return kept
