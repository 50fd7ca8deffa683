"""When a deal becomes public: when all games of its block have ended.

Until then its seed, game records, move lists and logs are hidden from everyone, including staff. All code that shows
any of them must ask :func:`is_open` for one block or filter with :func:`opened`. Results are public immediately,
except in a cup, where they are hidden until the round has ended (:func:`shows_results`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

if TYPE_CHECKING:
    from ladder.models import Block


def is_open(block: Block) -> bool:
    """Whether the deal of ``block`` and its games are public."""
    return block.ended is not None


def shows_results(block: Block) -> bool:
    """Whether the results of the games of ``block`` are public."""
    return results_are_public(block.cup_table_id, is_open(block))


def results_are_public(cup_table: int | None, opened: bool) -> bool:
    """Whether the results of a block are public that belongs to ``cup_table``, if any, and is public if ``opened``."""
    return cup_table is None or opened


def with_public_results(block: str) -> Q:
    """A filter for rows with a block whose results are public; ``block`` is the lookup path to it."""
    return Q(**{f"{block}__cup_table": None}) | opened(block)


def opened(block: str) -> Q:
    """A filter for rows with a public block; ``block`` is the lookup path to it, for example ``seat__match__block``."""
    return Q(**{f"{block}__ended__isnull": False})


def opened_blocks() -> Q:
    """A filter for public blocks."""
    return Q(ended__isnull=False)
