"""Series of games: seeds, seats, and the arithmetic of the result table."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from io import StringIO

import pytest
from rich.console import Console

from bots.cli.frame import STDERR_LINES, Screen, incidents, result_table
from bots.runner import FakeProgram, SeatSpec
from bots.sandbox import InProcessLauncher
from bots.series import Series, SeriesGame, Tallies, game_seed, play_series
from games.rules import Document, Move
from tests.bots.runner.fakes import default


def cheat(message: Document) -> Move | None:
    return "everything" if message["type"] == "decide" else None


def series(*plays: SeatSpec[FakeProgram], games: int = 1, rotate: bool = False) -> Series[FakeProgram]:
    return Series("edel-stein-reich", plays, "7", games, rotate=rotate)


def seat(label: str, fair: bool = True) -> SeatSpec[FakeProgram]:
    return SeatSpec(label, FakeProgram(default if fair else cheat))


def test_the_seed_of_a_game_can_be_recomputed() -> None:
    assert game_seed("7", 3) == sha256(b"play/7/3").digest()


def test_every_game_has_the_seed_of_its_number() -> None:
    games = list(play_series(series(seat("a"), seat("b"), seat("c"), games=2), InProcessLauncher()))
    assert [played.report.record["seed"] for played in games] == [game_seed("7", i).hex() for i in range(2)]


def test_bots_keep_their_seats_unless_they_rotate() -> None:
    bots = (seat("a"), seat("b"), seat("c"))
    assert [series(*bots, games=4).order(i) for i in range(2)] == [(0, 1, 2), (0, 1, 2)]
    assert [series(*bots, rotate=True).order(i) for i in range(4)] == [(0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 1, 2)]


def test_results_of_a_rotated_bot_are_counted_under_its_name() -> None:
    bots = (seat("fair"), seat("cheat", fair=False), seat("fair#2"))
    tallies = Tallies.between([bot.label for bot in bots])
    for played in play_series(series(*bots, games=3, rotate=True), InProcessLauncher()):
        tallies.add(played)
    assert [(tally.label, tally.strikes, tally.forfeits) for tally in tallies.bots] == [
        ("fair", 0, 0),
        ("cheat", 9, 3),
        ("fair#2", 0, 0),
    ]
    assert tallies.bots[1].ranks == [3, 3, 3]
    assert {*tallies.bots[0].scores, *tallies.bots[1].scores} == {"money"}, "when a bot gave up is no score"
    assert tallies.ranked()[-1].label == "cheat"
    assert sum(sum(tally.wins) for tally in tallies.bots) == pytest.approx(3)


def one_game(*bots: SeatSpec[FakeProgram]) -> SeriesGame:
    return next(play_series(series(*bots), InProcessLauncher()))


def test_strikes_and_forfeits_are_reported_with_their_place() -> None:
    lines = list(incidents(one_game(seat("a"), seat("b", fair=False), seat("c")), {}))
    assert len(lines) == 4
    assert lines[0].startswith("game 0, seat 1, b: strike at decision 1: illegal: ")
    assert lines[-1].startswith("game 0, seat 1, b: forfeit: strikes: ")


def test_a_quiet_game_has_nothing_to_tell() -> None:
    assert not list(incidents(one_game(seat("a"), seat("b"), seat("c")), {}))


def test_only_the_end_of_a_long_stderr_is_shown() -> None:
    played = one_game(seat("a"), seat("b"), seat("c"))
    first, *others = played.report.seats
    loud = replace(first, stderr_tail="\n".join(f"\x1b{i}" for i in range(100)))
    lines = list(incidents(replace(played, report=replace(played.report, seats=(loud, *others))), {}))
    assert len(lines) == STDERR_LINES + 1
    assert lines[0].endswith(f"({100 - STDERR_LINES} earlier lines not shown)")
    assert lines[-1].endswith("stderr: \\x1b99")


def test_an_equal_stderr_of_the_same_bot_is_shown_once() -> None:
    played, shown = one_game(seat("a"), seat("b"), seat("c")), dict[tuple[str, str], int]()
    first, second, third = played.report.seats
    loud = replace(first, stderr_tail="Traceback\nboom"), replace(second, stderr_tail="Traceback\nboom"), third
    told = [
        list(incidents(replace(played, number=number, report=replace(played.report, seats=loud)), shown))
        for number in range(3)
    ]
    assert [len(lines) for lines in told] == [4, 2, 2]
    assert told[2][0] == "game 2, seat 0, a: stderr: the same as in game 0"


def test_the_table_shows_every_bot_with_its_intervals() -> None:
    bots = (seat("a"), seat("b"), seat("c"))
    tallies = Tallies.between([bot.label for bot in bots])
    for played in play_series(series(*bots, games=3), InProcessLauncher()):
        tallies.add(played)
    out = StringIO()
    Console(width=80, file=out).print(result_table(tallies, "title"))
    text = out.getvalue()
    assert all(word in text for word in ("title", "a", "b", "c", "Mean rank", "Money", "±", "Forfeits"))


@pytest.mark.parametrize("columns", [None, 100, 80, 70, 40])
def test_a_narrow_table_folds_names_and_keeps_every_number_and_heading_whole(
    columns: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
    names = ["a-bot-with-a-long-name-of-forty-characters", "b"]
    tallies = Tallies.between(names)
    for tally, ms in zip(tallies.bots, (1313.58, 0.25), strict=True):
        for game in range(20):
            tally.ranks.append(1 + game % 2)
            tally.scores.setdefault("money", []).append(12345 + game)
            tally.wins.append(0.0)
        tally.wall_us, tally.decisions = round(ms * 1000), 1
    Screen().show(result_table(tallies, "title"))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    headings = ["Bot", "Games", "Mean", "rank", "Wins", "%", "Money", "Strikes", "Forfeits", "ms"]
    assert lines[1] == headings
    first, last = (next(line for line in lines if line and line[-1] == ms) for ms in ("1313.58", "0.25"))
    assert first[1:-1] == last[1:-1]
    column = [line[0] for line in lines[lines.index(first) : lines.index(last)]]
    assert ("".join(column), len(column) == 1) == (names[0], columns is None)


def test_three_equal_games_are_no_certainty() -> None:
    bots = (seat("a"), seat("cheat", fair=False), seat("c"))
    tallies = Tallies.between([bot.label for bot in bots])
    for played in play_series(series(*bots, games=3), InProcessLauncher()):
        tallies.add(played)
    document = tallies.bots[1].document()
    assert document["mean_rank"]["mean"] == document["mean_rank"]["high"] == 3
    assert document["mean_rank"]["low"] < 2
    assert document["win_share"]["high"] > 0.5
    forfeited = tallies.bots[1].scores["money"] = [0, 0, 0]
    assert tallies.bots[1].document()["scores"]["money"] == {"mean": sum(forfeited), "low": None, "high": None}
