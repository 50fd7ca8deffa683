from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bots.runner import PlatformFailure
from bots.runner.launcher import NoCoreFree
from bots.sandbox import leases
from bots.sandbox.leases import LOOK_AGAIN_S, MOST_WAITING_S, Leases, SharedCore, seats_folder, started_at
from bots.sandbox.runtime import own_folder, runtime_folder
from tests.bots.sandbox.programs import folder_of
from tests.services.ports import wait_until

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root has users to give")


OUR_UIDS = (leases.FIRST_UIDS[0] + 2 * leases.SEATS, leases.FIRST_UIDS[1])
"""Of users that no bot of this host has: these seats lie in a folder of their own, and sweeping one ends its user."""

OURS = f"from bots.sandbox import leases; leases.FIRST_UIDS = {OUR_UIDS}\n"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(leases, "FIRST_UIDS", OUR_UIDS)
    with folder_of({}) as place:
        yield place / "seats"


def test_no_two_leases_are_the_same_seat(folder: Path) -> None:
    one, other = Leases(folder), Leases(folder)
    taken = [one.take(), one.take(), other.take(), other.take()]
    assert len(list(folder.iterdir())) == 4
    if os.geteuid() == 0:
        assert len({lease.uid for lease in taken}) == 4
        assert all(lease.uid is not None and lease.uid > 60_000 for lease in taken)
    else:
        assert {lease.uid for lease in taken} == {None}
    for lease in taken:
        lease.release()


@root_only
def test_two_sites_with_different_runtime_folders_never_share_a_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "OF_ROOT", folder)
    sites = [Leases(seats_folder(folder.parent / name)) for name in ("one", "other")]
    taken = [site.take() for site in sites for _ in range(3)]
    assert len({lease.uid for lease in taken}) == 6
    for lease in taken:
        lease.release()


@root_only
def test_seats_that_other_sites_do_not_see_are_reported_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(leases, "OF_ROOT", Path("/proc/nowhere/esr-seats"))
    for _ in range(3):
        assert seats_folder(folder.parent) == folder.parent / "seats"
    (said,) = caplog.messages
    assert str(folder.parent) in said


def test_seats_are_made_again_when_their_file_system_was_emptied(folder: Path) -> None:
    seats = Leases(folder)
    shutil.rmtree(folder)
    seats.take().release()
    assert folder.exists()


def test_another_process_sees_a_seat_that_is_taken(folder: Path) -> None:
    mine = Leases(folder).take()
    script = (
        f"{OURS}from pathlib import Path; from bots.sandbox.leases import Leases\n"
        f"print(Leases(Path({str(folder)!r})).take().uid)"
    )
    theirs = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    assert theirs != str(mine.uid) or os.geteuid() != 0
    assert len(list(folder.iterdir())) == 2
    mine.release()


def test_a_released_seat_can_be_taken_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SEATS", 2)
    seats = Leases(folder)
    first, second = seats.take(), seats.take()
    with pytest.raises(PlatformFailure, match="all 2 bot seats"):
        seats.take()
    first.release()
    assert seats.take().uid == first.uid
    second.release()


def test_a_sweep_ends_what_a_dead_worker_left_and_nothing_else(folder: Path) -> None:
    """A worker starts a process that it does not take along when it dies."""
    script = (
        f"{OURS}import os, subprocess; from pathlib import Path; from bots.sandbox.leases import Leases\n"
        f"lease = Leases(Path({str(folder)!r})).take()\n"
        "child = subprocess.Popen(['sleep', '100'], start_new_session=True, stdout=subprocess.DEVNULL)\n"
        "lease.note(child.pid); print(child.pid, flush=True); os._exit(9)"
    )
    worker = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False)
    orphan = int(worker.stdout)
    seats = Leases(folder)
    mine = seats.take()
    neighbour = subprocess.Popen(["sleep", "100"])
    mine.note(neighbour.pid)
    try:
        assert started_at(orphan) != 0
        assert Leases(folder).sweep() == 1
        wait_until(lambda: state_of(orphan) in ("Z", ""), "the orphan has ended")
        assert neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()
        mine.release()
    assert Leases(folder).sweep() == 0


