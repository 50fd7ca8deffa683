from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from bots.runner.launcher import NoCoreFree
from bots.sandbox import cores
from bots.sandbox.cores import LOOK_AGAIN_S, MOST_WAITING_S, SLICE_S, CoreUse, SharedCore
from tests.bots.sandbox.programs import folder_of


class Waiting:
    """The clock of games that wait for a core: time passes only in ``sleep``, which calls ``then``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s, self.times = 0.0, 0
        self.then: Callable[[int], object] = lambda times: None
        monkeypatch.setattr(cores, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(cores, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now_s, self.times = self.now_s + seconds, self.times + 1
        self.then(self.times)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    return Waiting(monkeypatch)


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_of({}) as place:
        yield place / "seats"


def core_of(folder: Path, use: CoreUse = CoreUse.MATCHES, site: str = "", number: int = 1) -> SharedCore:
    """A game that shares ``number`` cores."""
    return SharedCore(folder, use, site, number)


@contextmanager
def held(*games: SharedCore) -> Iterator[None]:
    """Let each of these games hold a core."""
    for game in games:
        game.hold()
    yield
    for game in games:
        game.release()


def test_a_third_game_waits_for_one_of_two_cores(folder: Path, waiting: Waiting) -> None:
    first, other, third = (core_of(folder, number=2) for _ in range(3))
    with held(first, other):
        waiting.then = lambda times: first.release() if times == 3 else None
        third.hold()
        assert waiting.times == 3
        third.release()
    with held(first, other):
        assert waiting.times == 3, "all cores were given back"


def test_a_game_keeps_its_core_between_decisions_as_long_as_nobody_waits(folder: Path, waiting: Waiting) -> None:
    game, other = core_of(folder), core_of(folder)
    game.hold()
    game.hold()
    assert game.held
    assert not other.try_hold()
    assert waiting.times == 0


def test_a_core_is_due_after_a_slice_if_others_wait(folder: Path, waiting: Waiting) -> None:
    game, other = core_of(folder), core_of(folder)
    game.hold()
    waiting.now_s += SLICE_S + 1
    assert not game.is_due
    seen: list[bool] = []

    def look(_: int) -> None:
        seen.append(game.is_due)
        game.release()

    waiting.then = look
    other.hold()
    assert seen == [True]
    assert not other.is_due


def slices(folder: Path, waiting: Waiting, wanted: dict[str, tuple[CoreUse, str]], rounds: int) -> list[str]:
    """The games that get the only core if all of these games always want it, each for a whole slice."""
    games = {name: core_of(folder, use, site) for name, (use, site) in wanted.items()}
    got: list[str] = []
    queue = games[next(iter(games))]._queue
    with queue.changed() as changed:
        tickets = {name: changed.join(game._group) for name, game in games.items()}
    while len(got) < rounds:
        for name, game in games.items():
            if game._took(tickets[name]):
                got.append(name)
                waiting.now_s += SLICE_S
                game.release()
                with queue.changed() as changed:
                    tickets[name] = changed.join(game._group)
    return got


def test_live_tables_matches_and_validations_each_get_the_same_time(folder: Path, waiting: Waiting) -> None:
    wanted = {f"live {number}": (CoreUse.LIVE, "") for number in range(6)}
    wanted |= {"match 0": (CoreUse.MATCHES, ""), "match 1": (CoreUse.MATCHES, ""), "check": (CoreUse.VALIDATIONS, "")}
    got = slices(folder, waiting, wanted, 90)
    kinds = [name.split()[0] for name in got]
    assert kinds[0] == "live", "people wait for it"
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"live": 30, "match": 30, "check": 30}
    assert {name: got.count(name) for name in wanted if name.startswith("live")} == dict.fromkeys(list(wanted)[:6], 5)


def test_two_sites_on_one_host_each_get_the_same_time(folder: Path, waiting: Waiting) -> None:
    wanted = {f"big {number}": (CoreUse.MATCHES, "big") for number in range(3)}
    wanted |= {"big live": (CoreUse.LIVE, "big"), "small": (CoreUse.MATCHES, "small")}
    got = slices(folder, waiting, wanted, 40)
    assert got.count("small") == 20
    assert all("small" in pair for pair in pairwise(got)), "they alternate"


def test_time_that_was_not_used_is_not_saved(folder: Path, waiting: Waiting) -> None:
    alone = slices(folder, waiting, {"match": (CoreUse.MATCHES, "")}, 50)
    assert len(alone) == 50
    with core_of(folder)._queue.changed() as queue:
        queue._waiting.clear()
    got = slices(folder, waiting, {"live": (CoreUse.LIVE, ""), "match": (CoreUse.MATCHES, "")}, 20)
    assert got.count("match") >= 9, "the live table must not make up for the time in which it did not wait"


def test_a_game_that_waits_too_long_in_total_ends_and_never_shares_a_core(folder: Path, waiting: Waiting) -> None:
    first, other, third = (core_of(folder, number=2) for _ in range(3))
    half = MOST_WAITING_S / 2
    with held(first, other):
        waiting.then = lambda _: first.release() if waiting.now_s > half else None
        third.hold()
        assert third.waited_s == pytest.approx(half, abs=2 * LOOK_AGAIN_S)
        third.release()
    waiting.now_s, waiting.then = 0.0, lambda _: None
    with held(first, other):
        with pytest.raises(NoCoreFree, match="300 s"):
            third.hold()
        assert waiting.now_s == pytest.approx(half, abs=4 * LOOK_AGAIN_S)
    third.hold()
    assert third.held


@pytest.mark.parametrize("damage", [b"", b"{", b"[]"])
def test_a_damaged_queue_loses_nobody(folder: Path, waiting: Waiting, damage: bytes) -> None:
    game, other = core_of(folder), core_of(folder)
    game.hold()

    def spoil(times: int) -> None:
        if times == 1:
            (folder / "queue").write_bytes(damage)
        if times == 2:
            game.release()

    waiting.then = spoil
    other.hold()
    assert (other.held, waiting.times) == (True, 2)


@contextmanager
def worker_that(folder: Path, does: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has begun to do this. It is killed at the end."""
    begins = f"""
from pathlib import Path
from bots.sandbox import cores
core = cores.SharedCore(Path({str(folder)!r}), number=1)
{does}
"""
    with subprocess.Popen([sys.executable, "-c", begins], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"there\n"
        yield worker
        worker.kill()
        worker.wait()


WAITS = 'cores.sleep = lambda _: (print("there", flush=True), input()); core.hold()'


def test_a_killed_worker_gives_its_core_back(folder: Path) -> None:
    with worker_that(folder, 'core.hold(); print("there", flush=True); input()'):
        pass
    core = core_of(folder)
    assert core.try_hold()


def test_a_killed_worker_does_not_hold_up_the_queue(folder: Path, waiting: Waiting) -> None:
    first, next_one = core_of(folder), core_of(folder)
    first.hold()
    with worker_that(folder, WAITS):
        pass
    waiting.then = lambda times: first.release() if times == 1 else None
    next_one.hold()
    assert waiting.times == 1


def test_a_suspended_worker_does_not_hold_up_the_queue(
    folder: Path, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, next_one = core_of(folder), core_of(folder)
    first.hold()
    monkeypatch.setattr(cores, "OFFERED_S", 0.0)
    waiting.then = lambda times: first.release() if times == 1 else None
    with worker_that(folder, WAITS) as suspended:
        suspended.send_signal(signal.SIGSTOP)
        next_one.hold()
    assert waiting.times == 1


def test_the_first_in_the_queue_has_a_moment_to_take_its_core(folder: Path) -> None:
    first, next_one = core_of(folder), core_of(folder)
    first.hold()
    with worker_that(folder, WAITS):
        first.release()
        assert not next_one.try_hold()
