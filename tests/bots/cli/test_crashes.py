"""Bots that exit, are killed or leave a child with their stdout: every command reports the same end."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.cli.frame import FOUND
from bots.cli.programs import find_played, launcher_for
from bots.cli.site import ProcessPlayer
from bots.client import NoAnswer
from bots.runner.bot_log import decided_plies
from games.record import to_json
from tests.bots.cli.bots import Esr, bot
from tests.bots.client.site import duel
from tests.bots.runner.fakes import default, play
from tests.services.leftovers import nothing_is_left

pytestmark = pytest.mark.slow

LIMITS = "startup_ms=60000,move_ms=60000,game_ms=600000"
OS = "import os, signal, subprocess, time; "
PARTIAL = "sys.stdout.write('{\"id\": '); sys.stdout.flush(); "
CHILD = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=subprocess.DEVNULL); "
CRASHES = {
    "sys.exit(3)": "the process exited with code 3",
    "os._exit(0)": "the process exited with code 0",
    "1 / 0": "the process exited with code 1",
    PARTIAL + "os._exit(3)": "the process exited with code 3 in the middle of a line",
    PARTIAL + "os.kill(os.getpid(), signal.SIGKILL)": "the process was killed by SIGKILL in the middle of a line",
    CHILD + "os._exit(3)": "the process exited with code 3",
    PARTIAL + CHILD + "os._exit(3)": "the process exited with code 3 in the middle of a line",
    "os.close(1); time.sleep(600)": "the process closed its stdout but did not exit",
}


def crashing(where: Path, crash: str) -> Path:
    """A bot that crashes at its second decision."""
    return bot(where, f"if message['id'] == 2: {OS}{crash}")


@pytest.mark.parametrize(("crash", "end"), CRASHES.items())
def test_play_and_validation_report_the_end_of_a_process(crash: str, end: str, tmp_path: Path, esr: Esr) -> None:
    folder = crashing(tmp_path, crash)
    with nothing_is_left():
        run = esr("play", "edel-stein-reich-duel", folder, folder, "--json", "--limits", LIMITS)
        (game,) = run.document["games"]
        checked = esr("check", folder, "--json", "--limits", LIMITS)
    assert {forfeit["evidence"].partition(";")[0] for forfeit in game["forfeits"]} == {end}
    assert len(game["forfeits"]) == 2
    (result,) = checked.document["formats"]
    assert [(problem["reason"], problem["decision"]) for problem in result["problems"]] == [("exit", 2)]
    assert {problem["detail"].partition(";")[0] for problem in result["problems"]} == {end}


def test_a_crash_names_the_file_of_its_owner_and_is_reported_the_same_at_every_seat(tmp_path: Path, esr: Esr) -> None:
    folder = crashing(tmp_path, "1 / 0")
    seats, logs = [folder / "bot.py"] * 3, tmp_path / "logs"
    run = esr("play", "edel-stein-reich", *seats, "--json", "--limits", LIMITS, "--logs", logs)
    (game,) = run.document["games"]
    assert len(game["forfeits"]) == 3
    assert len({(forfeit["reason"], forfeit["evidence"]) for forfeit in game["forfeits"]}) == 1
    written = list(logs.glob("*.log.json"))
    assert len(written) == 3
    for log in written:
        assert f'"{folder / "bot.py"}", line' in json.loads(log.read_text())["stderr_tail"]
    checked = esr("check", folder, "--json", "--limits", LIMITS)
    ((problem,),) = [result["problems"] for result in checked.document["formats"]]
    assert f'"{folder / "bot.py"}", line' in problem["stderr_tail"]


@pytest.fixture
def decision(tmp_path: Path) -> tuple[Path, int]:
    """A record and the ply of the third decision of seat 0."""
    record = play(default, default).record
    path = tmp_path / "record.json"
    path.write_text(to_json(record) + "\n")
    return path, decided_plies(record, 0)[2]


@pytest.mark.parametrize(("crash", "end"), CRASHES.items())
def test_replay_decision_reports_the_end_of_a_process(
    crash: str, end: str, decision: tuple[Path, int], tmp_path: Path, esr: Esr
) -> None:
    with nothing_is_left():
        run = esr("replay-decision", *decision, crashing(tmp_path, crash), "--json")
    assert run.status == FOUND
    first, last = run.document["answers"]
    assert first["fault"] is None or first["fault"].startswith("illegal")
    assert (last["id"], last["fault"], last["line"]) == (2, f"no answer: {end}.", "")


def test_replay_decision_reports_an_end_before_ready(decision: tuple[Path, int], tmp_path: Path, esr: Esr) -> None:
    folder = bot(tmp_path)
    (folder / "bot.py").write_text(f"import sys; {OS}{PARTIAL}{CHILD}sys.exit(4)")
    run = esr("replay-decision", *decision, folder, "--json")
    (answer,) = run.document["answers"]
    assert answer["fault"] == "no answer: the process exited with code 4 in the middle of a line."


@pytest.mark.parametrize(("crash", "end"), CRASHES.items())
def test_a_remote_bot_reports_the_end_of_its_process(crash: str, end: str, tmp_path: Path) -> None:
    command = f"{sys.executable} {bot(tmp_path, OS + crash) / 'bot.py'}"
    played = find_played(command, "edel-stein-reich-duel", 2, launcher_for(sandbox=False))
    start: Any = duel().start(resumed=False)
    question: Any = duel().open(whole=True)["message"]
    clock = {"move_ms": 60_000, "bank_ms": 0, "game_ms": 600_000}
    with nothing_is_left():
        seat = ProcessPlayer(played.start, start, lambda line: None)
        with pytest.raises(NoAnswer) as failure:
            seat.decide({**question, "id": 1, "clock": clock})
        seat.end(None)
    assert failure.value.reason == "exit"
    assert str(failure.value).partition(";")[0].endswith(end[1:])


def test_a_remote_bot_that_exits_before_ready_is_reported_with_its_end(tmp_path: Path) -> None:
    folder = bot(tmp_path)
    (folder / "bot.py").write_text(f"import sys; {OS}{CHILD}sys.exit(4)")
    played = find_played(str(folder), "edel-stein-reich-duel", 2, launcher_for(sandbox=False))
    start: Any = duel().start(resumed=False)
    with nothing_is_left(), pytest.raises(NoAnswer) as failure:
        ProcessPlayer(played.start, start, lambda line: None)
    assert failure.value.reason == "not_ready"
    assert "exited with code 4" in str(failure.value)
