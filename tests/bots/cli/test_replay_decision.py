"""``esr replay-decision``: the documents of a game once more, and a debugger that has the terminal."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from bots.cli.frame import FOUND, USAGE, UsageError
from bots.cli.records import rebuild
from bots.runner import FakeProgram, Limits, SeatSpec
from bots.runner.bot_log import decided_plies, owner_logs
from bots.sandbox import InProcessLauncher
from bots.series import Series, SeriesGame, play_game
from games.record import from_json, to_json
from games.registry import GAMES
from games.rules import Document
from tests.bots.cli.bots import Esr, Said, bot
from tests.bots.elsewhere.hidden_calls import PROFILES

ROOT = Path(__file__).parents[3]
RECORDS = ROOT / "tests" / "games" / "records"
LIMITS = Limits(startup_ms=2000, move_ms=700, bank_ms=300)
TABLES = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]


def careless(message: Document) -> Any:
    """Plays defaults or the last legal move; answers wrongly twice."""
    if message["type"] != "decide":
        return None
    if message["id"] in (4, 6):
        return "nonsense"
    legal = message["decision"]["legal"]
    return legal[-1] if legal and message["id"] % 2 else message["decision"]["default"]


def leaving(message: Document) -> Any:
    if message["type"] == "decide" and message["id"] == 5:
        raise SystemExit(3)
    return careless(message)


def played(game: str, seats: int, first: Any = careless) -> SeriesGame:
    """One game of fakes, with everything that was said."""
    bots = tuple(SeatSpec(f"fake{seat}", FakeProgram(first if seat == 0 else careless)) for seat in range(seats))
    return play_game(Series(game, bots, "replaying", 1, LIMITS), 0, InProcessLauncher(), keep=True)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_with_the_owners_log_every_message_is_the_one_that_was_sent(game: str, seats: int) -> None:
    whole = played(game, seats)
    assert whole.transcript is not None
    for seat, log in enumerate(owner_logs(whole.report, whole.transcript)):
        transcript = whole.transcript.seats[seat]
        replay = rebuild(whole.report.record, log["decisions"][-1]["ply"], log)
        sent = [
            orjson.loads(transcript.hellos[0]),
            *(orjson.loads(exchange.question) for exchange in transcript.exchanges),
        ]
        assert replay.messages == sent
        assert len(replay.questions) == len(log["decisions"])


def test_without_a_log_only_the_hello_and_the_clocks_differ() -> None:
    whole = played("edel-stein-reich", 4)
    assert whole.transcript is not None
    log = owner_logs(whole.report, whole.transcript)[2]
    ply = log["decisions"][-1]["ply"]
    with_log, without = (rebuild(whole.report.record, ply, given) for given in (log, None))
    for question, other in zip(with_log.questions, without.questions, strict=True):
        assert {**question.message, "clock": None} == {**other.message, "clock": None}
    assert without.hello["limits"] != with_log.hello["limits"]


def test_a_seat_that_left_was_asked_up_to_then_and_no_more() -> None:
    whole = played("edel-stein-reich", 3, leaving)
    assert whole.transcript is not None
    record = whole.report.record
    log = owner_logs(whole.report, whole.transcript)[0]
    assert log["forfeit"]["reason"] == "exit"
    plies = decided_plies(record, 0)
    for given in (log, None):
        assert rebuild(record, plies[4], given).questions[-1].id == 5
        with pytest.raises(UsageError, match=f"ply {plies[5]} "):
            rebuild(record, plies[5], given)


def test_the_last_start_before_the_decision_is_the_one_that_is_fed() -> None:
    whole = played("edel-stein-reich", 3)
    assert whole.transcript is not None
    log = owner_logs(whole.report, whole.transcript)[1]
    again = {**log["starts"][0]["hello"], "resumed": True}
    log["starts"].append({"first": 3, "hello": again, "ready_us": 1})
    replay = rebuild(whole.report.record, log["decisions"][4]["ply"], log)
    assert replay.hello == again
    assert [question.id for question in replay.questions] == [3, 4, 5]
    assert replay.questions[0].message["log"][0]["ply"] == 0


def test_a_step_without_a_decision_is_refused_with_the_next_decision() -> None:
    record = played("edel-stein-reich", 3).report.record
    with pytest.raises(UsageError, match=r"chance.* ply 3 \(seat 0\)"):
        rebuild(record, 0, None)
    with pytest.raises(UsageError, match=f" 0 to {len(record['steps']) - 1}"):
        rebuild(record, len(record["steps"]), None)
    record = from_json((RECORDS / "edel-stein-reich-3.jsonl").read_text(encoding="utf-8").splitlines()[0])
    forced = next(ply for ply, step in enumerate(record["steps"]) if step.get("forced"))
    with pytest.raises(UsageError, match=f"Ply {forced} .*forced"):
        rebuild(record, forced, None)


def test_a_log_of_another_game_or_seat_is_refused() -> None:
    whole = played("edel-stein-reich", 3)
    assert whole.transcript is not None
    first, second, _ = owner_logs(whole.report, whole.transcript)
    ply = first["decisions"][0]["ply"]
    with pytest.raises(UsageError, match=r"seat 1, .* seat 0"):
        rebuild(whole.report.record, ply, second)
    with pytest.raises(UsageError, match="commitment"):
        rebuild(whole.report.record, ply, {**first, "commitment": "0" * 64})
    with pytest.raises(UsageError, match="format"):
        rebuild(whole.report.record, ply, {**first, "format": "owner-log/2"})


def test_a_record_that_is_wrong_is_not_replayed() -> None:
    record = played("edel-stein-reich", 3).report.record
    with pytest.raises(UsageError, match="commitment"):
        rebuild({**record, "seed": "0" * 64}, 5, None)


# --- the command, with real processes --------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path, esr: Esr) -> Path:
    """A folder with a bot, ``mine``, and the logs of a game that it has played against itself."""
    folder = bot(tmp_path, "if message['id'] == 3: move = 'nonsense'")
    esr("play", "edel-stein-reich-duel", folder, folder, "--seed", 1, "--logs", tmp_path / "logs")
    return tmp_path


def words_of(kept: Path, decision: int, *more: object) -> list[str]:
    stem = kept / "logs" / "edel-stein-reich-duel-2-game0"
    log = json.loads(Path(f"{stem}.seat0.log.json").read_text(encoding="utf-8"))
    ply = log["decisions"][decision - 1]["ply"]
    words = ["replay-decision", f"{stem}.record.json", ply, kept / "mine", "--log", f"{stem}.seat0.log.json", *more]
    return [str(word) for word in words]


def test_the_same_bot_answers_the_same_again(kept: Path, esr: Esr) -> None:
    run = esr(*words_of(kept, 2, "--json"))
    assert run.status == 0
    assert [answer["as_played"] for answer in run.document["answers"]] == [True, True]
    assert run.document["question"]["id"] == 2


def test_the_strike_happens_again_and_is_reported(kept: Path, esr: Esr) -> None:
    run = esr(*words_of(kept, 3))
    assert run.status == FOUND
    assert "default move: illegal" in run.out
    assert "bot now:     illegal: " in run.out
    assert 'Answer: {"id": 3, "move": "nonsense"}' in run.out


def test_a_bot_that_was_mended_answers_what_it_was_asked(kept: Path, esr: Esr) -> None:
    source = kept / "mine" / "bot.py"
    source.write_text(source.read_text().replace("== 3", "== 1000"))
    run = esr(*words_of(kept, 5))
    assert run.status == 0
    assert "decision 3 differs from the game" in run.out
    assert ", legal (" in run.out


def test_a_bot_that_imports_the_games_is_replayed(kept: Path, esr: Esr, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    source = kept / "mine" / "bot.py"
    source.write_text("import games.registry\n" + source.read_text())
    run = esr(*words_of(kept, 2, "--json"))
    assert (run.status, [answer["as_played"] for answer in run.document["answers"]]) == (0, [True, True])


def test_a_bot_that_ends_early_did_not_come_so_far(kept: Path, esr: Esr) -> None:
    (kept / "mine" / "bot.py").write_text('print(\'{"type": "ready"}\', flush=True)\n')
    run = esr(*words_of(kept, 2))
    assert run.status == FOUND
    assert "did not reach this decision" in run.out


def test_a_debugger_on_the_bots_own_output_is_recognised(kept: Path, esr: Esr) -> None:
    source = kept / "mine" / "bot.py"
    source.write_text(source.read_text().replace("if message['id'] == 3: move = 'nonsense'", "breakpoint()"))
    assert "use --pdb" in esr(*words_of(kept, 1)).out


def test_the_messages_can_be_had_as_the_bots_standard_input(kept: Path, esr: Esr) -> None:
    esr(*words_of(kept, 2, "--messages", kept / "in.jsonl"))
    with (kept / "in.jsonl").open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "bot.py"], cwd=kept / "mine", stdin=stream, capture_output=True, check=True
        )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()[1:]] == [1, 2]


def test_one_record_of_many_is_named_by_its_line(kept: Path, esr: Esr) -> None:
    record = json.loads((kept / "logs" / "edel-stein-reich-duel-2-game0.record.json").read_text())
    path = kept / "games.jsonl"
    path.write_text(to_json(played("edel-stein-reich", 3).report.record) + "\n" + to_json(record) + "\n")
    ply = decided_plies(record, 0)[0]
    assert esr("replay-decision", f"{path}:2", ply, kept / "mine").status == 0
    for word, says in ((path, f"{path}:1"), (f"{path}:9", "1 to 2")):
        run = esr("replay-decision", word, ply, kept / "mine")
        assert run.status == USAGE
        assert says in run.err


def under_pdb(kept: Path, decision: int, commands: str) -> Said:
    """Types into the debugger by a pipe."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    words = [sys.executable, "-m", "bots.cli", *words_of(kept, decision, "--pdb")]
    done = subprocess.run(
        words, check=False, env=environment, input=commands, capture_output=True, text=True, timeout=180
    )
    return Said(done.returncode, done.stdout, done.stderr)


