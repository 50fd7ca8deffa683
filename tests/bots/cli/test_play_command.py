"""``esr play`` with real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bots.cli.frame import INTERRUPTED, MACHINE, USAGE
from bots.cli.records import check_file
from bots.sandbox import self_test
from bots.series import game_seed
from games.record import from_json, to_json
from tests.bots.cli.bots import Esr, bot

ROOT = Path(__file__).parents[3]
THREE = ("house:greedy", "house:random", "house:greedy")


def test_records_are_written_one_a_line_and_verify(tmp_path: Path, esr: Esr) -> None:
    path = tmp_path / "games.jsonl"
    output = esr("play", "edel-stein-reich", *THREE, "--seed", 7, "--games", 2, "--record", path).out
    records = [from_json(line) for line in path.read_text().splitlines()]
    assert [record["seed"] for record in records] == [game_seed("7", number).hex() for number in range(2)]
    assert [checked.fault for checked in check_file(path)] == [None, None]
    assert all(word in output for word in ("edel-stein-reich, seed 7", "greedy#2", "Mean rank"))


def test_the_same_seed_gives_the_same_games(tmp_path: Path, esr: Esr) -> None:
    for name in ("one", "two"):
        table = ("edel-stein-reich-duel", "house:kontor", "house:haggler")
        assert esr("play", *table, "--seed", "again", "--record", tmp_path / name).status == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_seed_of_new_games_is_printed(esr: Esr) -> None:
    output = esr("play", "edel-stein-reich-duel", "house:random", "house:random").out
    assert "edel-stein-reich-duel, seed " in output


def test_a_bot_of_ones_own_that_crashes_is_shown_with_its_stderr(tmp_path: Path, esr: Esr) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text("import sys\nsys.exit('no idea')\n")
    output = esr("play", "edel-stein-reich-duel", "house:random", folder, "--seed", 1).out
    assert "game 0, seat 1, mine: forfeit: " in output
    assert "game 0, seat 1, mine: stderr: no idea" in output


def test_limits_are_given_to_the_bots(tmp_path: Path, esr: Esr) -> None:
    folder = bot(tmp_path, "import time; time.sleep(10)")
    words = ("play", "edel-stein-reich-duel", "house:random", folder, "--seed", 1, "--limits", "move_ms=20,bank_ms=0")
    assert "strike at decision 1: late" in esr(*words).out


def test_ctrl_c_leaves_the_table_and_the_records_so_far(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    command = [
        sys.executable,
        "-m",
        "bots.cli",
        "play",
        "edel-stein-reich",
        *THREE,
        "--games",
        "100000",
        "--record",
        path,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        deadline = time.monotonic() + 180
        while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=180)
    assert process.returncode == INTERRUPTED
    assert "Mean rank" in output
    assert not [checked.fault for checked in check_file(path) if checked.fault]


def test_every_seat_can_be_put_in_the_sandbox(esr: Esr) -> None:
    if not self_test().ok:
        pytest.skip(self_test().problem)
    assert "greedy#2" in esr("play", "edel-stein-reich", *THREE, "--seed", 7, "--sandbox").out


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("chess", *THREE), "'chess'"),
        (("edel-stein-reich", *THREE[:2]), "3, 4 or 5"),
        (("edel-stein-reich", *THREE[:2], "house:nobody"), "'nobody'"),
        (("edel-stein-reich", *THREE, "--games", 0), "1"),
        (("edel-stein-reich", *THREE, "--seed", "sieben ♦"), "ASCII"),
        (("edel-stein-reich", *THREE, "--limits", "move_ms=fast"), "move_ms"),
        (("edel-stein-reich", *THREE, "--record", "/no/such/folder/file"), "/no/such/folder/file"),
    ],
)
def test_wrong_usage_is_an_error_that_names_the_value(words: tuple[object, ...], names: str, esr: Esr) -> None:
    run = esr("play", *words)
    assert run.status == USAGE
    assert names in run.err


def test_games_at_once_are_the_games_one_after_another(tmp_path: Path, esr: Esr) -> None:
    words = ("play", "edel-stein-reich", *THREE, "--games", 5, "--seed", 7, "--rotate", "--record")
    assert esr(*words, tmp_path / "one").status == 0
    assert esr(*words, tmp_path / "two", "--parallel", 2).status == 0
    assert esr(*words, tmp_path / "all", "--parallel").status == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() == (tmp_path / "all").read_bytes()


def test_faults_of_parallel_games_are_reported(tmp_path: Path, esr: Esr) -> None:
    folder = bot(tmp_path, "if message['id'] == 2: move = 'nonsense'")
    run = esr("play", "edel-stein-reich-duel", folder, "house:random", "--games", 3, "--parallel", 2)
    assert [f"game {number}, seat 0, mine: strike at decision 2: illegal" in run.out for number in range(3)] == [
        True
    ] * 3


def test_a_machine_that_fails_ends_games_at_once_as_well(
    tmp_path: Path, esr: Esr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESR_BOT_PYTHON", str(tmp_path / "no-python"))
    run = esr("play", "edel-stein-reich", *THREE, "--games", 4, "--parallel", 2, "--json")
    assert run.status == MACHINE
    assert "ESR_BOT_PYTHON" in run.document["error"]


def test_a_machine_gets_games_and_table_in_one_document(tmp_path: Path, esr: Esr) -> None:
    folder = bot(tmp_path, "if message['id'] == 2: move = 'nonsense'")
    run = esr("play", "edel-stein-reich-duel", folder, "house:random", "--games", 2, "--seed", 7, "--rotate", "--json")
    assert run.status == 0
    first, second = run.document["games"]
    assert (first["bots"], second["bots"]) == (["mine", "random"], ["random", "mine"])
    assert [[strike["reason"] for strike in seat] for seat in second["strikes"]] == [[], ["illegal"]]
    assert first["seed"] == game_seed("7", 0).hex()
    rows = {row["bot"]: row for row in run.document["table"]}
    assert (rows["mine"]["games"], rows["mine"]["strikes"], rows["random"]["strikes"]) == (2, 2, 0)


def test_logs_are_written_next_to_the_records(tmp_path: Path, esr: Esr) -> None:
    words = ("play", "edel-stein-reich", *THREE, "--seed", 7, "--games", 2, "--parallel", 2)
    esr(*words, "--logs", tmp_path / "new" / "logs", "--record", tmp_path / "games.jsonl")
    names = [f"edel-stein-reich-3-game{number}" for number in range(2)]
    expected = [
        f"{name}.{part}.json" for name in names for part in ("record", *(f"seat{seat}.log" for seat in range(3)))
    ]
    assert sorted(path.name for path in (tmp_path / "new" / "logs").iterdir()) == sorted(expected)
    kept = [from_json((tmp_path / "new" / "logs" / f"{name}.record.json").read_bytes()) for name in names]
    assert [to_json(record) for record in kept] == (tmp_path / "games.jsonl").read_text().splitlines()


def test_house_bots_alone_need_no_warning(esr: Esr) -> None:
    assert "sandbox" not in esr("play", "edel-stein-reich", *THREE).out
