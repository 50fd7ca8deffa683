"""Who has gained most lately. What was added up is kept for a moment; names are never kept.

It is of ladders that everybody sees, so that it is the same for all. Ratings at a season's start are no gain, and what
was voided counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.db.models import Count, F, Min, Sum

from bots.models import Bot
from ladder.models import Entry, Ladder, Result, SeatResult
from ladder.pages.cache_keys import cache_key

MOST_RESULTS: Final = 1000
"""The last so many games are looked at: what is added up has the same size on every site."""

FEWEST_GAMES: Final = 12
"""Who has played less in that time may have been lucky only."""

SHOWN: Final = 5
KEPT_SECONDS: Final = 60


@dataclass(frozen=True)
class Climb:
    """A bot that has gained ``change`` (1/1000 point) on a ladder in its last ``games`` rated games there.

    Of ``bot`` only that is read by which bots and people are named.
    """

    bot: Bot
    ladder: str
    ladder_slug: str
    change: int
    games: int


@dataclass(frozen=True)
class Climbs:
    """The biggest gains in the last games; ``since`` is when the first of those that count here was over."""

    since: datetime | None
    rows: Sequence[Climb]

    @property
    def looked_at(self) -> int:
        return MOST_RESULTS


@dataclass(frozen=True)
class _Gain:
    entry: int
    change: int
    games: int
    since: datetime


_KEY: Final = cache_key("climbing", _Gain)


def climbs() -> Climbs:
    """The biggest gains on ladders that are not private; one query."""
    found = caches["pages"].get(_KEY)
    if found is None:
        gains, named = _added_up()
        caches["pages"].set(_KEY, [{**vars(gain), "since": gain.since.isoformat()} for gain in gains], KEPT_SECONDS)
    else:
        gains = [_Gain(**{**gain, "since": datetime.fromisoformat(gain["since"])}) for gain in found]
        named = _named(gains) if gains else {}
    rows = [Climb(*named[gain.entry], gain.change, gain.games) for gain in gains if gain.entry in named]
    return Climbs(min((gain.since for gain in gains), default=None), rows)


_Names = dict[int, tuple[Bot, str, str]]
"""By entry, its bot, and the name and the address name of its ladder."""

_BOT: Final = ("name", "slug", "kind", "house_name", "retired")
_NAMES: Final = ("ladder__name", "ladder__slug", *(f"bot__{name}" for name in _BOT))


def _named(gains: Sequence[_Gain]) -> _Names:
    seen = Ladder.objects.visible_to(AnonymousUser())
    entries = Entry.objects.filter(pk__in=[gain.entry for gain in gains], ladder__in=seen)
    return {pk: _names(read) for pk, *read in entries.values_list("pk", *_NAMES)}


def _names(read: Sequence[Any]) -> tuple[Bot, str, str]:
    """What was read as ``_NAMES``, put together."""
    ladder, slug, *of_bot = read
    return Bot(**dict(zip(_BOT, of_bot, strict=True))), ladder, slug


def _added_up() -> tuple[list[_Gain], _Names]:
    seen = Ladder.objects.visible_to(AnonymousUser())
    last = Result.objects.order_by("-pk").values("pk")[:MOST_RESULTS]
    counted = SeatResult.objects.filter(result__in=last, rating_after__isnull=False, seat__entry__ladder__in=seen)
    rows = list(
        counted.order_by()
        .values("seat__entry", *(f"seat__entry__{name}" for name in _NAMES))
        .annotate(gained=Sum(F("rating_after") - F("rating_before")), games=Count("pk"), since=Min("result__created"))
        .filter(games__gte=FEWEST_GAMES, gained__gt=0)
        .order_by("-gained", "seat__entry")[:SHOWN]
    )
    gains = [_Gain(row["seat__entry"], row["gained"], row["games"], row["since"]) for row in rows]
    return gains, {row["seat__entry"]: _names([row[f"seat__entry__{name}"] for name in _NAMES]) for row in rows}
