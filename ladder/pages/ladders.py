"""The list of all ladders with their leaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from games.game import Game
from games.registry import GAMES
from ladder.ledger.integrity import rated_results
from ladder.models import Ladder, Match, Membership
from ladder.models.ladders import Viewer

LEADERS = 5
"""The number of leaders per ladder."""


@dataclass(frozen=True)
class Board:
    """A ladder in a list of ladders, with its best memberships."""

    ladder: Ladder
    leaders: Sequence[Membership]
    memberships: int
    finished: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]


@dataclass(frozen=True)
class BoardGroup:
    """The ladders for one kind of players, by ``Ladder.Players``."""

    players: str
    boards: Sequence[Board]

    @property
    def live(self) -> bool:
        return self.players != Ladder.Players.HOSTED


@dataclass(frozen=True)
class GameCounts:
    """The numbers of pending games of a ladder, and of rated matches with a result that counts."""

    finished: int
    running: int
    queued: int


def boards(user: Viewer) -> list[Board]:
    """Every ladder that ``user`` may see, with its leaders; three queries."""
    ladders: Any = Ladder.objects.visible_to(user).annotate(
        standing=Count("memberships", filter=Q(memberships__active=True))
    )
    place = Window(RowNumber(), partition_by=F("ladder"), order_by=(F("rating").desc(), F("pk").asc()))
    best = (
        Membership.objects.filter(active=True, ladder__in=Ladder.objects.visible_to(user))
        .annotate(place=place)
        .filter(place__lte=LEADERS)
    )
    leaders = list(best.select_related("bot__owner").order_by("place"))
    shown = list(ladders.order_by("pk"))
    finished = rated_results(shown)
    return [
        Board(ladder, [one for one in leaders if one.ladder_id == ladder.pk], ladder.standing, finished[ladder.pk])
        for ladder in shown
    ]


def by_players(boards: Sequence[Board]) -> list[BoardGroup]:
    """``boards`` grouped by kind of player, hosted bots first, without empty groups."""
    groups = [BoardGroup(kind, [one for one in boards if one.ladder.players == kind]) for kind in Ladder.Players.values]
    return [group for group in groups if group.boards]


def game_counts(ladder: Ladder) -> GameCounts:
    """Count the games of ``ladder`` with two queries that do not read finished matches."""
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).order_by().values_list("status")
    found = dict(pending.annotate(number=Count("pk")))
    return GameCounts(
        finished=rated_results([ladder])[ladder.pk],
        running=found.get(Match.Status.RUNNING, 0),
        queued=found.get(Match.Status.QUEUED, 0),
    )


def active_versions(bots: Sequence[int]) -> dict[int, int]:
    """By bot, the number of its active version, without human players; one query."""
    of_code = BotVersion.objects.filter(bot__in=bots, active=True).exclude(bot__kind=Bot.Kind.PERSON)
    return dict(of_code.values_list("bot", "number"))


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/ladders.html", {"groups": by_players(boards(request.user))})