def test_the_debugger_stops_where_the_bot_has_read_the_question(kept: Path) -> None:
    run = under_pdb(kept, 2, "n\np message['id'], message['type']\nprint('printed here')\nc\n")
    assert "bot.py(3)<module>()" in run.out, run.out
    assert "(2, 'decide')" in run.out
    assert "printed here" in run.out
    assert ", legal\n" in run.out
    assert (run.status, run.err) == (0, "")


@pytest.mark.parametrize("statement", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_breakpoint_in_the_bot_works_although_its_input_is_the_protocol(kept: Path, statement: str) -> None:
    source = kept / "mine" / "bot.py"
    source.write_text(source.read_text().replace("if message['id'] == 3: move = 'nonsense'", statement))
    run = under_pdb(kept, 1, "c\np 'the move is', move\nc\n")
    assert "('the move is', " in run.out
    assert run.status == 0


def test_a_bot_that_reads_in_other_ways_is_stopped_as_well(kept: Path) -> None:
    for reading in ("sys.stdin.buffer", "iter(sys.stdin.readline, '')", "iter(input, None)"):
        source = kept / "mine" / "bot.py"
        before = source.read_text()
        source.write_text(before.replace("in sys.stdin:", f"in {reading}:"))
        run = under_pdb(kept, 2, "n\np message['id']\nc\n")
        source.write_text(before)
        assert "has just read the decision" in run.out
        assert "\n(Pdb) 2\n" in run.out, reading


def test_a_crash_can_be_looked_at_where_it_happened(kept: Path) -> None:
    source = kept / "mine" / "bot.py"
    source.write_text(source.read_text().replace("move = 'nonsense'", "1 / 0"))
    run = under_pdb(kept, 3, "c\np 'dead at', message['id']\nq\n")
    assert "The bot crashed: ZeroDivisionError" in run.out
    assert "('dead at', 3)" in run.out
    assert "no answer: the process exited" in run.out
    assert run.status == FOUND


def test_leaving_the_debugger_leaves_the_command(kept: Path) -> None:
    run = under_pdb(kept, 2, "q\n")
    assert run.status == FOUND
    assert "Traceback" not in run.out + run.err


def test_pdb_is_for_people_and_for_python(kept: Path, esr: Esr) -> None:
    assert esr(*words_of(kept, 2, "--pdb", "--json")).status == USAGE
    (kept / "mine" / "bot.toml").write_text('language = "executable"\ncommand = ["run"]\n')
    (kept / "mine" / "run").write_text("#!/bin/sh\n")
    run = esr(*words_of(kept, 2, "--pdb"))
    assert run.status == USAGE
    assert "--messages" in run.err


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("more", [(), ("--pdb",)])
def test_a_decision_is_asked_again_on_windows_and_macos_too(kept: Path, profile: str, more: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "tests.bots.elsewhere.commands", profile, *words_of(kept, 2, *more)]
    done = subprocess.run(
        words, check=False, cwd=ROOT, input="n\np message['id']\nc\n", capture_output=True, text=True, timeout=180
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ", legal" in done.stdout
    assert ("\n(Pdb) 2\n" in done.stdout) == bool(more)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo terminals here")
def test_a_real_terminal_is_the_debuggers(kept: Path) -> None:
    keyboard, screen = os.openpty()
    words = [sys.executable, "-m", "bots.cli", *words_of(kept, 2, "--pdb")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    with subprocess.Popen(words, env=environment, stdin=screen, stdout=screen, stderr=screen) as process:
        os.close(screen)
        assert "(Pdb)" in read_until(keyboard, "(Pdb)")
        os.write(keyboard, b"n\nn\np message['type'] + '!'\n")
        assert "'decide!'" in read_until(keyboard, "'decide!'")
        os.write(keyboard, b"c\n")
        assert ", legal" in read_until(keyboard, ", legal")
        assert process.wait(180) == 0
    os.close(keyboard)


def read_until(terminal: int, text: str) -> str:
    output, deadline = "", time.monotonic() + 180
    while text not in output and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            output += os.read(terminal, 4096).decode()
    return output


STRATEGY = """\
class Strategy:
    def choose(self, decision):
        move = decision["default"]
        return move
"""

DATACLASS = """\
from dataclasses import dataclass
@dataclass
class Strategy:
    seat: int
    def choose(self, message):
        # Line 7 is the first line that the debugger shows.
        return message["decision"]["default"]
"""


def test_the_debugger_stops_in_a_separate_strategy_file(kept: Path) -> None:
    source = kept / "mine" / "bot.py"
    text = source.read_text().replace("import json, sys", "import json, sys\nfrom strategy import Strategy")
    source.write_text(text.replace('message["decision"]["default"]', 'Strategy().choose(message["decision"])'))
    (kept / "mine" / "strategy.py").write_text(STRATEGY)
    run = under_pdb(kept, 2, "p type(self).__name__, decision['kind'] != ''\nc\n")
    assert "strategy.py(3)choose()" in run.out, run.out
    assert "('Strategy', True)" in run.out
    assert ", legal\n" in run.out
    assert run.status == 0


def test_the_debugger_does_not_stop_in_code_without_a_file(kept: Path) -> None:
    """A crash before the strategy unwinds through runpy, and methods of dataclasses come from a string."""
    source = kept / "mine" / "bot.py"
    text = source.read_text().replace("import json, sys", "import json, sys\nfrom strategy import Strategy")
    crash = "Strategy(1).choose(message) if message['id'] == 1 else 1 / 0"
    source.write_text(text.replace('message["decision"]["default"]', crash))
    (kept / "mine" / "strategy.py").write_text(DATACLASS)
    assert "strategy.py(7)choose()" in under_pdb(kept, 1, "c\n").out
    run = under_pdb(kept, 2, "p 'dead at', message['id']\nq\n")
    assert "('dead at', 2)" in run.out, run.out
    assert run.status == FOUND


def test_the_debugger_stops_where_a_bot_answers_without_its_strategy(kept: Path) -> None:
    source = kept / "mine" / "bot.py"
    source.write_text(source.read_text().replace("import json, sys", "import json, sys, strategy"))
    (kept / "mine" / "strategy.py").write_text(STRATEGY)
    run = under_pdb(kept, 2, "p message['id'], move is not None\nc\n")
    assert "(2, True)" in run.out, run.out
    assert run.status == 0


@pytest.mark.parametrize("call", ["write(%s)", "writelines([%s])"])
def test_the_debugger_stops_where_a_bot_answers_in_bytes(kept: Path, call: str) -> None:
    source = kept / "mine" / "bot.py"
    before, answer, after = re.split(r"print\((json\.dumps.*), flush=True\)", source.read_text())
    answer = "sys.stdout.buffer." + call % f"({answer} + chr(10)).encode()" + "; sys.stdout.buffer.flush()"
    source.write_text(before.replace("import json, sys", "import json, sys, strategy") + answer + after)
    (kept / "mine" / "strategy.py").write_text(STRATEGY)
    run = under_pdb(kept, 2, "p message['id'], move is not None\nc\n")
    assert "(2, True)" in run.out, run.out
    assert ", legal\n" in run.out
    assert run.status == 0
