"""What is open of a deal: nothing until every game of its block has ended, then all of it. This is decided here alone.

Until then seed, records, told games, logs of matches and owners' logs are closed to everybody, staff too. Whoever shows
or hands out any of them asks here: :func:`is_open` for one block, :func:`opened` for rows of a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

if TYPE_CHECKING:
    from ladder.models import Block


def is_open(block: Block) -> bool:
    """Whether everybody may see the deal of ``block``, and what was played with it."""
    return block.ended is not None


def opened(block: str) -> Q:
    """The rows whose block is open; ``block`` is the way from a row to it, as in ``seat__match__block``."""
    return Q(**{f"{block}__ended__isnull": False})


def opened_blocks() -> Q:
    """The same of rows that are blocks."""
    return Q(ended__isnull=False)
