"""The live table that the first page follows: the running game whose seats are rated highest, a round behind.

It is chosen every few seconds, for everybody alike, among ladders that everybody knows of. What is kept holds no names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import caches
from django.db.models import Avg

from ladder.live.visibility import public_cut
from ladder.models import Block, Match
from ladder.pages.cache_keys import cache_key
from ladder.pages.running import scene_of
from ladder.pages.viewers import watching

KEPT_SECONDS: Final = 4
_NONE: Final = "none"
_LOOKED_AT: Final = 3
"""So many of the best are looked at for one that has more than its first round to show."""


@dataclass(frozen=True)
class Best:
    """A match, the moment of its table that everybody may see (``docs/boards.md``), and how many watch it."""

    match_id: int
    scene: dict[str, Any]
    watching: int


_KEY: Final = cache_key("best-table", Best)


def best() -> Best | None:
    """What was chosen within the last seconds, else chosen now; ``None`` while no live game has begun a second round.

    No query, or at most ten every few seconds.
    """
    found = caches["pages"].get(_KEY)
    if found is None:
        best = _chosen()
        found = _NONE if best is None else vars(best)
        caches["pages"].set(_KEY, found, KEPT_SECONDS)
    return None if found == _NONE else Best(**found)


def _chosen() -> Best | None:
    live = Match.objects.filter(
        status=Match.Status.RUNNING,
        block__purpose__in=Block.DRIVEN_BY_REQUESTS,
        table__round__gt=1,
        table__over=False,
        ladder__private=False,
    )
    rated = live.select_related("ladder", "block").annotate(strength=Avg("seats__entry__rating"))
    for match in rated.exclude(strength=None).order_by("-strength", "pk")[:_LOOKED_AT]:
        cut = public_cut(match)
        if cut is not None:
            return Best(match.pk, scene_of(cut, match.ladder.seats), watching([match.pk]).get(match.pk, 0))
    return None
