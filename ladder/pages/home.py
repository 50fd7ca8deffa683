"""The home page: games to play and watch, leaders, new bots, running games and latest results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.db.models import Avg, Count, Exists, F, Min, OuterRef, QuerySet, Sum, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from bots.models import BotVersion
from bots.names import BotName, bot_columns
from games.game import Game
from games.registry import GAMES
from ladder.access import matches_seen_by, public_bots
from ladder.exports.documents import replay_of
from ladder.live.visibility import public_cut
from ladder.matches.blocks import RunningBlock, running_blocks
from ladder.models import Block, Ladder, Match, Membership, Result, SeatResult
from ladder.models.ladders import Viewer
from ladder.openness import is_open, with_public_results
from ladder.pages.components.boards import Board
from ladder.pages.components.boards import table as drawn_table
from ladder.pages.components.people import said, watching, watching_said
from ladder.pages.components.responses import cache_key
from ladder.pages.components.words import enumerated
from ladder.pages.ladders import ListedLadder, boards
from ladder.pages.match import SeatTable, scene_of, with_names
from ladder.pages.matches import names, seats_shown
from ladder.pages.play_now import play_now_form

# --- The finished game to watch --------------------------------------------------------------------------------------
#
# Creating a replay can take longer than a page should, so the choice is cached. The cached value contains no names.

KEPT_SECONDS: Final = 60
_MANY_SEATS: Final = 4


@dataclass(frozen=True)
class Highlight:
    """A match with a public record, and its turning point: the ply and a sentence with ``{0}`` for a seat's name."""

    match_id: int
    ply: int | None
    text: str


_KEY: Final = cache_key("watching", Highlight)


def kept() -> Highlight | None:
    """The match that was chosen within the last minute."""
    stored = caches["pages"].get(_KEY)
    return None if stored is None else Highlight(**stored)


def chosen(latest: Sequence[Match]) -> Highlight | None:
    """Choose the latest public match, preferring many seats, and cache it; one query."""
    opened = [match for match in latest if is_open(match.block) and not match.ladder.private]
    many = [match for match in opened if match.ladder.seats >= _MANY_SEATS]
    if not opened:
        return None
    moment = _moment((many or opened)[0])
    caches["pages"].set(_KEY, asdict(moment), KEPT_SECONDS)
    return moment


def _moment(match: Match) -> Highlight:
    replay = replay_of(match)
    document: dict[str, Any] = json.loads(replay.json) if replay else {}
    ply = document.get("turning_point")
    sentences = document["sentences"][ply] if ply is not None else []
    return Highlight(match.pk, ply, sentences[0]) if sentences else Highlight(match.pk, None, "")


# --- The live game to watch ------------------------------------------------------------------------------------------
#
# It is chosen every few seconds for all viewers, from public ladders only. The cached value contains no names.

LIVE_KEPT_SECONDS: Final = 4
_NONE: Final = "none"
_LOOKED_AT: Final = 3
"""The number of top games that are searched for one that already shows a finished round."""


@dataclass(frozen=True)
class Best:
    """A match, the position that spectators may see (``docs/internals/boards.md``), and its number of spectators."""

    match_id: int
    scene: dict[str, Any]
    watching: int


_LIVE_KEY: Final = cache_key("best-table", Best)


def best() -> Best | None:
    """The top live game, cached for a few seconds; ``None`` if no live game has reached its second round.

    No query, or at most ten every few seconds.
    """
    stored = caches["pages"].get(_LIVE_KEY)
    if stored is None:
        best = _chosen()
        stored = _NONE if best is None else vars(best)
        caches["pages"].set(_LIVE_KEY, stored, LIVE_KEPT_SECONDS)
    return None if stored == _NONE else Best(**stored)


def _chosen() -> Best | None:
    live = Match.objects.filter(
        status=Match.Status.RUNNING,
        block__purpose__in=Block.DRIVEN_BY_REQUESTS,
        table__round__gt=1,
        table__over=False,
        ladder__private=False,
    )
    rated = live.select_related("ladder", "block").annotate(rating=Avg("seats__membership__rating"))
    for match in rated.exclude(rating=None).order_by("-rating", "pk")[:_LOOKED_AT]:
        cut = public_cut(match)
        if cut is not None:
            return Best(match.pk, scene_of(cut, match.ladder.seats), watching([match.pk]).get(match.pk, 0))
    return None


# --- Biggest climbers ------------------------------------------------------------------------------------------------
#
# Only public ladders count, so the list is the same for all viewers. Rating changes at the start of a season and voided
# results do not count.

MOST_RESULTS: Final = 1000
"""The number of latest results from which gains are computed."""

FEWEST_GAMES: Final = 12
"""The minimum number of games in that time. A gain in fewer games is mostly luck."""

SHOWN: Final = 5

_MOST_GAINS: Final = 50
"""The number of gains that are searched for those of different bots."""


