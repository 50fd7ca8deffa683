"""What both kinds of channel have to bear from real processes, started as on any system."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, MatchReport, MatchSpec, SeatSpec, play_match
from bots.runner.channel import Channel, OpenChannel
from bots.sandbox import PlainLauncher
from bots.sandbox.portable import PortableProcess, PortableStarter
from games.record import to_json
from tests.bots.runner.fakes import DUEL, TABLE, Watcher
from tests.bots.sandbox.programs import HONEST, program
from tests.services.leftovers import nothing_is_left

SECOND_NS = 10**9
ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.usefixtures("_nothing_left")


@pytest.fixture
def _nothing_left() -> Iterator[None]:
    with nothing_is_left():
        yield


@pytest.fixture
def talk(each_channel: OpenChannel) -> Iterator[Callable[[str], Channel]]:
    """Starts a program of this source and gives its channel; both are gone at the end."""
    open_now: list[tuple[PortableProcess, Channel]] = []

    def start(source: str) -> Channel:
        with program(source) as bot:
            process = PlainLauncher(PortableStarter()).start(bot, Limits())
            assert isinstance(process, PortableProcess)
            open_now.append((process, each_channel(process)))
            until(open_now[-1][1], lambda channel: "up" in channel.stderr_tail())
        return open_now[-1][1]

    yield start
    for process, channel in open_now:
        process.stop()
        channel.close()


def until(channel: Channel, reached: Callable[[Channel], bool]) -> None:
    """Listen until then, at most three minutes."""
    deadline = perf_counter() + 180
    while not reached(channel):
        assert perf_counter() < deadline, channel.stderr_tail()
        channel.take(channel.wait(SECOND_NS))


UP = "import os, sys, time\nos.write(2, b'up')\n"


def test_a_bot_that_never_reads_keeps_nobody_waiting(talk: Callable[[str], Channel]) -> None:
    channel = talk(UP + "time.sleep(60)")
    began = perf_counter()
    for _ in range(100):
        channel.send(b"x" * 100_000 + b"\n")
    assert channel.wait(0) == []
    assert perf_counter() - began < 50, "the bot sleeps for 60 s"


def test_data_beyond_the_pipe_buffer_arrives_when_the_bot_reads(talk: Callable[[str], Channel]) -> None:
    channel = talk(UP + "sys.stdin.readline()\nprint(sum(map(len, sys.stdin)), flush=True)")
    channel.send(b"go\n")
    for _ in range(20):
        channel.send(b"x" * 99_999 + b"\n")
    channel.wait(0)
    channel.send(b"")
    until(channel, lambda channel: not getattr(channel, "unsent", b""))
    channel.close_stdin()
    until(channel, lambda channel: bool(channel.lines))
    assert channel.lines.popleft() == b"2000000\n"


def test_a_flood_that_nobody_reads_stays_with_the_bot(talk: Callable[[str], Channel]) -> None:
    channel = talk(UP + "sys.stdout.write('x\\n' * 1_000_000)\nos.write(2, b'done')\ntime.sleep(60)")
    read = len(channel.lines)
    channel.take([news for news in channel.wait(SECOND_NS) if news[0] == channel.stderr])
    assert "done" not in channel.stderr_tail()
    channel.take(channel.wait(SECOND_NS))
    assert read < len(channel.lines) <= read + 32_768
    until(channel, lambda channel: "done" in channel.stderr_tail())


def test_lines_come_in_pieces_and_several_at_once(talk: Callable[[str], Channel]) -> None:
    source = "for piece in (b'one\\ntw', b'o\\r\\n', b'y' * 70_000, b'\\nthree\\nhalf'): os.write(1, piece)"
    channel = talk(UP + source)
    until(channel, lambda channel: channel.ended)
    assert [line and line.strip() for line in channel.lines] == [b"one", b"two", None, b"three"]


def test_the_end_of_stdout_is_the_end_though_the_bot_lives(talk: Callable[[str], Channel]) -> None:
    channel = talk(UP + "os.close(1)\ntime.sleep(60)")
    until(channel, lambda channel: channel.ended)


def test_the_end_of_stderr_is_kept(each_channel: OpenChannel) -> None:
    with program("import os, sys\nsys.stderr.write('first' + 'x' * 200_000 + 'last')\nos._exit(7)") as bot:
        process = PlainLauncher(PortableStarter()).start(bot, Limits())
        channel = each_channel(process)
        until(channel, lambda channel: channel.ended and not channel.stderr_open)
        assert process.stop() == 7
        channel.close()
    assert len(channel.stderr_tail()) == 65_536
    assert channel.stderr_tail().endswith("xlast")


def test_a_bot_that_has_shut_its_ears_is_still_heard(talk: Callable[[str], Channel]) -> None:
    channel = talk("import os, time\nos.close(0)\nos.write(2, b'up')\ntime.sleep(0.1)\nos.write(1, b'still\\n')")
    for _ in range(3):
        channel.send(b"hello\n" * 20_000)
    until(channel, lambda channel: bool(channel.lines))
    assert channel.lines[0] == b"still\n"


def match(each_channel: OpenChannel, bot: LocalProgram, limits: Limits | None = None) -> MatchReport:
    seats = (SeatSpec("bot", bot), SeatSpec("random", HouseProgram("random")))
    spec = MatchSpec(DUEL, seats, bytes(32), limits or Limits())
    return play_match(spec, PlainLauncher(PortableStarter()), open_channel=each_channel)


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        (("if message", "if message.get('id') == 3: time.sleep(60)\n    if message"), ["strikes"]),
        (("if message", "if message.get('id') == 3: sys.exit(4)\n    if message"), ["exit"]),
        (("if message", "if message.get('id') == 3: os.close(1); time.sleep(60)\n    if message"), ["exit"]),
        (("for line", "time.sleep(60)\nfor line"), ["not_ready"]),
        (("if message", "os.write(1, b'x' * 200_000 + b'\\n')\n    if message"), ["strikes"]),
        (("if message", "os.write(2, b'x' * 200_000)\n    if message"), []),
    ],
    ids=["silent", "exits", "closes stdout", "never ready", "floods stdout", "floods stderr"],
)
def test_misbehaviour_costs_the_same_over_both(
    each_channel: OpenChannel, change: tuple[str, str], reasons: list[str]
) -> None:
    with program("import os, time\n" + HONEST.replace(*change, 1)) as bot:
        report = match(each_channel, bot, Limits(startup_ms=3_000, move_ms=600, bank_ms=0))
    assert [(forfeit.seat, forfeit.reason) for forfeit in report.forfeits] == [(0, reason) for reason in reasons]
    assert report.seats[1].strikes == ()


def test_the_same_game_gives_the_same_record_however_it_was_played(each_channel: OpenChannel) -> None:
    seats = tuple(SeatSpec(name, HouseProgram(name)) for name in ("haggler", "random", "kontor"))
    spec = MatchSpec(TABLE, seats, bytes(32))
    with_limits = play_match(spec, PlainLauncher())
    without = play_match(spec, PlainLauncher(PortableStarter()), open_channel=each_channel)
    assert to_json(without.record) == to_json(with_limits.record)


def test_an_interruption_leaves_nothing_behind(each_channel: OpenChannel) -> None:
    class Impatient(Watcher):
        def sent(self, seat: int, line: bytes) -> None:
            super().sent(seat, line)
            if self.to[-1][1].get("id") == 3:
                raise KeyboardInterrupt

    seats = tuple(SeatSpec("bot", HouseProgram("random")) for _ in range(2))
    with pytest.raises(KeyboardInterrupt):
        play_match(MatchSpec(DUEL, seats, bytes(32)), PlainLauncher(PortableStarter()), Impatient(), each_channel)


WAITING = """
import sys
from pathlib import Path
from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, MatchSpec, SeatSpec, play_match
from bots.runner.channel import {kind}
from bots.sandbox import PlainLauncher
from bots.sandbox.portable import PortableStarter
seats = (SeatSpec("silent", LocalProgram(Path(sys.argv[1]))), SeatSpec("random", HouseProgram("random")))
limits = Limits(startup_ms=600_000)
play_match(MatchSpec("edel-stein-reich-duel", seats, bytes(32), limits), PlainLauncher(PortableStarter()), None, {kind})
"""


def test_ctrl_c_ends_a_long_wait_and_the_bots(each_channel: OpenChannel, tmp_path: Path) -> None:
    kind = getattr(each_channel, "__name__", "")
    source = WAITING.format(kind=kind)
    began = tmp_path / "began"
    with program(f"import os, time\nopen({str(began)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)") as bot:
        words = [sys.executable, "-c", source, str(bot.folder)]
        with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
            deadline = perf_counter() + 180
            while not (began.exists() and began.read_text()):
                assert child.poll() is None and perf_counter() < deadline
            child.send_signal(signal.SIGINT)
            _, stderr = child.communicate(timeout=180)
    assert "KeyboardInterrupt" in stderr
    assert not Path(f"/proc/{began.read_text()}").exists()
