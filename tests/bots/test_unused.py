from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

import pytest

from bots.unused_copies import IN_USE_S, MOST, forget_unused, made_once, remove_at_once

DAY_S = 86_400


def used(folder: Path, name: str, ago_s: float) -> Path:
    """A folder that was used last so many seconds ago."""
    place = folder / name
    place.mkdir()
    (place / "bot.py").write_text("pass")
    then = time.time() - ago_s
    os.utime(place, (then, then))
    return place


def test_copies_unused_for_a_week_are_deleted(tmp_path: Path) -> None:
    old, fresh = used(tmp_path, "old", 8 * DAY_S), used(tmp_path, "fresh", 6 * DAY_S)
    forget_unused(tmp_path)
    assert (old.exists(), fresh.exists()) == (False, True)


def test_of_too_many_copies_those_unused_for_longest_are_deleted_if_not_in_use(tmp_path: Path) -> None:
    playing = [used(tmp_path, f"playing-{number}", IN_USE_S / 2) for number in range(MOST)]
    idle = [used(tmp_path, f"idle-{number}", 2 * IN_USE_S) for number in range(3)]
    forget_unused(tmp_path)
    assert all(place.exists() for place in playing)
    assert not any(place.exists() for place in idle)
    assert len(list(tmp_path.iterdir())) == MOST
    used(tmp_path, "one more", 0)
    forget_unused(tmp_path)
    assert len(list(tmp_path.iterdir())) == MOST + 1


def test_nothing_is_forgotten_where_there_is_nothing(tmp_path: Path) -> None:
    forget_unused(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        remove_at_once(tmp_path / "nowhere")


def test_a_full_disk_is_cleared_of_all_that_is_not_in_use_and_the_folder_is_made_again(tmp_path: Path) -> None:
    folders = tmp_path / "folders"
    folders.mkdir()
    playing, idle = used(folders, "playing", IN_USE_S / 2), used(folders, "idle", 2 * IN_USE_S)

    def fill(new: Path) -> None:
        (new / "bot.py").touch()
        if idle.exists():
            raise OSError(errno.ENOSPC, "No space left on device")

    place = made_once(folders / "new", fill)
    assert (place / "bot.py").exists()
    assert sorted(folders.iterdir()) == [place, playing]


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    folders = tmp_path / "folders"
    folders.mkdir()

    def fill(new: Path) -> None:
        (new / "bot.py").touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        made_once(folders / "new", fill)
    assert not list(folders.iterdir())


def test_other_users_cannot_open_the_lock_of_a_folder(tmp_path: Path) -> None:
    folders, lock = tmp_path / "folders", tmp_path / "folders.lock"
    folders.mkdir()
    lock.touch(0o644)
    made_once(folders / "first", lambda new: (new / "bot.py").touch())
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600, "one of an older version"
    lock.unlink()
    made_once(folders / "second", lambda new: (new / "bot.py").touch())
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folders").mkdir()
    (tmp_path / "folders.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        made_once(tmp_path / "folders" / "new", lambda new: (new / "bot.py").touch())
    assert not (tmp_path / "elsewhere").exists()