@dataclass(frozen=True)
class Climb:
    """A bot that has gained ``change`` (1/1000 point) on a ladder in its last ``games`` rated games there."""

    bot: BotName
    ladder: str
    ladder_slug: str
    change: int
    games: int


@dataclass(frozen=True)
class Climbs:
    """The biggest gains in the latest games; ``since`` is the end of the first of these games."""

    since: datetime | None
    rows: Sequence[Climb]

    @property
    def looked_at(self) -> int:
        return MOST_RESULTS

    @property
    def fewest_games(self) -> int:
        return FEWEST_GAMES


@dataclass(frozen=True)
class _Gain:
    membership: int
    change: int
    games: int
    since: datetime


_CLIMBERS_KEY: Final = cache_key("climbing", _Gain)


def climbs() -> Climbs:
    """The biggest gain of each bot on ladders that are not private; one query."""
    stored = caches["pages"].get(_CLIMBERS_KEY)
    if stored is None:
        gains, named = _added_up()
        caches["pages"].set(
            _CLIMBERS_KEY, [{**vars(gain), "since": gain.since.isoformat()} for gain in gains], KEPT_SECONDS
        )
    else:
        gains = [_Gain(**{**gain, "since": datetime.fromisoformat(gain["since"])}) for gain in stored]
        named = _named(gains) if gains else {}
    rows = [Climb(*named[gain.membership], gain.change, gain.games) for gain in gains if gain.membership in named]
    return Climbs(min((gain.since for gain in gains), default=None), rows)


_Names = dict[int, tuple[BotName, str, str]]
"""By membership, its bot, and the name and the slug of its ladder."""


def _named(gains: Sequence[_Gain]) -> _Names:
    seen = Ladder.objects.visible_to(AnonymousUser())
    memberships = Membership.objects.filter(pk__in=[gain.membership for gain in gains], ladder__in=seen)
    rows = memberships.values("pk", "ladder__name", "ladder__slug", *bot_columns())
    return {row["pk"]: (BotName.of(row), row["ladder__name"], row["ladder__slug"]) for row in rows}


def _added_up() -> tuple[list[_Gain], _Names]:
    seen = Ladder.objects.visible_to(AnonymousUser())
    last = Result.objects.order_by("-pk").values("pk")[:MOST_RESULTS]
    bot, ladder = "seat__membership__bot", "seat__membership__ladder"
    counted = SeatResult.objects.filter(result__in=last, rating_after__isnull=False, seat__membership__ladder__in=seen)
    rows = list(
        counted.order_by()
        .values("seat__membership", f"{ladder}__name", f"{ladder}__slug", *bot_columns(bot))
        .annotate(gained=Sum(F("rating_after") - F("rating_before")), games=Count("pk"), since=Min("result__created"))
        .filter(games__gte=FEWEST_GAMES, gained__gt=0)
        .order_by("-gained", "seat__membership")[:_MOST_GAINS]
    )
    best: dict[str, Any] = {}
    for row in rows:
        best.setdefault(row[bot], row)
    rows = list(islice(best.values(), SHOWN))
    gains = [_Gain(row["seat__membership"], row["gained"], row["games"], row["since"]) for row in rows]
    return gains, {
        row["seat__membership"]: (BotName.of(row, bot), row[f"{ladder}__name"], row[f"{ladder}__slug"]) for row in rows
    }


# --- The page --------------------------------------------------------------------------------------------------------

TABLES: Final = 8
RESULTS: Final = 8
NEWEST: Final = 5
LADDERS: Final = 2
"""Number of ladders that are shown with their leaders."""

LIVE: Final = 6
"""Number of listed live games: those that started first."""

_MOST_RUNNING: Final = 64
_CANDIDATES: Final = 30
"""The number of latest results that are searched for one that is public."""


@dataclass(frozen=True)
class Followed:
    """The top live game, shown with a one-round delay."""

    match: Match
    best: Best

    @property
    def title(self) -> str:
        return enumerated(names(list(self.match.seats.all())))

    @property
    def board(self) -> Board:
        return Board(GAMES[self.match.ladder.game])

    @property
    def table(self) -> dict[str, Any]:
        """The data of the board."""
        seats = list(self.match.seats.all())
        return drawn_table(self.board.game, seats, names(seats))

    @property
    def moment(self) -> dict[str, Any]:
        """The position to draw, with its match."""
        return {"match": self.match.pk, **self.best.scene}

    @property
    def watching(self) -> str:
        return said(self.best.watching) if self.best.watching else ""


