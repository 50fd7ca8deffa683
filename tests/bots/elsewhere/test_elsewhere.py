"""On Windows and macOS, as far as that can be tested here: with the calls hidden that are missing there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.house.catalogue import HOUSE
from games.registry import GAMES
from tests.bots.elsewhere.hidden_calls import PROFILES
from tests.bots.sandbox.programs import HONEST, folder_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
CRLF = "import sys, games.sampling; sys.stdout.reconfigure(newline='\\r\\n')\n" + HONEST
"""A bot that imports the library and whose lines end as they do on Windows."""


@pytest.fixture(scope="module", params=PROFILES)
def report(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the program ``playing`` says, under each profile."""
    with folder_of({"bot.py": CRLF}) as folder:
        words = [sys.executable, "-m", "tests.bots.elsewhere.matches", request.param, str(folder)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return {"profile": request.param, **json.loads(done.stdout)}


def test_every_module_of_the_library_can_be_imported(report: dict[str, Any]) -> None:
    modules = {"games.registry", "bots.runner.channel", "bots.sandbox.sandbox_launcher", "bots.series"}
    assert modules <= {*report["modules"]}
    assert report["house"] == list(HOUSE)


def test_threads_read_the_pipes_only_where_nothing_polls_them(report: dict[str, Any]) -> None:
    assert report["channel"] == {"windows": "ThreadedChannel", "macos": "PolledChannel"}[report["profile"]]


def test_house_bots_and_a_bot_of_ones_own_play_every_game_to_its_end_and_it_verifies(report: dict[str, Any]) -> None:
    assert [(game["game"], game["seats"]) for game in report["games"]] == [
        (game.slug, seats) for game in GAMES.values() for seats in game.seat_counts
    ]
    assert all(game["verified"] and game["faults"] == [] for game in report["games"])
    assert all(set(game["exits"]) == {0} for game in report["games"])


def test_wall_time_is_measured_and_processor_time_is_unknown(report: dict[str, Any]) -> None:
    assert all(game["timed"] and set(game["cpu"]) == {None} for game in report["games"])


def test_no_thread_is_left_behind(report: dict[str, Any]) -> None:
    assert report["threads"] == 1


def test_asking_for_the_sandbox_says_that_it_is_on_linux_only(report: dict[str, Any]) -> None:
    answers = report["sandbox"]
    assert answers["asked"].startswith("PlatformFailure: the sandbox requires Linux; this system lacks ")
    assert "resource.prlimit" in answers["asked"]
    ok, problem, remedy = answers["self_test"]
    assert not ok
    assert "requires Linux" in problem
    assert remedy == "Run the workers on Linux on x86-64."
    assert answers["ladder"] == "HouseOnlyLauncher"


def test_the_plain_launcher_warns_that_bots_run_without_a_sandbox(report: dict[str, Any]) -> None:
    assert "without a sandbox" in report["sandbox"]["caution"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_first_bot_is_written_checked_and_played_there_and_its_records_verify(profile: str, tmp_path: Path) -> None:
    def esr(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.bots.elsewhere.commands", profile, *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)

    bot, records = str(tmp_path / "mybot"), str(tmp_path / "games.jsonl")
    table = ("edel-stein-reich", bot, "house:greedy", "house:random")
    steps = [
        esr("new-bot", bot, "--game", "edel-stein-reich"),
        esr("check", bot),
        esr("play", *table, "--games", "2", "--record", records),
        esr("verify", records),
    ]
    assert [(step.returncode, step.stderr) for step in steps if step.returncode] == []
    assert "without a sandbox" in steps[2].stdout + steps[2].stderr
    unchecked = json.loads(esr("check", bot, "--json").stdout)["unchecked"]
    assert unchecked == ["memory", "threads", "lag", "sandbox"]
    refused = esr("play", *table, "--sandbox")
    assert refused.returncode == 2
    assert "requires Linux" in refused.stderr
