"""The first page: what to do first, a game to watch, who leads, climbs and has come, and what is being played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, QuerySet, prefetch_related_objects

from bots.models import BotVersion
from games.base import Game
from games.registry import GAMES
from ladder.access import matches_seen_by, public_bots
from ladder.models import Match, Result
from ladder.models.ladders import Viewer
from ladder.pages import watching
from ladder.pages.best_table import Best, best
from ladder.pages.boards import Board as BoardDrawing
from ladder.pages.boards import table as drawn_table
from ladder.pages.climbing import Climbs, climbs
from ladder.pages.live_tables import LiveTable, live_tables
from ladder.pages.lobby.starts import Start, starts
from ladder.pages.matches import SeatTable, names, seats_shown
from ladder.pages.tables import Board, boards
from ladder.pages.telling import with_names
from ladder.pages.viewers import said, watching_said
from ladder.pages.watching import Moment
from ladder.pages.words import enumerated

TABLES: Final = 8
RESULTS: Final = 8
NEWEST: Final = 5
LADDERS: Final = 2
"""Ladders with their leaders: those on which most has been played."""

LIVE: Final = 6
"""Live games that can be watched, those that have been played for longest."""

_MOST_RUNNING: Final = 64
_LOOKED_AT: Final = 30
"""So many of the last results are looked at for one that is open."""


@dataclass(frozen=True)
class Followed:
    """A live table that is shown as it goes on, a round behind."""

    match: Match
    best: Best

    @property
    def title(self) -> str:
        return enumerated(names(list(self.match.seats.all())))

    @property
    def board(self) -> BoardDrawing:
        return BoardDrawing(GAMES[self.match.ladder.game])

    @property
    def table(self) -> dict[str, Any]:
        """What the drawing is told."""
        seats = list(self.match.seats.all())
        return drawn_table(self.board.game, seats, names(seats))

    @property
    def moment(self) -> dict[str, Any]:
        """What is drawn, with the match that it is of."""
        return {"match": self.match.pk, **self.best.scene}

    @property
    def watching(self) -> str:
        return said(self.best.watching) if self.best.watching else ""


@dataclass(frozen=True)
class HomePage:
    """What the first page shows.

    ``running`` are the matches at ``tables`` and more like them, ``live`` the live games, ``live_running`` how many.
    ``best`` is the live table that it follows, if there is one; ``watching`` says by match how many look on.
    """

    boards: Sequence[Board]
    running: int
    live: Sequence[Match]
    live_running: int
    tables: Sequence[LiveTable]
    latest: Sequence[Match]
    best: Followed | None
    watching: Mapping[int, str]
    open: SeatTable | None
    moment: Moment | None
    climbs: Climbs
    newest: Sequence[BotVersion]

    @property
    def starts(self) -> list[Start]:
        """The games that a newcomer can play at once."""
        return starts(board.ladder for board in self.boards)

    @property
    def learning(self) -> list[Game]:
        """The games that can be learnt in ten minutes; of those that share a drawing the first."""
        taught = {game.drawing: game for game in reversed(GAMES.values()) if game.tutorial}
        return list(reversed(taught.values()))

    @property
    def finished(self) -> int:
        """Rated matches of all ladders."""
        return sum(board.finished for board in self.boards)

    @property
    def leading(self) -> list[Board]:
        """The ladders on which most has been played, of games that look different, in the order of all ladders."""
        busiest: dict[str, Board] = {}
        for board in sorted(self.boards, key=lambda board: -board.finished):
            busiest.setdefault(board.game.drawing or board.game.slug, board)
        chosen = list(islice(busiest.values(), LADDERS))
        return [board for board in self.boards if board in chosen]

    @property
    def others(self) -> list[Board]:
        """The other ladders that somebody stands on; of live ones those on which something was played."""
        some = [board for board in self.boards if (board.finished if board.ladder.live else board.entries)]
        return [board for board in some if board not in self.leading]

    @property
    def turning_point(self) -> str:
        """What happened when the game to watch was turned, in a sentence; empty if no step turned it."""
        if self.open is None or self.moment is None or self.moment.ply is None:
            return ""
        return with_names(names(list(self.open.match.seats.all())), self.moment.text)

    @property
    def going(self) -> int:
        """Everything that is being played."""
        return self.running + self.live_running

    @property
    def hidden(self) -> int:
        """Running matches at tables that are not listed."""
        return self.running - len(self.tables)


def home_page(user: Viewer) -> HomePage:
    """The first page for ``user``; seven queries, once every few seconds some more for the table that it follows."""
    seen = matches_seen_by(user).select_related("ladder")
    moment, followed = watching.kept(), best()
    tables, live, finished = _running_and_finished(seen, moment)
    latest = finished[:_LOOKED_AT]
    moment = moment or watching.chosen(latest)
    opened = next((match for match in finished if moment and match.pk == moment.match_id), None)
    running, tables = len(tables), tables[:TABLES]
    shown = latest[:RESULTS]
    first = next((match for match in live if followed and match.pk == followed.match_id), None)
    named = [*(table.running for table in tables), *live[:LIVE], *shown]
    prefetch_related_objects([*named, *([opened] if opened else []), *([first] if first else [])], seats_shown())
    return HomePage(
        boards=boards(user),
        running=running,
        live=live[:LIVE],
        live_running=len(live),
        tables=tables,
        latest=shown,
        best=Followed(first, followed) if first and followed else None,
        watching=watching_said([match.pk for match in live[:LIVE]]),
        open=SeatTable(opened) if opened else None,
        moment=moment,
        climbs=climbs(),
        newest=newest_versions(),
    )


def newest_versions() -> list[BotVersion]:
    """The versions that have come last, of those that play now, of people's bots; one query."""
    playing = BotVersion.objects.filter(
        active=True, bot__in=public_bots().filter(retired=None, on_leave=None, owner__isnull=False)
    )
    return list(playing.select_related("bot__owner").defer("check_report").order_by("-pk")[:NEWEST])


def _running_and_finished(
    seen: QuerySet[Match], moment: Moment | None
) -> tuple[list[LiveTable], list[Match], list[Match]]:
    """The blocks in which something runs, live games, what has a result, the last first; with the match of ``moment``.

    One query. Its parts are what the viewer may see; the whole is not asked again, which would read every match.
    """
    running = seen.filter(status=Match.Status.RUNNING).order_by("started")
    blocks = running.filter(table=None).values("block")[:_MOST_RUNNING]
    live = Match.objects.filter(pk__in=running.exclude(table=None).values("pk")[:_MOST_RUNNING])
    results = Result.objects.filter(Exists(seen.filter(pk=OuterRef("match")))).order_by("-pk").values("match")
    chosen = Match.objects.filter(pk__in=[moment.match_id] if moment else [])
    parts = (Match.objects.filter(block__in=blocks), live, Match.objects.filter(pk__in=results[:_LOOKED_AT]), chosen)
    first, *others = (part.order_by().values("pk") for part in parts)
    shown = Match.objects.filter(pk__in=first.union(*others)).select_related("ladder", "block").defer("block__seed")
    found: list[Any] = list(shown.annotate(place=F("result__pk"), live=F("table__pk")))
    rows = [row for row in found if not (moment and row.pk == moment.match_id and row.ladder.private)]
    going = [row for row in rows if row.status == Match.Status.RUNNING]
    of_blocks = {row.block_id for row in going if not row.live}
    return (
        live_tables([row for row in rows if row.block_id in of_blocks]),
        sorted((row for row in going if row.live), key=lambda row: (row.started, row.pk)),
        sorted((row for row in rows if row.place), key=lambda row: -row.place),
    )