@dataclass(frozen=True)
class HomePage:
    """The content of the home page.

    ``running`` is the number of running blocks, of which ``tables`` are listed; ``live_running`` is the number of live
    games, of which ``live`` are listed. ``best`` is the top live game. ``watching`` has numbers of spectators by match.
    """

    boards: Sequence[ListedLadder]
    running: int
    live: Sequence[Match]
    live_running: int
    tables: Sequence[RunningBlock]
    latest: Sequence[Match]
    best: Followed | None
    watching: Mapping[int, str]
    open: SeatTable | None
    moment: Highlight | None
    climbs: Climbs
    newest: Sequence[BotVersion]

    @property
    def learning(self) -> list[Game]:
        """The games with a tutorial; of games that share a drawing only the first."""
        taught = {game.presentation.drawing: game for game in reversed(GAMES.values()) if game.presentation.tutorial}
        return list(reversed(taught.values()))

    @property
    def finished(self) -> int:
        """Rated matches of all ladders."""
        return sum(board.finished for board in self.boards)

    @property
    def leading(self) -> list[ListedLadder]:
        """The ladders that are shown with their leaders: of each drawing that for hosted bots and four players.

        Games without a ladder for four show their first one.
        """
        shown: dict[str, ListedLadder] = {}
        for board in self.boards:
            ladder, key = board.ladder, board.game.presentation.drawing or board.game.slug
            if not ladder.live and not ladder.by_invitation:
                flagship = ladder.seats == _MANY_SEATS and (key not in shown or shown[key].ladder.seats != _MANY_SEATS)
                shown[key] = board if flagship else shown.get(key, board)
        return list(islice(shown.values(), LADDERS))

    @property
    def invited(self) -> list[ListedLadder]:
        """The ladders by invitation that the viewer may see."""
        return [board for board in self.boards if board.ladder.by_invitation]

    @property
    def open_board(self) -> Board | None:
        """The board of the game to watch."""
        return Board(self.open.game) if self.open else None

    @property
    def open_table(self) -> dict[str, Any]:
        """The data of the board of the game to watch."""
        seats = list(self.open.match.seats.all()) if self.open else []
        return drawn_table(self.open.game, seats, names(seats)) if self.open else {}

    @property
    def turning_point(self) -> str:
        """The turning point of the game to watch, in a sentence; empty if it has none."""
        if self.open is None or self.moment is None or self.moment.ply is None:
            return ""
        return with_names(names(list(self.open.match.seats.all())), self.moment.text)

    @property
    def going(self) -> int:
        """The number of all running matches."""
        return self.running + self.live_running

    @property
    def hidden(self) -> int:
        """The number of running blocks that are not listed."""
        return self.running - len(self.tables)


def home_page(user: Viewer) -> HomePage:
    """The home page for ``user``; seven queries, and every few seconds some more for the top live game."""
    seen = matches_seen_by(user).select_related("ladder")
    moment, followed = kept(), best()
    tables, live, finished = _running_and_finished(seen, moment)
    latest = finished[:_CANDIDATES]
    moment = moment or chosen(latest)
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
    """The newest active versions of users' bots; one query."""
    playing = BotVersion.objects.filter(
        active=True, bot__in=public_bots().filter(retired=None, paused=None, owner__isnull=False)
    )
    return list(playing.select_related("bot__owner").defer("validation_report").order_by("-pk")[:NEWEST])


def _running_and_finished(
    seen: QuerySet[Match], moment: Highlight | None
) -> tuple[list[RunningBlock], list[Match], list[Match]]:
    """The blocks in which something runs, live games, what has a result, the last first; with the match of ``moment``.

    One query. Its parts are what the viewer may see; the whole is not asked again, which would read every match.
    """
    running = seen.filter(status=Match.Status.RUNNING).order_by("started")
    blocks = running.filter(table=None).values("block")[:_MOST_RUNNING]
    live = Match.objects.filter(pk__in=running.exclude(table=None).values("pk")[:_MOST_RUNNING])
    public = seen.filter(with_public_results("block"), pk=OuterRef("match"))
    results = Result.objects.filter(Exists(public)).order_by("-pk").values("match")
    chosen = Match.objects.filter(pk__in=[moment.match_id] if moment else [])
    parts = (Match.objects.filter(block__in=blocks), live, Match.objects.filter(pk__in=results[:_CANDIDATES]), chosen)
    first, *others = (part.order_by().values("pk") for part in parts)
    shown = Match.objects.filter(pk__in=first.union(*others)).select_related("ladder", "block").defer("block__seed")
    matches: list[Any] = list(shown.annotate(place=F("result__pk"), live=F("table__pk")))
    rows = [row for row in matches if not (moment and row.pk == moment.match_id and row.ladder.private)]
    going = [row for row in rows if row.status == Match.Status.RUNNING]
    of_blocks = {row.block_id for row in going if not row.live}
    return (
        running_blocks([row for row in rows if row.block_id in of_blocks]),
        sorted((row for row in going if row.live), key=lambda row: (row.started, row.pk)),
        sorted((row for row in rows if row.place), key=lambda row: -row.place),
    )


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    page = home_page(request.user)
    now = play_now_form(request, [board.ladder for board in page.boards])
    return render(request, "pages/home.html", {"page": page, "now": now})


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/about.html")
