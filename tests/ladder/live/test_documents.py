"""A bot at a live table reads what it would read on stdin, and its game is the one that the runner would play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any

import orjson
import pytest

from bots.protocol import bot_seeds
from bots.runner.play import play_match
from bots.runner.spec import FakeProgram, MatchSpec, SeatSpec
from bots.sandbox import InProcessLauncher
from games.registry import GAMES
from games.rules import Document
from ladder.live import decisions
from ladder.live.end import report_of
from ladder.matches.assignments import seeds_key
from ladder.models import Match, PlayedMove
from tests.ladder.live.play import (
    CALM,
    asked,
    at_random,
    bot_at,
    decide_event,
    game_of,
    owing,
    pass_time,
    play_on,
    position,
    post,
)

pytestmark = pytest.mark.django_db

TABLES = [("edel-stein-reich", 3), ("edel-stein-reich-duel", 2), ("die-weinhaendler", 3)]
Bot = Callable[[Document], Any]


def drawn(message: Document, salt: str) -> Random:
    """Chance that follows from what a seat was told, but for its clock."""
    content = {key: value for key, value in message.items() if key != "clock"}
    return Random(sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS) + salt.encode()).digest())


def honest(message: Document) -> Any:
    decision = message["decision"]
    return drawn(message, "move").choice(decision["legal"] or [decision["default"]])


def sometimes_wrong(message: Document) -> Any:
    return "nonsense" if drawn(message, "fault").random() < 0.1 else honest(message)


def without_clock(message: Document) -> Document:
    return {key: value for key, value in message.items() if key != "clock"}


def played_live(match: Match, bots: list[Bot]) -> list[list[Document]]:
    """Play to the end; what every seat was told."""
    messages = [[hello(match, seat)] for seat in range(len(bots))]
    while seats := owing(match):
        seat = seats[-1]  # those who are asked at once answer in another order than on stdin
        pass_time(match)
        message = asked(match, seat)
        state = position(match).state(journal=True)
        assert message["view"] == state.view(seat)
        assert message["decision"] == state.decision(seat)
        messages[seat].append(without_clock(message))
        post(match, seat, message["id"], bots[seat](message))
    live_seats = position(match).live_seats
    ends = [[] if live_seats[seat].forfeit else [end(match, seat)] for seat in range(len(bots))]
    return [lines + last for lines, last in zip(messages, ends, strict=True)]


def hello(match: Match, seat: int) -> Any:
    return decisions.hello(position(match), seat, resumed=False)


def end(match: Match, seat: int) -> Any:
    return decisions.end(position(match), seat)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_live_game_is_the_one_that_the_runner_plays(game: str, seats: int) -> None:
    match = game_of(game, seats)
    bots = [sometimes_wrong, *[honest] * (seats - 1)]
    live = played_live(match, bots)
    lines: list[list[Document]] = [[] for _ in range(seats)]

    def fake(seat: int) -> FakeProgram:
        def play(message: Document) -> Any:
            lines[seat].append(without_clock(message))
            return bots[seat](message) if message["type"] == "decide" else None

        return FakeProgram(play)

    spec = MatchSpec(
        game=game,
        seats=tuple(SeatSpec(f"seat {seat}", fake(seat)) for seat in range(seats)),
        seed=bytes(match.block.seed),
        limits=CALM,
        match=str(match.pk),
        bot_seeds=bot_seeds(seeds_key(), str(match.pk), seats),
    )
    report, expected = play_match(spec, InProcessLauncher()), report_of(position(match))
    assert expected.record == report.record
    assert expected.forfeits_by_seat == report.forfeits_by_seat
    assert [f.evidence for f in expected.forfeits] == [f.evidence for f in report.forfeits]
    for seat, other in zip(expected.seats, report.seats, strict=True):
        assert [(s.id, s.reason) for s in seat.strikes] == [(s.id, s.reason) for s in other.strikes]
        assert seat.bot_seed == other.bot_seed
    assert live == lines


def test_the_log_is_what_happened_since_the_question_before_or_from_where_the_reader_says() -> None:
    match = game_of("die-weinhaendler", 3)
    play_on(match, at_random(5), 12)
    pass_time(match)
    seat = owing(match)[0]
    bot = bot_at(match, seat)
    whole = position(match).state().entries(seat)
    for start in (0, 3, len(whole), 10**6):
        event = decide_event(match.pk, bot, start)
        assert event is not None
        assert event["message"]["log"] == whole[start:]
        assert event["log_from"] == start
    since = decide_event(match.pk, bot)
    assert since is not None
    assert since["message"]["log"] == whole[since["log_from"] :]
    assert 0 < since["log_from"] < len(whole)


def test_a_bot_reads_nothing_of_a_game_at_which_it_does_not_sit() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    assert decisions.position_for(match.pk, 10**6) is None
    assert decisions.position_for(match.pk + 1, bot_at(match, 0)) is None


def test_the_visible_part_grows_only_by_due_moves() -> None:
    """At every moment of a whole game, for every seat and the public: only what is shown by then, and own moves."""
    match = game_of("die-weinhaendler", 3)
    held_back = 0
    while (seats := owing(match)) and held_back < 12:
        pass_time(match)
        message = asked(match, seats[0])
        post(match, seats[0], message["id"], at_random(held_back)(position(match).state(), seats[0]))
        table = position(match)
        state, last = table.state(journal=True), table.rows[-1]
        whole = {seat: state.entries(seat) for seat in (None, *range(3))}
        moments = [last.visible_at]
        for delay in last.delays:
            moments.append(moments[-1] + timedelta(milliseconds=delay))
        assert table.table.settled_at == moments[-1]
        for steps, moment in enumerate(moments):
            early, on_time = moment - timedelta(milliseconds=1), moment
            for viewer in (None, *[seat for seat in range(3) if seat != last.seat]):
                before = replace(table, now=early).shown_to(viewer)
                after = replace(table, now=on_time).shown_to(viewer)
                a, b = before.entries(viewer), after.entries(viewer)
                assert whole[viewer][: len(a)] == a
                assert whole[viewer][: len(b)] == b
                assert len(a) < len(b)
                if steps:
                    forced = next(entry["step"] for entry in b[len(a) :] if "step" in entry)
                    assert before.view(viewer)["turn"] == forced["seat"]
                    held_back += 1
            assert (steps == len(last.delays)) == (
                replace(table, now=on_time).shown_to(None).entries(None) == whole[None]
            )
    assert held_back >= 12


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_default_moves_of_seats_that_forfeited_appear_one_by_one(game: str, seats: int) -> None:
    """All but one seat have forfeited: nobody sees a move of theirs, or what follows from it, before its time."""
    match = game_of(game, seats)
    gone: set[int] = set()
    while len(gone) < seats - 1 or len(PlayedMove.objects.filter(decision=None)) < 10:
        pass_time(match)
        seat = owing(match)[0]
        message = asked(match, seat)
        post(match, seat, message["id"], "nonsense" if seat else honest(message))
        table = position(match)
        gone = {seat for seat, live_seat in enumerate(table.live_seats) if live_seat.forfeit}
        last = max(row.received_at for row in table.rows if row.decision is not None)
        moments = {row.visible_at for row in table.rows if row.visible_at >= last} | {table.table.settled_at}
        for viewer in (None, *range(seats)):
            shown = [replace(table, now=moment).shown_to(viewer).entries(viewer) for moment in sorted(moments)]
            assert shown[-1] == table.state().entries(viewer)
            for before, after in pairwise(shown):
                assert after[: len(before)] == before


def test_games_with_secret_choices_show_them_to_nobody_but_their_seat() -> None:
    match = game_of("edel-stein-reich", 3)
    post(match, 1, 1, "gems")
    table = position(match)
    assert table.shown_to(1).view(1)["you"] == {"action": "gems"}  # though nobody else knows
    untouched = GAMES["edel-stein-reich"].new(3, bytes(match.block.seed))
    for viewer in (None, 0, 2):
        assert table.shown_to(viewer).view(viewer) == untouched.view(viewer)
        assert table.shown_to(viewer).entries(viewer) == untouched.entries(viewer)
