"""Whose fault it is that a decision is late: the bot's, or the machine's, by the host's own measure.

None of these hangs on how busy the machine is otherwise. A bot that is to be late by itself uses up its time asleep, or
by its own processor clock; one that the machine is to make late needs half of it, and has three others on its one core.
Only the second decision is looked at: the machine may well be late at another one.
"""

from __future__ import annotations

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, MatchReport
from bots.sandbox import SandboxLauncher
from tests.bots.loads import flooding_neighbours, overloaded_host
from tests.bots.sandbox.programs import duel, program

pytestmark = pytest.mark.slow

LIMITS = Limits(startup_ms=10_000, move_ms=500, bank_ms=0, game_ms=60_000)

PLAYING = """
import hashlib, json, os, signal, sys, threading, time
MOVE_S = 0.5

def burn(until_s):
    while time.process_time() < until_s:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 100)

def sleep():
    time.sleep(1.06 * MOVE_S)

def spin():
    burn(time.process_time() + 1.06 * MOVE_S)

def stop():
    for number in (signal.SIGSTOP, signal.SIGTSTP):
        os.kill(os.getpid(), number)
    sys.stderr.write("awake")

def flood():
    time.sleep(0.97 * MOVE_S)
    until_s = time.process_time() + 0.2 * MOVE_S
    threads = [threading.Thread(target=burn, args=(until_s,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    burn(until_s)

def think():
    burn(time.process_time() + 0.5 * MOVE_S)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        if message["id"] == 2:
            ACTION()
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""


def play(launcher: SandboxLauncher, action: str) -> MatchReport:
    """A game in which the bot at seat 0 does ``action`` before it answers its second decision."""
    with program(PLAYING.replace("ACTION", action)) as bot:
        return duel(launcher, bot, HouseProgram("random"), limits=LIMITS)


def judged(report: MatchReport) -> tuple[list[str], bool]:
    """The strikes of seat 0 for its second decision, and whether the machine is found to have made that late."""
    strikes = [strike.reason for strike in report.seats[0].strikes if strike.id == 2]
    return strikes, any((delay.seat, delay.decision) == (0, 2) for delay in report.machine_delays)


@pytest.mark.parametrize("action", ["sleep", "spin", "flood"])
def test_a_bot_that_makes_itself_late_has_its_strike_and_no_second_game(
    sandbox_launcher: SandboxLauncher, action: str
) -> None:
    report = play(sandbox_launcher, action)
    assert judged(report) == (["late"], False)


def test_a_bot_cannot_stop_itself(sandbox_launcher: SandboxLauncher) -> None:
    report = play(sandbox_launcher, "stop")
    assert judged(report) == ([], False)
    assert report.seats[0].stderr_tail == "awake"


@pytest.mark.parametrize("action", ["sleep", "spin"])
def test_on_an_overloaded_host_too_a_bot_that_makes_itself_late_gains_nothing(
    sandbox_launcher: SandboxLauncher, action: str
) -> None:
    with overloaded_host():
        report = play(sandbox_launcher, action)
    assert judged(report) == (["late"], False)


@pytest.mark.parametrize("load", ["neighbours", "host"])
def test_an_honest_bot_that_others_make_late_has_its_game_played_again(
    sandbox_launcher: SandboxLauncher, load: str
) -> None:
    with flooding_neighbours(sandbox_launcher) if load == "neighbours" else overloaded_host():
        report = play(sandbox_launcher, "think")
    assert judged(report) == (["late"], True)
    assert report.play_again
