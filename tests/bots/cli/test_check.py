"""``esr check``: what a bot does wrong at the tables it claims, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.cli.frame import FOUND, USAGE
from bots.manifest import Manifest
from bots.runner import FakeProgram
from bots.sandbox import InProcessLauncher
from bots.validation import check
from games.registry import GAMES
from tests.bots.cli.bots import DUEL, Esr, bot
from tests.bots.runner.fakes import default


def test_a_bot_that_says_nothing_of_itself_is_tried_at_every_table() -> None:
    report = check(Manifest("fake"), FakeProgram(default), InProcessLauncher())
    assert report.ok
    everything = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]
    assert [(table.game, table.seats) for table in report.tables] == everything
    assert all(table.decisions_us and table.ready_us is not None for table in report.tables)


def test_a_bot_that_does_nothing_wrong_passes_and_the_lack_of_a_sandbox_is_told(esr: Esr, tmp_path: Path) -> None:
    said = esr("check", bot(tmp_path))
    assert said.status == 0
    assert "mine passed in 1 format." in said.out
    assert "--sandbox" in said.out


WRONG = {
    "move = 'nonsense'": "illegal",
    "print('hm', flush=True)": "malformed",
    "print('x' * 70000, flush=True)": "too_long",
    "message['id'] += 7": "wrong_id",
    "sys.exit('enough')": "exit",
}


@pytest.mark.parametrize("change", WRONG)
def test_what_goes_wrong_is_told_with_the_question_and_the_answer(esr: Esr, tmp_path: Path, change: str) -> None:
    said = esr("check", bot(tmp_path, f"if message['id'] == 3: {change}"), "--json")
    assert said.status == FOUND
    (table,) = said.document["tables"]
    problem = table["problems"][0]
    assert (problem["reason"], problem["decision"], problem["question"]["id"]) == (WRONG[change], 3, 3)
    assert problem["question"]["type"] == "decide"
    assert problem["ply"] is not None
    if WRONG[change] in ("illegal", "malformed"):
        assert problem["answer"]


def test_a_person_sees_what_was_asked_answered_and_complained(esr: Esr, tmp_path: Path) -> None:
    change = "print('\\x1b[2Jsee', file=sys.stderr); move = 'nonsense'"
    said = esr("check", bot(tmp_path, change), "--logs", tmp_path / "logs")
    assert said.status == FOUND
    assert "seat 0, decision 1: illegal: " in said.out
    assert 'decision: {"kind": "action"' in said.out
    assert "answer: " in said.out and "nonsense" in said.out
    assert "stderr: \\x1b[2Jsee" in said.out
    assert ": esr replay-decision " in said.out
    assert (tmp_path / "logs" / "edel-stein-reich-duel-2-game0.record.json").is_file()


def test_a_bot_that_does_not_start_is_tried_once(esr: Esr, tmp_path: Path) -> None:
    folder = bot(tmp_path, manifest="[games]\nedel-stein-reich = [3, 4]\nedel-stein-reich-duel = [2]\n")
    (folder / "bot.py").write_text("import no_such_module\n")
    said = esr("check", folder, "--json")
    assert said.status == FOUND
    assert [table["seats"] for table in said.document["tables"]] == [3]
    assert [table["game"] for table in said.document["untried"]] == ["edel-stein-reich", "edel-stein-reich-duel"]
    problem = said.document["tables"][0]["problems"][0]
    assert (problem["reason"], problem["decision"], problem["question"]["type"]) == ("exit", None, "hello")
    assert "no_such_module" in problem["stderr_tail"]
    person = esr("check", folder).out
    assert "seat 0 did not start: exit" in person
    assert "edel-stein-reich, 4 seats: skipped" in person


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
    said = esr("check", bot(tmp_path, manifest=manifest))
    assert said.status == USAGE
    assert says in said.err
