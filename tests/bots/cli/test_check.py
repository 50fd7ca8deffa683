"""``esr check``: what a bot does wrong at the tables it claims, and where."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from bots.archives import zip_of
from bots.cli.frame import FOUND, USAGE
from bots.cli.play_commands import check_lines
from bots.manifest import Manifest
from bots.protocol import Limits
from bots.runner import FakeProgram, Thought
from bots.runner.report import MachineDelay
from bots.sandbox import InProcessLauncher
from bots.validation import MOST_TRIES, Check, FormatCheck, check
from games.registry import GAMES
from games.rules import Document
from tests.bots.cli.bots import DUEL, Esr, bot
from tests.bots.runner.fakes import at, default


def test_a_bot_that_says_nothing_of_itself_is_tried_at_every_table() -> None:
    report = check(Manifest("fake"), FakeProgram(default), InProcessLauncher())
    assert report.ok
    everything = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]
    assert [(result.game, result.seats) for result in report.formats] == everything
    assert all(result.decisions_us and result.ready_us is not None for result in report.formats)


def test_a_correct_bot_passes_and_the_missing_sandbox_is_reported(esr: Esr, tmp_path: Path) -> None:
    run = esr("check", bot(tmp_path))
    assert run.status == 0
    assert "mine passed in 1 format." in run.out
    assert "--sandbox" in run.out


WRONG = {
    "move = 'nonsense'": "illegal",
    "print('hm', flush=True)": "malformed",
    "print('x' * 70000, flush=True)": "too_long",
    "message['id'] += 7": "wrong_id",
    "sys.exit('enough')": "exit",
}


@pytest.mark.parametrize("change", WRONG)
def test_a_fault_is_reported_with_its_question_and_answer(esr: Esr, tmp_path: Path, change: str) -> None:
    run = esr("check", bot(tmp_path, f"if message['id'] == 3: {change}"), "--json")
    assert run.status == FOUND
    (result,) = run.document["formats"]
    problem = result["problems"][0]
    assert (problem["reason"], problem["decision"], problem["question"]["id"]) == (WRONG[change], 3, 3)
    assert problem["question"]["type"] == "decide"
    assert problem["ply"] is not None
    if WRONG[change] in ("illegal", "malformed"):
        assert problem["answer"]


def test_a_person_sees_what_was_asked_answered_and_complained(esr: Esr, tmp_path: Path) -> None:
    change = "print('\\x1b[2Jsee', file=sys.stderr); move = 'nonsense'"
    run = esr("check", bot(tmp_path, change), "--logs", tmp_path / "logs")
    assert run.status == FOUND
    assert re.search("seat [01], decision 1: illegal: ", run.out)
    assert 'decision: {"kind": "action"' in run.out
    assert "answer: " in run.out and "nonsense" in run.out
    assert "stderr: \\x1b[2Jsee" in run.out
    assert ": esr replay-decision " in run.out
    assert (tmp_path / "logs" / "edel-stein-reich-duel-2-game0.record.json").is_file()


def test_a_bot_that_does_not_start_is_tried_once(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path, manifest="[games]\nedel-stein-reich = [3, 4]\nedel-stein-reich-duel = [2]\n")
    (folder / "bot.py").write_text("import no_such_module\n")
    run = esr("check", folder, "--json")
    assert run.status == FOUND
    assert [result["seats"] for result in run.document["formats"]] == [3]
    assert [result["game"] for result in run.document["untried"]] == ["edel-stein-reich", "edel-stein-reich-duel"]
    problem = run.document["formats"][0]["problems"][0]
    assert (problem["reason"], problem["decision"], problem["question"]["type"]) == ("exit", None, "hello")
    assert "no_such_module" in problem["stderr_tail"]
    person = esr("check", folder).out
    assert "seat 0 did not start: exit" in person
    assert "edel-stein-reich, 4 seats: skipped" in person


def test_a_check_ends_at_the_first_problem_of_a_bot() -> None:
    report = check(Manifest("fake"), FakeProgram(at(2, "no such move")), InProcessLauncher())
    assert report.ok is False
    (result,) = report.formats
    assert [(problem.reason, problem.decision) for problem in result.problems] == [("illegal", 2)]
    assert len(report.untried) == sum(len(game.seat_counts) for game in GAMES.values()) - 1


LIMITS = Limits(startup_ms=200)


def late_starts(number: int) -> FakeProgram:
    """A bot whose first starts are late, all because of the machine."""
    late = iter(range(number))

    def play(message: Document) -> Any:
        if message["type"] == "hello" and next(late, None) is not None:
            Event().wait(1.2 * LIMITS.startup_ms / 1000)
        return default(message)

    return FakeProgram(play, run_delay_ns=lambda: 10**12)


def test_an_attempt_that_this_machine_has_made_late_is_repeated() -> None:
    report = check(Manifest("fake", games=DUELS), late_starts(1), InProcessLauncher(), LIMITS)
    assert report.ok is True
    assert [result.tries for result in report.formats] == [2]


def test_a_machine_that_is_always_too_busy_gives_no_verdict() -> None:
    report = check(Manifest("fake", games=DUELS), late_starts(MOST_TRIES), InProcessLauncher(), LIMITS)
    assert (report.ok, report.document()["ok"]) == (None, None)
    (result,) = report.formats
    assert (result.ok, result.tries, result.problems) == (None, MOST_TRIES, ())
    assert result.document()["delays"][0]["allowed_us"] == 200_000


DUELS = {"edel-stein-reich-duel": (2,)}
START = Thought(0, 100_000, 50_000, 0)


def with_times(start: Thought, *decisions: Thought) -> FormatCheck:
    """The check of one format in which the bot at seat 1 took these times."""
    played = Check(Manifest("fake", games=DUELS), FakeProgram(default), InProcessLauncher())
    result = played.attempt("edel-stein-reich-duel", 2)
    first, second = (replace(seat, start=START, decisions=()) for seat in result.played.report.seats)
    seats = (first, replace(second, start=start, decisions=decisions))
    return replace(result, played=replace(result.played, report=replace(result.played.report, seats=seats)))


@pytest.mark.parametrize(
    ("start", "decisions", "near"),
    [
        (2_000_000, [900_000] * 10, {}),
        (2_200_000, [], {"startup_ms": 0.733}),
        (1_000, [8_000_000], {"move_ms": 0.727}),
        (1_000, [1_900_000] * 8, {"bank_ms": 0.72}),
        (1_000, [950_000] * 45, {"game_ms": 0.713}),
        (4_000_000, [20_000_000], {}),
    ],
)
def test_a_bot_that_needs_much_of_a_limit_but_not_all_of_it_gets_a_warning(
    start: int, decisions: list[int], near: dict[str, float]
) -> None:
    thoughts = [Thought(number, wall_us, None, 0) for number, wall_us in enumerate(decisions, 1)]
    result = with_times(Thought(0, start, None, 0), *thoughts)
    assert {limit: result.document()["shares"][limit] for limit in result.near} == near
    assert result.document()["warnings"] == result.near


def test_a_warning_is_about_the_bot_and_not_about_the_lag_of_the_machine() -> None:
    lagging = with_times(Thought(0, 2_900_000, None, 1_000_000), Thought(1, 9_000_000, None, 6_000_000))
    assert (lagging.near, lagging.lag_us) == ([], 7_000_000)


def test_a_check_prints_the_start_time_and_warnings(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    run = esr("check", folder, "--json")
    (result,) = run.document["formats"]
    assert result["ready_us"] > 0
    assert result["shares"].keys() == {"startup_ms", "move_ms", "bank_ms", "game_ms"}
    assert re.search(r"start \d+\.\d ms", esr("check", folder).out)
    slow = with_times(Thought(0, 2_400_000, None, 0))
    assert any("80% of startup_ms" in line for line in check_lines(slow, None, []))


@pytest.mark.parametrize(("lag_us", "explained"), [(1_500_000, True), (300, False)])
def test_a_missing_verdict_states_what_the_measured_lag_does_not_explain(lag_us: int, explained: bool) -> None:
    result = with_times(Thought(0, 1_000, None, 0))
    delay = MachineDelay(0, 1, 12_000_500, 11_000_000, lag_us)
    report = replace(result.played.report, machine_delays=(delay,))
    first, *more = check_lines(replace(result, played=replace(result.played, report=report)), None, [])
    assert f"{lag_us / 1000:.1f} ms" in first
    assert [("1000.2 ms" in line, "1/5" in line) for line in more] == ([] if explained else [(True, True)])


def test_the_game_of_a_check_can_be_played_again(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    esr("check", folder, "--logs", tmp_path / "logs")
    esr("play", "edel-stein-reich-duel", folder, folder, "--seed", "check", "--record", tmp_path / "again.jsonl")
    kept = json.loads((tmp_path / "logs" / "edel-stein-reich-duel-2-game0.record.json").read_text())
    assert json.loads((tmp_path / "again.jsonl").read_text()) == kept


@pytest.mark.parametrize(
    ("manifest", "says"),
    [("[games]\nchess = [2]", "chess"), ("name = ", "TOML"), (f'command = ["main.py"]\n{DUEL}', "main.py")],
)
def test_a_manifest_that_cannot_be_used_is_explained(esr: Esr, tmp_path: Path, manifest: str, says: str) -> None:
    run = esr("check", bot(tmp_path, manifest=manifest))
    assert run.status == USAGE
    assert says in run.err


@pytest.mark.parametrize(
    ("change", "reason", "word"),
    [
        ("print('debug')", "malformed", "stderr"),
        ("print(5)", "malformed", "stderr"),
        ("__import__('time').sleep(60)", "late", "bank"),
    ],
)
def test_the_message_of_a_common_mistake_names_its_remedy(
    esr: Esr, tmp_path: Path, change: str, reason: str, word: str
) -> None:
    run = esr("check", bot(tmp_path, change), "--json", "--limits", "startup_ms=60000,move_ms=300,bank_ms=0")
    ((problem,),) = [result["problems"] for result in run.document["formats"]]
    assert problem["reason"] == reason
    assert word in problem["detail"]


def test_a_bot_is_read_before_it_plays_as_the_site_would_read_it(esr: Esr, tmp_path: Path) -> None:
    large, utf16, lost = (bot(tmp_path, name=name) for name in ("large", "utf16", "lost"))
    (large / "weights.bin").write_bytes(bytes(9 << 20))
    (utf16 / "bot.py").write_text("pass", encoding="utf-16")
    (lost / "bot.py").rename(lost / "main.py")
    for folder, file in ((large, "weights.bin is 9 MiB"), (utf16, "bot.py is UTF-16"), (lost, "bot.py")):
        run = esr("check", folder)
        assert (run.status, run.out) == (USAGE, "")
        assert file in run.err


def test_an_archive_and_a_file_are_checked_as_they_are_uploaded(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    (folder / ".env").write_text("KEY=1")
    (tmp_path / "mine.zip").write_bytes(zip_of({f"mine/{path.name}": path.read_bytes() for path in folder.iterdir()}))
    for path in (folder, tmp_path / "mine.zip"):
        run = esr("check", path, "--json")
        assert run.status == 0
        assert [notice["code"] for notice in run.document["notices"]] == ["hidden_files"]
    (tmp_path / "alone.py").write_text("raise SystemExit")
    assert esr("check", tmp_path / "alone.py").status == FOUND


def test_a_bot_with_its_own_packages_has_no_size_limit(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    (folder / "weights.bin").write_bytes(bytes(9 << 20))
    assert esr("check", folder, "--python", sys.executable).status == 0


def test_a_bot_toml_may_begin_with_a_byte_order_mark(esr: Esr, tmp_path: Path) -> None:
    assert esr("check", bot(tmp_path, manifest="\ufeff" + DUEL)).status == 0


def test_the_only_folder_in_a_folder_is_checked_as_the_site_reads_it(esr: Esr, tmp_path: Path) -> None:
    (tmp_path / "around").mkdir()
    folder = bot(tmp_path / "around")
    assert esr("check", folder.parent).status == 0
    assert esr("play", "edel-stein-reich-duel", folder.parent, "house:random").status == 0


def test_logs_in_the_bot_folder_are_reported_because_they_would_be_uploaded(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    inside = esr("check", folder, "--logs", folder / "logs", "--json")
    assert [notice["code"] for notice in inside.document["notices"]] == ["logs_inside"]
    assert esr("check", folder, "--logs", tmp_path / "logs", "--json").document["notices"] == []


def test_a_missing_file_to_start_is_to_be_added_and_tests_are_not_proposed(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    (folder / "bot.py").rename(folder / "test_bot.py")
    run = esr("check", folder)
    assert run.status == USAGE
    assert "Add it" in run.err
    assert "test_bot.py" not in run.err
