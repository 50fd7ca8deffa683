"""The game that the first page offers to watch, and what turned it. Chosen once a minute, for everybody alike.

Its replay may have to be made for that, which takes longer than a page should. What is kept holds no names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.core.cache import caches

from ladder.exports.documents import replay_of
from ladder.models import Match
from ladder.openness import is_open
from ladder.pages.cache_keys import cache_key

KEPT_SECONDS: Final = 60
_MANY_SEATS: Final = 4


@dataclass(frozen=True)
class Moment:
    """A match whose record is open, and its turning point: the step and a sentence with ``{0}`` for a seat's name."""

    match_id: int
    ply: int | None
    text: str


_KEY: Final = cache_key("watching", Moment)


def kept() -> Moment | None:
    """What was chosen within the last minute."""
    found = caches["pages"].get(_KEY)
    return None if found is None else Moment(**found)


def chosen(latest: Sequence[Match]) -> Moment | None:
    """The last of these matches that everybody may watch, rather one with many seats, and keep that; one query."""
    opened = [match for match in latest if is_open(match.block) and not match.ladder.private]
    many = [match for match in opened if match.ladder.seats >= _MANY_SEATS]
    if not opened:
        return None
    moment = _moment((many or opened)[0])
    caches["pages"].set(_KEY, asdict(moment), KEPT_SECONDS)
    return moment


def _moment(match: Match) -> Moment:
    replay = replay_of(match)
    document: dict[str, Any] = json.loads(replay.json) if replay else {}
    ply = document.get("turning_point")
    said = document["sentences"][ply] if ply is not None else []
    return Moment(match.pk, ply, said[0]) if said else Moment(match.pk, None, "")
