"""What a player is shown between two questions: a reveal with its reason, offers, a scoring, and then the result."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from ladder.live.answers import answer_seat
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.models import Ladder, LiveSeat, Match
from tests.browser.seated import NUMBER, TABLE, Hall, Sitter, table_of_people

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAMES = ["ada", "bob", "cid"]

WATCH = f"""() => {{
    window.beats = [];
    const table = {TABLE};
    const note = () => requestAnimationFrame(() => table.dataset.beat && window.beats.push({{
        beat: table.dataset.beat,
        open: table.querySelectorAll(".row.seat .action:not(.past)").length,
        blocked: table.querySelector(".gems-side").textContent.includes("block"),
        asked: {NUMBER},
        offers: table.querySelector(".sitting-showing .caption").textContent,
    }}));
    new MutationObserver(note).observe(table, {{ attributeFilter: ["data-beat"] }});
}}"""
"""Keeps what is shown at each beat, one frame after it began."""


def beats(sitter: Sitter) -> list[dict[str, Any]]:
    """What the player was shown since the watch began, once the next question is there."""
    sitter.page.wait_for_function(f"() => {NUMBER} !== null && !{TABLE}.showing.busy")
    found: list[dict[str, Any]] = sitter.page.evaluate("window.beats")
    return found


def position(match: Match) -> Position:
    return position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk))


def say(match: Match, seat: int, move: object) -> None:
    """The answer of somebody at the table without a browser."""
    number = LiveSeat.objects.get(table=match.pk, seat__index=seat).asked
    ruling = answer_seat(match.pk, seat, number, orjson.dumps({"id": number, "move": move}))
    assert ruling.verdict == "played", ruling


def test_choices_are_revealed_with_the_reason_before_the_next_question_and_its_clock(hall: Hall) -> None:
    match = table_of_people(Ladder.objects.get(slug="edel-stein-reich-3-people"), NAMES)
    (ada,) = hall.sit(match, ["ada"])
    for seat in (1, 2):
        say(match, seat, "money")
    ada.until_asked("action")
    ada.page.evaluate(WATCH)
    ada.send("money")
    shown = beats(ada)
    assert [one["beat"] for one in shown] == ["reveal", "step"]
    assert shown[0] == {"beat": "reveal", "open": 3, "blocked": True, "asked": None, "offers": ""}
    assert ada.page.evaluate(f"{TABLE}.present.round") == 2
    at = position(match)
    asked = [at.starts_at(seat) for seat in range(3)]
    assert len(set(asked)) == 1 and asked[0] is not None and asked[0] > at.rows[-1].visible_at
    assert ada.said == []
