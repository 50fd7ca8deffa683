from __future__ import annotations

from typing import Any

import pytest

from bots.protocol import Limits
from games.record import verify
from games.rules import Document
from tests.bots.runner.fakes import HASTY, Watcher, at, default, play, raw

pytestmark = pytest.mark.usefixtures("each_channel")


def defaults_of(record: Document, seat: int) -> list[str]:
    return [step["default"] for step in record["steps"] if step.get("seat") == seat and "default" in step]


SAID: dict[str, tuple[str, Any]] = {
    "not JSON": ("malformed", b"money\n"),
    "an empty line": ("malformed", b"\n"),
    "a key twice": ("malformed", b'{"id": 3, "id": 3, "move": "money"}\n'),
    "no move": ("malformed", b'{"id": 3}\n'),
    "a true id": ("malformed", b'{"id": true, "move": "money"}\n'),
    "deep JSON": ("malformed", b'{"id": 3, "move": ' + b"[" * 20_000 + b"]" * 20_000 + b"}\n"),
    "a huge number": ("malformed", b'{"id": 3, "move": ' + b"9" * 60_000 + b"}\n"),
    "too much": ("too_long", b" " * 70_000 + b"\n"),
    "an id to come": ("wrong_id", raw(4, "money")),
    "an id that never was": ("wrong_id", raw(0, "money")),
    "a negative id": ("wrong_id", raw(-3, "money")),
    "a move of another game": ("illegal", "bid"),
    "a number": ("illegal", 1),
    "nothing": ("illegal", [None]),
    "an object": ("illegal", {"offer": [1, 0, 0, 0]}),
    "a surrogate pair": ("illegal", "💎"),
}


@pytest.mark.parametrize(("reason", "say"), SAID.values(), ids=SAID.keys())
def test_a_wrong_answer_costs_that_decision_and_no_more(reason: str, say: Any) -> None:
    watcher = Watcher()
    report = play(at(3, say), default, observer=watcher)
    assert [(strike.id, strike.reason) for strike in report.seats[0].strikes] == [(3, reason)]
    assert defaults_of(report.record, 0) == [reason]
    assert report.forfeits == ()
    assert [message["strikes"] for message in watcher.messages(0, "decide")][:5] == [0, 0, 0, 1, 1]
    assert verify(report.record).outcome == report.record["outcome"]


def test_silence_is_late() -> None:
    report = play(at(2, b""), default, limits=HASTY)
    assert [(strike.id, strike.reason) for strike in report.seats[0].strikes] == [(2, "late")]
    assert report.seats[0].decisions[1].wall_us >= 10_000


def test_half_a_line_is_late_and_the_other_half_is_not_another_fault() -> None:
    bot = at(2, b'{"id": 2, "mo', at(3, lambda message: b've": "money"}\n' + raw(3, message["decision"]["default"])))
    report = play(bot, default, limits=HASTY)
    assert [(strike.id, strike.reason) for strike in report.seats[0].strikes] == [(2, "late")]


def test_an_answer_to_a_defaulted_decision_is_dropped_and_the_game_continues() -> None:
    bot = at(2, b"", at(3, lambda message: raw(2, "money") * 3 + raw(3, message["decision"]["default"])))
    report = play(bot, default, limits=HASTY)
    assert [(strike.id, strike.reason) for strike in report.seats[0].strikes] == [(2, "late")]


def test_a_repeated_answer_is_dropped() -> None:
    def twice(message: Document) -> Any:
        if message["type"] != "decide":
            return None
        return raw(message["id"], message["decision"]["default"]) * 2

    assert play(twice, default).seats[0].strikes == ()


def test_the_rest_of_a_line_that_was_too_long_is_skipped() -> None:
    bot = at(1, b"x" * 100_000, at(2, lambda message: b"y" * 100_000 + b"\n" + raw(2, message["decision"]["default"])))
    report = play(bot, default)
    assert [(strike.id, strike.reason) for strike in report.seats[0].strikes] == [(1, "too_long")]


def test_a_strike_stores_the_answer_escaped_and_truncated() -> None:
    report = play(at(1, b"\x1b[31m\xff" + b"a" * 1000 + b"\n"), default)
    answer = report.seats[0].strikes[0].answer
    assert answer.startswith("\\x1b[31m")
    assert answer.endswith("a…")
    assert answer[:-1].isascii()
    assert answer.isprintable()
    assert len(answer) < 600


def test_the_error_of_an_illegal_move_names_the_rule_and_legal_moves() -> None:
    report = play(at(1, "steal"), default)
    assert "Legal moves" in report.seats[0].strikes[0].detail


def test_the_third_strike_is_a_forfeit_and_its_step_keeps_its_reason() -> None:
    bot = at(1, "steal", at(3, b"?\n", at(4, raw(9, "money"))))
    report = play(bot, default, default)
    (forfeit,) = report.forfeits
    assert (forfeit.seat, forfeit.reason, forfeit.decision) == (0, "strikes", 4)
    assert "decision 1: illegal; decision 3: malformed; decision 4: wrong_id" in forfeit.evidence
    reasons = defaults_of(report.record, 0)
    assert reasons[:3] == ["illegal", "malformed", "wrong_id"]
    assert set(reasons[3:]) == {"forfeit"}
    assert report.record["outcome"]["ranks"][0] == 3
    assert report.record["outcome"]["scores"][0]["forfeit"] == "strikes"
    assert verify(report.record, report.forfeits_by_seat).outcome == report.record["outcome"]


def test_a_slow_bot_uses_its_time_bank_until_it_is_empty() -> None:
    limits = Limits(startup_ms=500, move_ms=10, bank_ms=60, game_ms=60_000)
    watcher = Watcher()
    report = play(at(2, b""), default, limits=limits, observer=watcher)
    assert report.seats[0].decisions[1].wall_us >= 70_000
    clocks = [message["clock"]["bank_ms"] for message in watcher.messages(0, "decide")]
    assert clocks[0] == 60
    assert clocks[2] == 0
