"""Every message of a played game is what the schema files say."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bots.runner.play import play_match
from bots.runner.spec import FakeProgram, MatchSpec, SeatSpec
from bots.sandbox.in_process import InProcessLauncher
from games.registry import GAMES
from games.rules import Document

TABLES = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_counts]


@cache
def validator(slug: str, document: str) -> Draft202012Validator:
    return Draft202012Validator(GAMES[slug].schema(document))


def collecting(heard: list[Document], random: Random) -> FakeProgram:
    """A bot that keeps what it is told, and plays a listed move where moves are listed."""

    def play(message: Document) -> Any:
        heard.append(message)
        if message["type"] != "decide":
            return None
        decision = message["decision"]
        return random.choice(decision["legal"] or [decision["default"]])

    return FakeProgram(play)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_every_message_of_a_game_validates(slug: str, seats: int) -> None:
    heard: list[Document] = []
    fakes = tuple(SeatSpec(f"fake {seat}", collecting(heard, Random(seat))) for seat in range(seats))
    report = play_match(MatchSpec(slug, fakes, bytes([seats] * 32), match="1"), InProcessLauncher())
    validator(slug, "record").validate(report.record)
    kinds = {message["type"] for message in heard}
    assert kinds == {"hello", "decide", "end"}
    for index, message in enumerate(heard):
        if message["type"] != "decide" or index % 3 == 0:
            validator(slug, message["type"]).validate(message)
