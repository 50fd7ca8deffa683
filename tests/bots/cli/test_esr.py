"""The command line as a whole: help, errors and exit statuses that every command shares."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bots.cli.esr import COMMANDS
from bots.cli.frame import MACHINE, USAGE
from bots.sandbox.interpreter import bots_interpreter
from games.registry import GAMES
from tests.bots.cli.bots import Esr, bot

ROOT = Path(__file__).parents[3]
WRONG = {
    "rules": ["chess"],
    "new-bot": ["{tmp}/new", "--game", "chess"],
    "check": ["{tmp}/nothing"],
    "play": ["edel-stein-reich", "house:random"],
    "replay-decision": ["{tmp}/nothing", "3", "{tmp}"],
}


def test_help_lists_every_command_and_every_exit_status(esr: Esr) -> None:
    run = esr("--help")
    assert run.status == 0
    assert all(f"    {command.name} " in run.out or f"    {command.name}\n" in run.out for command in COMMANDS)
    assert all(f"{status} " in run.out for status in (0, 1, 2, 3, 130))


@pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])
def test_every_command_explains_itself(esr: Esr, command: object) -> None:
    name = command.name  # type: ignore[attr-defined]
    run = esr(name, "--help")
    assert run.status == 0
    assert "--json" in run.out
    assert len(run.out.splitlines()) > 8


@pytest.mark.parametrize("words", [[], ["dance"], ["play"], ["rules", "x", "y"]])
def test_arguments_that_cannot_be_parsed_are_a_usage_error(esr: Esr, words: list[str]) -> None:
    run = esr(*words)
    assert (run.status, run.out) == (USAGE, "")
    assert run.err.startswith("usage: esr")


@pytest.mark.parametrize("name", WRONG)
def test_an_error_is_one_line_on_stderr(esr: Esr, name: str, tmp_path: Path) -> None:
    run = esr(name, *(word.replace("{tmp}", str(tmp_path)) for word in WRONG[name]))
    assert (run.status, run.out) == (USAGE, "")
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize("name", WRONG)
def test_with_json_an_error_is_a_json_document(esr: Esr, name: str, tmp_path: Path) -> None:
    run = esr(name, *(word.replace("{tmp}", str(tmp_path)) for word in WRONG[name]), "--json")
    assert (run.status, run.err) == (USAGE, "")
    assert run.document.keys() == {"ok", "error"}
    assert run.document["ok"] is False


def test_a_machine_that_fails_is_not_the_bots_fault(esr: Esr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESR_BOT_PYTHON", str(tmp_path / "no-python"))
    bots_interpreter.cache_clear()
    try:
        run = esr("check", bot(tmp_path))
    finally:
        bots_interpreter.cache_clear()
    assert run.status == MACHINE
    assert "ESR_BOT_PYTHON" in run.err


def test_games_are_listed_with_their_house_bots(esr: Esr) -> None:
    run = esr("games")
    assert all(slug in run.out for slug in GAMES)
    listed = {game["game"]: game for game in esr("games", "--json").document["games"]}
    assert listed.keys() == GAMES.keys()
    assert "house:greedy" in listed["edel-stein-reich"]["house_bots"]
    assert listed["edel-stein-reich"]["seats"] == [3, 4, 5]


@pytest.mark.parametrize("slug", GAMES)
def test_rules_are_text_without_symbols(esr: Esr, slug: str) -> None:
    run = esr("rules", slug)
    assert run.out.startswith(f"# {GAMES[slug].name}\n")
    assert "{" not in run.out
    assert esr("rules", slug, "--json").document["guide"] in run.out


def test_the_module_is_the_command_and_tolerates_a_closed_pipe(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "bots.cli", "rules", "edel-stein-reich"]
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read(10) == b"# Edel, St"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(180) == 0
