"""The list of all ladders with their leaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.game import Game
from games.registry import GAMES
from ladder.ledger.integrity import rated_results
from ladder.members.standings import StandingsRow, Top, tops
from ladder.models import Cup, Ladder, Match
from ladder.models.ladders import Viewer

LEADERS = 5
"""The number of leaders per ladder."""


@dataclass(frozen=True)
class ListedLadder:
    """A ladder in a list of ladders, with the first rows of its standings."""

    ladder: Ladder
    top: Top
    finished: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def leader(self) -> StandingsRow | None:
        """The best player with a rated game, ``None`` before the first one."""
        return next((row for row in self.top.rows if row.games), None) if self.finished else None


@dataclass(frozen=True)
class FormatRow:
    """The ladders of one format, one cell per kind of players of the matrix; ``None`` where there is no ladder."""

    game: Game
    seats: int
    cells: Sequence[tuple[str, ListedLadder | None]]


@dataclass(frozen=True)
class LaddersPage:
    """All ladders as a matrix of formats and kinds of players.

    ``others`` do not fit in: ladders by invitation, and further ones of the same format and kind of players.
    """

    players: Sequence[str]
    rows: Sequence[FormatRow]
    others: Sequence[ListedLadder]

    @property
    def live(self) -> bool:
        """Whether there are ladders with live games."""
        return any(kind != Ladder.Players.HOSTED for kind in self.players)


@dataclass(frozen=True)
class GameCounts:
    """The numbers of pending games of a ladder, and of rated matches with a result that counts."""

    finished: int
    running: int
    queued: int


def boards(user: Viewer) -> list[ListedLadder]:
    """Every ladder that ``user`` may see, with its leaders; three queries."""
    ladders = Ladder.objects.visible_to(user)
    shown, by_ladder = list(ladders.order_by("pk")), tops(ladders, LEADERS)
    finished = rated_results(shown)
    return [ListedLadder(ladder, by_ladder.get(ladder.pk, Top((), 0)), finished[ladder.pk]) for ladder in shown]


def ladders_page(boards: Sequence[ListedLadder]) -> LaddersPage:
    """Arrange ``boards`` in a matrix, formats in the order of the games."""
    first: dict[tuple[str, int, str], ListedLadder] = {}
    for board in boards:
        if not board.ladder.by_invitation:
            first.setdefault((board.ladder.game, board.ladder.seats, board.ladder.players), board)
    formats = sorted({(game, seats) for game, seats, _ in first}, key=lambda it: (list(GAMES).index(it[0]), it[1]))
    players = [kind for kind in Ladder.Players.values if any(kind == listed for _, _, listed in first)]
    rows = [
        FormatRow(GAMES[game], seats, [(kind, first.get((game, seats, kind))) for kind in players])
        for game, seats in formats
    ]
    shown = {board.ladder.pk for board in first.values()}
    return LaddersPage(players, rows, [board for board in boards if board.ladder.pk not in shown])


def game_counts(ladder: Ladder) -> GameCounts:
    """Count the games of ``ladder`` with two queries that do not read finished matches."""
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).order_by().values_list("status")
    by_status = dict(pending.annotate(number=Count("pk")))
    return GameCounts(
        finished=rated_results([ladder])[ladder.pk],
        running=by_status.get(Match.Status.RUNNING, 0),
        queued=by_status.get(Match.Status.QUEUED, 0),
    )


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    has_cups = Cup.objects.filter(listed=True).exists()
    return render(request, "pages/ladders.html", {"page": ladders_page(boards(request.user)), "has_cups": has_cups})
