"""Records of all formats, checked by the judge, which shares no code with the engine.

In every fourth game one bot misbehaves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

import pytest

from bots.cli.records import check_file
from bots.house.catalogue import HOUSE
from bots.runner import HouseProgram, Launcher, Limits, LocalProgram, MatchReport, SeatSpec
from bots.sandbox import PlainLauncher
from bots.series import Series, play_series
from games.record import to_json
from games.registry import GAMES
from tests import judge

Program = HouseProgram | LocalProgram
HABITS = ("late", "careless", "cheat", "quitter", "babbler", "talker", "dreamer", "mute", "spender")
GAMES_A_TABLE = 43
EVERY = 4
"""One table in so many has somebody who misbehaves."""
STRICT = Limits(startup_ms=2000, move_ms=250, bank_ms=0, game_ms=2500)
TABLES = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]


def play_all(games_a_table: int, launcher: Launcher[Program]) -> Iterator[MatchReport]:
    """So many games with every number of seats, each from a seed of its own."""
    for game, seats in TABLES:
        for number in range(games_a_table):
            bots = line_up(game, seats, number)
            limits = STRICT if number % EVERY == 0 else Limits()
            series = Series(game, bots, f"export/{seats}/{number}", 1, limits)
            yield from (played.report for played in play_series(series, launcher))


def line_up(game: str, seats: int, number: int) -> tuple[SeatSpec[Program], ...]:
    """House bots in turn; at every fourth table somebody who misbehaves sits among them."""
    house = [name for name, bot in HOUSE.items() if bot.plays(game, seats)]
    names = list(islice(cycle(house), number, number + seats))
    bots: list[SeatSpec[Program]] = [SeatSpec(name, HouseProgram(name)) for name in names]
    if number % EVERY == 0:
        habit = HABITS[number // EVERY % len(HABITS)]
        program = LocalProgram(Path(__file__).parent, (habit,), "misbehavior.py")
        bots[number // EVERY % seats] = SeatSpec(habit, program)
    return tuple(bots)


def judged(lines: Sequence[str]) -> list[str]:
    """What the judge finds wrong with the records, each with its line number from 1."""
    return [f"{number}: {fault}" for number, line in enumerate(lines, 1) for fault in judge.check(json.loads(line))]


@pytest.mark.slow
@pytest.mark.nightly
def test_records_of_every_table_with_strikes_and_forfeits_pass_the_judge(tmp_path: Path) -> None:
    reports = list(play_all(GAMES_A_TABLE, PlainLauncher()))
    lines = [to_json(report.record) for report in reports]
    assert len(lines) == GAMES_A_TABLE * len(TABLES) >= 300
    assert not judged(lines)

    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert not [checked.fault for checked in check_file(path) if checked.fault]

    forfeits = {forfeit.reason for report in reports for forfeit in report.forfeits}
    assert forfeits >= {"strikes", "exit", "not_ready", "time"}
    steps = (step for line in lines for step in json.loads(line)["steps"])
    defaults = {step["default"] for step in steps if "default" in step}
    assert defaults >= {"late", "malformed", "too_long", "wrong_id", "illegal", "forfeit"}
