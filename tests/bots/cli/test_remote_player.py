"""A stdin bot as a player of a remote game: what it says too late, and what is no answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bots.cli.programs import find_played, launcher_for
from bots.cli.site import ProcessPlayer
from bots.client import NoAnswer
from tests.bots.cli.bots import bot
from tests.bots.client.site import duel


def player(folder: Path, change: str) -> ProcessPlayer:
    command = f"{sys.executable} {bot(folder, change) / 'bot.py'}"
    played = find_played(command, "edel-stein-reich-duel", 2, launcher_for(sandbox=False))
    start: Any = duel().start(resumed=False)
    return ProcessPlayer(played.start, start, lambda line: None)


def question(number: int, move_ms: int) -> Any:
    message = duel().open(whole=True)["message"]
    return {**message, "id": number, "clock": {"move_ms": move_ms, "bank_ms": 0, "game_ms": 60_000}}


def test_a_late_answer_is_not_used_for_the_next_decision(tmp_path: Path) -> None:
    seat = player(tmp_path, "if message['id'] == 1: __import__('time').sleep(0.5); move = 'too late'")
    with pytest.raises(NoAnswer) as failure:
        seat.decide(question(1, 50))
    assert failure.value.reason == "late"
    asked = question(2, 20_000)
    assert seat.decide(asked) == asked["decision"]["default"]
    seat.end(None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("print('nonsense', flush=True)", "malformed"),
        ("message['id'] = 9", "wrong_id"),
        ("print('x' * 70_000, flush=True)", "too_long"),
        ("sys.exit()", "exit"),
    ],
)
def test_faults_have_the_same_reasons_as_strikes_on_the_site(tmp_path: Path, change: str, reason: str) -> None:
    seat = player(tmp_path, change)
    with pytest.raises(NoAnswer) as failure:
        seat.decide(question(1, 20_000))
    assert failure.value.reason == reason
    seat.end(None)


def test_a_program_that_never_says_ready_does_not_begin(tmp_path: Path) -> None:
    played = find_played("true", "edel-stein-reich-duel", 2, launcher_for(sandbox=False))
    start: Any = duel().start(resumed=False)
    with pytest.raises(NoAnswer) as failure:
        ProcessPlayer(played.start, start, lambda line: None)
    assert failure.value.reason == "not_ready"
