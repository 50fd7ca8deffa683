"""No bot's code turns a lost game into a void one or another try: however it ends, it has lost, and that counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bots.protocol import Limits
from ladder.matches.blocks import BlockPlayer
from ladder.matches.pauses import BAD
from ladder.matches.play import play
from ladder.models import Ladder, Match
from tests.build import active_version, first_match, new_version, person, uploaded
from tests.ladder.endings import ENDINGS, MOMENTS, PREPARATIONS, End

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox_launcher")]

LIMITS = {"startup_ms": 2000, "move_ms": 300, "bank_ms": 500}
ALLOWED_S = 0.8

Meet = Callable[[End], Match]

ENDS = st.builds(
    End,
    ending=st.sampled_from(sorted(ENDINGS)),
    moment=st.sampled_from(MOMENTS[:-1]),
    number=st.integers(1, 6),
    preparations=st.lists(st.sampled_from(sorted(PREPARATIONS)), max_size=3, unique=True).map(tuple),
)


@pytest.fixture
def meet(duel: Ladder) -> Meet:
    """Plays a rated match between a bot that comes to such an end, at seat 0, and one of the house."""
    Ladder.objects.filter(pk=duel.pk).update(limits=LIMITS)
    bot = uploaded(person("eve"))
    house = duel.memberships.get(bot__house_name="random")
    membership, other = duel.memberships.get(bot=bot), BlockPlayer(active_version(house.bot), house)

    def run(end: End) -> Match:
        match = first_match(duel, [BlockPlayer(new_version(bot, end.source(ALLOWED_S)), membership), other])
        assert play(match.pk) == "finished", (end, match.attempts.get().failure)
        return Match.objects.get(pk=match.pk)

    return run


def has_lost(match: Match, end: End) -> None:
    """The match counts, at the first attempt; seat 0 has lost it by its own failure, and the other has not failed."""
    lost, won = match.result.seat_results.order_by("seat__index")
    assert (match.status, match.attempts_started) == ("finished", 1), end
    assert lost.forfeit in BAD, end
    assert (lost.rank, won.rank, won.forfeit) == (2, 1, ""), end
    assert lost.change < 0 < won.change
    assert not [delay for delay in match.result.report["machine_delays"] if delay["seat"] == 0], end


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(end=ENDS)
def test_however_a_bot_ends_its_seat_has_lost_and_the_match_counts(meet: Meet, end: End) -> None:
    has_lost(meet(end), end)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("moment", MOMENTS[:-1])
def test_every_end_at_every_moment_is_a_loss_that_counts(meet: Meet, moment: str) -> None:
    for ending in ENDINGS:
        end = End(ending, moment, 2)
        has_lost(meet(end), end)


@pytest.mark.slow
@pytest.mark.nightly
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(end=ENDS)
def test_a_hundred_ends_with_preparations_are_losses_that_count(meet: Meet, end: End) -> None:
    has_lost(meet(end), end)


@pytest.mark.slow
def test_an_end_after_the_end_of_the_game_changes_nothing(meet: Meet) -> None:
    for ending in ENDINGS:
        match = meet(End(ending, "end"))
        assert (match.status, match.attempts_started) == ("finished", 1), ending
        assert [result.forfeit for result in match.result.seat_results.all()] == ["", ""], ending


def test_the_time_that_is_allowed_is_what_the_ladder_allows() -> None:
    limits = Limits(**LIMITS)
    assert limits.move_ms + limits.bank_ms == ALLOWED_S * 1000