def state_of(pid: int) -> str:
    """The state letter of a process; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def test_a_runtime_folder_of_somebody_else_is_refused() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder of somebody else")
    with folder_of({}) as place:
        (place / "theirs").mkdir()
        os.chown(place / "theirs", 12345, 12345)
        with pytest.raises(PlatformFailure, match="set ESR_RUNTIME_DIR"):
            own_folder(place / "theirs")


def test_a_link_in_the_place_of_the_runtime_folder_is_refused() -> None:
    with folder_of({}) as place:
        (place / "link").symlink_to("/etc")
        with pytest.raises(PlatformFailure):
            own_folder(place / "link")


def test_the_runtime_folder_can_be_named_and_lets_others_only_through(monkeypatch: pytest.MonkeyPatch) -> None:
    with folder_of({}) as place:
        monkeypatch.setenv("ESR_RUNTIME_DIR", str(place / "a" / "b"))
        assert runtime_folder().stat().st_mode & 0o777 == 0o711


def test_a_runtime_folder_that_was_removed_is_made_again_as_it_was() -> None:
    with folder_of({}) as place:
        before = os.umask(0o077)
        try:
            own_folder(place / "runtime" / "seats")
        finally:
            os.umask(before)
        modes = {path.stat().st_mode & 0o777 for path in (place / "runtime", place / "runtime" / "seats")}
    assert modes == {0o711}


class Waiting:
    """The clock of games that wait for a core: time passes only in ``sleep``, which calls ``then``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s, self.times = 0.0, 0
        self.then: Callable[[int], object] = lambda times: None
        monkeypatch.setattr(leases, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(leases, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now_s, self.times = self.now_s + seconds, self.times + 1
        self.then(self.times)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    return Waiting(monkeypatch)


def cores_of(folder: Path, count: int, live: bool = False) -> list[SharedCore]:
    """``count`` games that share two cores."""
    return [SharedCore(folder, live=live, number=2) for _ in range(count)]


def test_a_third_game_waits_for_one_of_two_cores(folder: Path, waiting: Waiting) -> None:
    one, other, third = cores_of(folder, 3)
    with one, other:
        waiting.then = lambda times: one.__exit__() if times == 3 else None
        with third:
            assert waiting.times == 3
    with one, other:
        assert waiting.times == 3, "all cores were given back"


def test_a_live_table_gets_a_core_before_games_that_wait_longer(folder: Path, waiting: Waiting) -> None:
    one, other, third = cores_of(folder, 3)
    live = os.open(folder / "live-waits", os.O_RDWR)
    fcntl.flock(live, fcntl.LOCK_SH)
    waiting.then = lambda times: fcntl.flock(live, fcntl.LOCK_UN) if times == 5 else None
    with third:
        assert waiting.times == 5, "both cores were free, but a live table was waiting"
    with one, other:
        waiting.then = lambda times: one.__exit__() if times == 8 else None
        [at_a_table] = cores_of(folder, 1, live=True)
        with at_a_table:
            assert waiting.times == 8
    os.close(live)


def test_a_game_that_waits_too_long_in_total_ends_and_never_shares_a_core(folder: Path, waiting: Waiting) -> None:
    one, other, third = cores_of(folder, 3)
    half = MOST_WAITING_S / 2
    with one, other:
        waiting.then = lambda _: one.__exit__() if waiting.now_s > half else None
        with third:
            assert third.waited_s == pytest.approx(half, abs=2 * LOOK_AGAIN_S)
    with one, other:
        waiting.then = lambda _: None
        with pytest.raises(NoCoreFree, match="300 s"):
            third.__enter__()
        assert waiting.now_s == pytest.approx(MOST_WAITING_S, abs=4 * LOOK_AGAIN_S)
    with third:
        assert third.waited_s == pytest.approx(MOST_WAITING_S, abs=4 * LOOK_AGAIN_S)


def test_a_killed_worker_gives_its_core_back(folder: Path, waiting: Waiting) -> None:
    holds = f"""
from pathlib import Path
from bots.sandbox.leases import SharedCore
core = SharedCore(Path({str(folder)!r}), number=1)
core.__enter__()
print("held", flush=True)
input()
"""
    with subprocess.Popen([sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"held\n"
        core = SharedCore(folder, number=1)

        def kill(times: int) -> None:
            worker.kill()
            worker.wait()

        waiting.then = kill
        with core:
            assert waiting.times == 1
