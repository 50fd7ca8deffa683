"""What everybody may see of a live game, for those who watch it: cut a round behind while it runs, then all of it.

Where it is cut is decided by ``ladder.live.visibility`` alone, and that all is open at the end by ``ladder.openness``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from esr_platform.prepared import Prepared
from games.base import Document
from ladder.access import matches_seen_by
from ladder.live import decisions
from ladder.live.position import Position
from ladder.live.rows import position_at, position_of
from ladder.live.visibility import cut_of, ended, public_cut
from ladder.models import Block, Match
from ladder.models.ladders import Viewer
from ladder.openness import is_open


@dataclass(frozen=True)
class Watched:
    """How much a spectator has been told: up to which round, and how many entries of the log."""

    round: int = 0
    entries: int = 0


@dataclass(frozen=True)
class PublicNews:
    """The events to be told now, and what is told with them; ``over`` after the last."""

    watched: Watched
    events: list[Document] = field(default_factory=list)
    over: bool = False


def live_match(viewer: Viewer, match_id: int) -> Match | None:
    """The live game at an address, if ``viewer`` may know of it."""
    return _live(viewer, match_id).first()


def live_match_of_strangers(match_id: int) -> Match | None:
    """The same for whoever is not known."""
    return next(iter(_live_for_strangers(match_id=match_id)), None)


def _live(viewer: Viewer, match_id: int) -> QuerySet[Match]:
    live = matches_seen_by(viewer).filter(pk=match_id, block__purpose__in=Block.DRIVEN_BY_REQUESTS)
    return live.select_related("ladder", "block").order_by()


_live_for_strangers: Final = Prepared(lambda match_id: _live(AnonymousUser(), match_id))


def public_news(match_id: int, asks: list[Watched]) -> list[PublicNews]:
    """What is new of one game for spectators who have been told so much."""
    position = position_at(match_id)
    if position is None:
        return [PublicNews(watched, over=True) for watched in asks]
    if position.match.status in Match.ENDED:
        return _end(position, asks)
    if all(watched.round >= position.table.round - 1 for watched in asks):
        return [PublicNews(watched) for watched in asks]  # nothing newer can be open: no need to play it again
    cut = cut_of(position)
    if cut is None:
        return [PublicNews(watched) for watched in asks]
    return [
        PublicNews(watched) if watched.round >= cut.round else _round(match_id, watched, cut.round, cut.view, cut.log)
        for watched in asks
    ]


def head(match: Match) -> Document:
    """The first event of a public stream: which game this is, and who plays."""
    position = position_at(match.pk)
    assert position is not None, "it is a live game"
    begun = decisions.game_start(position, 0, resumed=True)
    return {"type": "game", **{name: begun[name] for name in ("game", "rated", "ladder", "players")}}


def public_view(match: Match, start: int) -> Document:
    """What everybody may see of a live game now, its log from entry ``start`` on; nothing in its first round."""
    running = match.status == Match.Status.RUNNING
    found: dict[str, Any] = {"game": match.pk, "running": running, "seat": None, "round": None, "view": None, "log": []}
    if running:
        cut = public_cut(match)
        known = {} if cut is None else {"round": cut.round, "view": cut.view, "log": cut.log["entries"][start:]}
        return {**found, **known}
    if not is_open(match.block):
        return found
    state, _ = ended(position_of(match))
    return {**found, "round": state.rounds_begun, "view": state.view(None), "log": state.entries(None, start)}


def _round(match_id: int, watched: Watched, number: int, view: Document, log: Document) -> PublicNews:
    entries = log["entries"]
    event = {"type": "round", "game": match_id, "round": number, "log_from": watched.entries, "view": view}
    return PublicNews(Watched(number, len(entries)), [{**event, "log": entries[watched.entries :]}])


def _end(position: Position, asks: list[Watched]) -> list[PublicNews]:
    match = position.match
    known: Document = {"type": "game_end", "game": match.pk, "status": match.status, "reason": match.reason}
    if not is_open(match.block):
        return [PublicNews(watched, [known], over=True) for watched in asks]
    state, outcome = ended(position)
    known |= {"outcome": outcome, "view": state.view(None)}
    entries = state.entries(None)
    return [
        PublicNews(watched, [{**known, "log_from": watched.entries, "log": entries[watched.entries :]}], over=True)
        for watched in asks
    ]
