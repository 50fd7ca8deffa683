from __future__ import annotations

import pytest
from django.db.models import Q
from django.utils import timezone

from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import guest_hash
from ladder.matchmaking.guests import play_house, play_now
from ladder.matchmaking.levels import next_level, recommended_levels
from ladder.models import Attempt, Match, Result, SeatResult
from tests.ladder.matchmaking.people import OPEN, ended, level, on, people
from tests.page import at_most

WIN, LOSS = 1, -1
FOUR = "edel-stein-reich-4-open"


def finished(match: Match, own: int, others: tuple[int, ...]) -> None:
    """As if the game had ended with these ranks of the human player and the bots."""
    Match.objects.filter(pk=match.pk).update(
        status=Match.Status.FINISHED, ended=timezone.now(), lease=None, lease_until=None
    )
    attempt = Attempt.objects.get(match=match)
    result = Result.objects.create(match=match, attempt=attempt, packed_record=b"", report={}, figures={})
    ranks = iter(others)
    for seat in match.seats.select_related("version__bot"):
        rank = own if seat.version.bot.kind == "person" else next(ranks)
        SeatResult.objects.create(result=result, seat=seat, rank=rank, score={})


def of(user: User) -> Q:
    return Q(seat__version__bot__owner=user)


@pytest.mark.parametrize(
    ("results", "recommended"),
    [
        ([(3, WIN)], 3),
        ([(3, WIN), (3, WIN)], 4),
        ([(3, LOSS), (3, WIN), (3, LOSS), (3, WIN)], 4),
        ([(3, LOSS), (3, LOSS), (3, LOSS), (3, WIN), (3, WIN)], 2),
        ([(3, LOSS), (3, LOSS)], 3),
        ([(3, LOSS), (3, 0), (3, LOSS), (3, LOSS)], 3),
        ([(4, LOSS), (3, WIN), (3, WIN)], 4),
        ([(3, LOSS), (5, WIN), (3, LOSS), (5, WIN), (3, LOSS)], 2),
        ([(6, WIN), (6, WIN)], 6),
        ([(1, LOSS)] * 3, 1),
    ],
)
def test_the_last_games_against_a_level_decide_which_is_recommended(
    results: list[tuple[int, int]], recommended: int
) -> None:
    assert next_level(results) == recommended


@pytest.mark.django_db
@pytest.mark.usefixtures("house")
def test_a_game_is_won_ahead_of_more_than_half_of_the_bots() -> None:
    ada, bob = people("ada", "bob")
    for own, others in ((2, (1, 3, 4)), (1, (2, 3, 4))):
        finished(play_house(ada, on(FOUR), level(3)), own, others)
        finished(play_house(bob, on(FOUR), level(3)), 3, (1, 2, 4))
    finished(play_house(bob, on(FOUR), level(3)), 4, (1, 2, 3))
    with at_most(1):
        assert recommended_levels(of(ada)) == {"edel-stein-reich": 4}
    assert recommended_levels(of(bob)) == {"edel-stein-reich": 2}


@pytest.mark.django_db
@pytest.mark.usefixtures("house")
def test_each_game_has_its_own_recommendation_and_only_finished_games_count() -> None:
    (ada,) = people("ada")
    ended(play_house(ada, on(FOUR), level(5)))
    for _ in range(3):
        finished(play_house(ada, on(OPEN), level(4)), 2, (1,))
    finished(play_house(ada, on("edel-stein-reich-3-open"), level(1)), 1, (2, 2))
    assert recommended_levels(of(ada)) == {"edel-stein-reich": 1, "edel-stein-reich-duel": 3}


@pytest.mark.django_db
@pytest.mark.usefixtures("house")
def test_the_games_of_a_guest_count_for_them() -> None:
    match, secret = play_now(on(OPEN), level(2), None, "192.0.2.1")
    finished(match, 1, (2,))
    again, _ = play_now(on(OPEN), level(2), secret, "192.0.2.1")
    finished(again, 1, (2,))
    assert recommended_levels(Q(guest=guest_hash(secret))) == {"edel-stein-reich-duel": 3}
    assert recommended_levels(Q(guest=guest_hash("another"))) == {}
