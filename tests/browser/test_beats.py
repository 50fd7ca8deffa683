"""What a player is shown between two questions: a reveal with its reason, offers, a scoring, and then the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.db import transaction
from playwright.sync_api import expect

from games.rules import State
from ladder.live.answers import answer_seat
from ladder.live.game import Answered, lock_match
from ladder.live.position import Position
from ladder.live.publish import save_and_publish
from ladder.live.rows import position_of
from ladder.models import Ladder, LiveSeat, Match
from tests.browser.hall import NUMBER, TABLE, Hall, Sitter, table_of_people
from tests.ladder.live.play import pass_time

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAMES = ["ada", "bob", "cid"]

WATCH = f"""() => {{
    window.beats = [];
    const table = {TABLE};
    const {{ showing }} = table;
    const {{ listener }} = showing;
    showing.until = Infinity;
    showing.due = () => {{}};
    let shown = null;
    const end = () => shown?.ms && window.beats.push({{
        beat: shown.beat,
        open: table.querySelectorAll(".row.seat .action:not(.past)").length,
        blocked: table.querySelector(".gems-side").textContent.includes("block"),
        asked: {NUMBER},
        offers: table.querySelector(".sitting-showing .caption").textContent,
        scored: !table.querySelector(".scored").hidden,
        ranked: Boolean(table.querySelector(".gems-side:not(.paying) .ranking")),
        ended: !table.querySelector(".sitting-end").hidden,
    }});
    showing.listener = {{
        began: (part) => (end(), (shown = part), listener.began(part)),
        done: () => (end(), (shown = null), listener.done()),
    }};
}}"""
"""Keeps what each beat shows at its end. Beats are not shortened if a slow machine is late for the next question."""


def beats(sitter: Sitter) -> list[dict[str, Any]]:
    """What the player was shown since the watch began, once the next question is there."""
    sitter.page.wait_for_function(f"() => {NUMBER} !== null && !{TABLE}.showing.busy")
    beats: list[dict[str, Any]] = sitter.page.evaluate("window.beats")
    return beats


def position(match: Match) -> Position:
    return position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk))


def say(match: Match, seat: int, move: object) -> None:
    """The answer of a player without a browser."""
    number = LiveSeat.objects.get(table=match.pk, seat__index=seat).asked
    ruling = answer_seat(match.pk, seat, number, orjson.dumps({"id": number, "move": move}))
    assert ruling.verdict == "played", ruling


def play_until(match: Match, is_near: Callable[[State], bool], move: Callable[[State, int], Any]) -> Position:
    """Play on without a browser until ``is_near`` holds; the table then, with nothing held back."""
    with transaction.atomic():
        table = lock_match(match.pk)
        assert table is not None
        while not is_near(table.state):
            seat = table.state.pending[0]
            table.settle(seat, Answered(table.clock_now, 0, table.state.check(seat, move(table.state, seat))))
        save_and_publish(table)
    pass_time(match, 60)
    return position(match)


def first_move(state: State, seat: int) -> Any:
    return state.default_move(seat)


def alone(state: State, seat: int) -> Any:
    """Everyone chooses another action, so that no one barters."""
    return ("gems", "money", "event")[seat] if state.decision_kind == "action" else state.default_move(seat)


def is_last(state: State) -> bool:
    """Whether the game ends with the next default move."""
    after = state.copy()
    after.play(after.pending[0], after.default_move(after.pending[0]))
    return not after.pending


def barter(match: Match, offers: int = 12) -> int:
    """The others want the same action and make ``offers`` offers without a pause; then one of them accepts."""
    for seat in (1, 2):
        say(match, seat, "money")
    for _ in range(offers):
        state = position(match).state()
        (seat,) = state.pending
        say(match, seat, next(move for move in state.legal_moves(seat) if isinstance(move, dict)))
    (seat,) = position(match).state().pending
    say(match, seat, "accept")
    return offers


def test_choices_are_revealed_with_the_reason_before_the_next_question_and_its_clock(hall: Hall) -> None:
    match = table_of_people(Ladder.objects.get(slug="edel-stein-reich-3-people"), NAMES)
    (ada,) = hall.sit(match, ["ada"])
    for seat in (1, 2):
        say(match, seat, "money")
    ada.until_asked("action")
    ada.page.evaluate(WATCH)
    ada.send("money")
    shown = beats(ada)
    assert [beat["beat"] for beat in shown] == ["reveal", "step"]
    assert (shown[0]["open"], shown[0]["blocked"], shown[0]["asked"]) == (3, True, None)
    assert ada.page.evaluate(f"{TABLE}.present.round") == 2
    at = position(match)
    asked = [at.starts_at(seat) for seat in range(3)]
    assert len(set(asked)) == 1 and asked[0] is not None and asked[0] > at.rows[-1].visible_at
    ada.page.evaluate("window.beats.length = 0")
    ada.send("event")
    made = barter(match)
    shown = beats(ada)
    counts = [int(number) for beat in shown for number in re.findall(r"\d+", beat["offers"])]
    single = sum(beat["beat"] == "barter" and not beat["offers"] for beat in shown)
    assert counts and sum(counts) + single == made + 1, "every offer, and that the last one was accepted"
    assert ada.messages == []


def test_a_scoring_is_paid_before_the_next_phase_and_the_last_one_before_the_result(hall: Hall) -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-3-people")
    first, last = (table_of_people(ladder, NAMES) for _ in range(2))
    play_until(first, lambda state: state.view(None)["round"] == 8 and state.pending == (2,), alone)
    (cid,) = hall.sit(first, ["cid"])
    cid.until_asked("action")
    cid.page.evaluate(WATCH)
    cid.send("event")
    cid.until_asked("event_card")
    cid.page.evaluate("window.beats.length = 0")
    cid.send("face_up")
    shown = beats(cid)
    assert [beat["beat"] for beat in shown] == ["step", "scoring", "step"]
    assert [beat["scored"] for beat in shown] == [False, True, False]
    assert [beat["ranked"] for beat in shown] == [False, True, True]
    (seat,) = play_until(last, is_last, first_move).state().pending
    cid.page.goto("about:blank")
    (sitter,) = hall.sit(last, [NAMES[seat]])
    sitter.until_asked()
    sitter.page.evaluate(WATCH)
    sitter.send(sitter.page.evaluate(f"{TABLE}.present.question.default"))
    end = sitter.page.locator(".sitting-end[data-status=finished]")
    expect(end).to_be_visible()
    shown = sitter.page.evaluate("window.beats")
    assert [part["beat"] for part in shown] == ["reveal", "step", "scoring"]
    assert [part["scored"] for part in shown] == [False, False, True]
    assert [part["ranked"] for part in shown] == [False, False, True]
    assert not any(part["ended"] for part in shown)
    expect(sitter.page.locator(".gems-side .ranking")).to_be_visible()
    expect(end.locator("[data-answer=offer]")).to_be_visible()
    expect(end.locator("[data-replay]")).to_be_visible()
    assert cid.messages == sitter.messages == []
