from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.runner import PlatformFailure
from bots.sandbox import leases
from bots.sandbox.leases import Leases, seats_folder, started_at
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
    first, other = Leases(folder), Leases(folder)
    taken = [first.take(), first.take(), other.take(), other.take()]
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
    (message,) = caplog.messages
    assert str(folder.parent) in message


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
    mine = Leases(folder).take()  # first, because a seat of the dead worker would be cleaned
    script = (
        f"{OURS}import os, subprocess; from pathlib import Path; from bots.sandbox.leases import Leases\n"
        f"lease = Leases(Path({str(folder)!r})).take()\n"
        "child = subprocess.Popen(['sleep', '100'], start_new_session=True, stdout=subprocess.DEVNULL)\n"
        "lease.note(child.pid); print(child.pid, flush=True); os._exit(9)"
    )
    worker = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False)
    orphan = int(worker.stdout)
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


def test_a_runtime_folder_of_another_user_is_refused() -> None:
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
