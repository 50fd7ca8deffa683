"""People are shown moves one after the other before the clock of their next decision starts; bots do not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bots.models import BotVersion
from games.registry import GAMES
from games.rules import Document
from ladder.live.clocks import BEAT_MS, SHOWN_WITHIN_MS, shown_ms
from ladder.live.hosted import ask_seat
from ladder.live.person_view import present
from ladder.live.position import Position
from ladder.models import LiveSeat, Match, PlayedMove
from tests.build import active_version
from tests.ladder.live.hosted import Fakes, default
from tests.ladder.live.people import house, ladder_of, people, say, settle, table_for
from tests.ladder.live.play import at_random, play_on, position, post, remote_bots, table_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

MOST = timedelta(milliseconds=SHOWN_WITHIN_MS)
GEMS = GAMES["edel-stein-reich"].presentation.beats


def choice(seat: int, kind: str = "action", move: Any = "money") -> Document:
    return {"ply": seat, "step": {"seat": seat, "decision": kind, "move": move}}


def event(kind: str) -> Document:
    return {"ply": 9, "event": {"type": kind}}


def test_a_simultaneous_choice_is_one_reveal_and_one_step_with_its_effects() -> None:
    assert BEAT_MS["reveal"] == 900
    assert shown_ms([choice(0), choice(1), choice(2), event("cancelled")], GEMS) == 900 + BEAT_MS["step"]


def test_each_offer_is_shown_for_itself() -> None:
    offers = [choice(seat, "answer_offer", {"offer": [1, 0, 0, 0]}) for seat in (0, 1, 0)]
    assert shown_ms(offers, GEMS) == 3 * BEAT_MS["barter"] >= 3 * 700


def test_a_scoring_is_shown_after_the_choices_before_it() -> None:
    assert shown_ms([choice(0), event("scored"), event("phase"), event("deal")], GEMS) == (
        BEAT_MS["reveal"] + BEAT_MS["scoring"] + 2 * BEAT_MS["step"]
    )


def test_a_game_without_beats_is_shown_step_by_step() -> None:
    assert shown_ms([choice(0), choice(1), event("deal")], {}) == 2 * BEAT_MS["step"]
    assert shown_ms([{"ply": 0, "step": {"chance": "deck", "cards": []}}], {}) == BEAT_MS["step"]


def positions(match: Match, random: Random, moves: int) -> Iterator[Position]:
    """The table at the start and after each move. People move at random, bots play the first legal move."""
    yield (at := position(match))
    for _ in range(moves):
        if LiveSeat.objects.filter(table=match.pk, due_at__gt=at.now).exists():
            settle(match)
        seat = random.choice(at.state().pending)
        if at.live_seats[seat].kind == LiveSeat.Kind.PERSON:
            say(match, seat, at.state().random_move(seat, random))
        else:
            ask_seat(match.pk, seat, launcher=Fakes(default))
        yield (at := position(match))


TABLES = [
    ("edel-stein-reich", people, 3, ()),
    ("edel-stein-reich", people, 2, ("greedy", "kontor")),
    ("edel-stein-reich-duel", people, 1, ("greedy",)),
    ("die-weinhaendler", people, 3, ()),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("game", "who", "count", "bots"), TABLES)
def test_clocks_of_people_start_together_at_most_five_seconds_after_the_last_move(
    game: str, who: Callable[[int], list[BotVersion]], count: int, bots: tuple[str, ...], seed: int
) -> None:
    match = table_for(game, [*who(count), *house(*bots)], players="open" if bots else "people")
    known: set[tuple[int, int]] = set()
    waited = set()
    for at in positions(match, Random(seed), 30):
        asked = {
            (seat, live_seat.asked)
            for seat, live_seat in enumerate(at.live_seats)
            if live_seat.owes and live_seat.kind == "person"
        }
        starts = {at.starts_at(seat) for seat, _ in asked - known}
        known = asked
        if not starts or not at.rows:
            continue  # the first question
        (start,) = starts  # equal for all human seats
        assert start is not None
        assert at.table.settled_at <= start <= at.table.settled_at + MOST
        waited.add(start - at.table.settled_at)
    assert len(waited) > 1 and max(waited) > MOST - timedelta(seconds=2)


def test_a_player_sees_a_question_before_the_clock_starts_and_can_answer_it() -> None:
    match = table_for("edel-stein-reich", people(3))
    for seat in range(3):
        say(match, seat, "gems")
    at = position(match)
    (clock, *others) = [present(at, seat)["clock"] for seat in range(3)]
    assert others == [clock, clock]
    assert 0 < clock["starts_in_ms"] <= BEAT_MS["reveal"] + BEAT_MS["step"]
    assert clock["left_ms"] == 225_000
    assert say(match, 0, "money").verdict == "played"
    assert PlayedMove.objects.get(number=3).wall_ms == 0
    later = replace(at, now=at.now + MOST)
    assert (clock := present(later, 1)["clock"])["starts_in_ms"] == 0
    assert clock["left_ms"] < 225_000


def test_animations_for_people_cost_bots_no_time() -> None:
    ladder = ladder_of("edel-stein-reich", 3, "open")
    far = remote_bots(1)[0]
    match = table_for("edel-stein-reich", [*people(2), active_version(far)], players="open")
    random, clocks = Random(1), set()
    for _ in range(40):
        settle(match)
        at = position(match)
        if not at.state().pending:
            break
        seat = random.choice(at.state().pending)
        move = at.state().random_move(seat, random)
        post(match, seat, at.live_seats[seat].asked, move) if seat == 2 else say(match, seat, move)
        at = position(match)
        bot = at.live_seats[2]
        if bot.owes:
            assert bot.due_at is not None and at.starts_at(2) == bot.due_at
            clocks.add(at.table.followed_at > bot.due_at)
    assert ladder == match.ladder
    assert True in clocks


def test_a_table_of_bots_is_not_slowed_down() -> None:
    match = table_of(ladder_of("edel-stein-reich", 3, "remote"), remote_bots(3), rated=False)
    before = position(match).table.followed_at
    play_on(match, at_random(2), moves=30)
    at = position(match)
    assert at.table.followed_at == before
    assert all(at.starts_at(seat) == live_seat.due_at for seat, live_seat in enumerate(at.live_seats) if live_seat.owes)
