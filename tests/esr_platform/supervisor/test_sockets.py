"""Where the sockets of a site are, and whose they may be."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from esr_platform.supervisor.broker import listens
from esr_platform.supervisor.sockets import (
    LONGEST_SOCKET_PATH,
    new_stream_socket,
    private_socket,
    socket_path,
    stream_sockets,
)


def test_the_socket_lies_in_the_data_folder() -> None:
    assert socket_path(Path("/srv/site/var")) == Path("/srv/site/var/redis.sock")


def test_a_path_too_long_for_a_socket_is_replaced_by_a_short_one_of_its_own() -> None:
    long = Path("/" + "long/" * 40)
    assert len(str(socket_path(long))) <= LONGEST_SOCKET_PATH
    assert socket_path(long) != socket_path(long / "other")


@pytest.fixture
def long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose path is too long for a socket, and a separate folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Path("/" + "long/" * 40)


def test_the_folder_of_a_short_socket_path_is_this_users_alone(long: Path) -> None:
    folder = private_socket(long).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    assert private_socket(long).parent == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_in_the_place_of_that_folder_is_refused(long: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    socket_path(long).parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError):
        private_socket(long)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_folder_or_a_socket_of_another_user_is_refused(long: Path) -> None:
    path = private_socket(long)
    path.touch()
    assert listens(long)
    os.lchown(path, 65534, 65534)
    assert not listens(long)
    os.chown(path.parent, 65534, 65534)
    with pytest.raises(PermissionError):
        private_socket(long)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a socket of another user")
def test_connections_are_not_handed_over_to_another_user(long: Path) -> None:
    path = new_stream_socket(long)
    path.touch()
    assert stream_sockets(long) == [path]
    os.lchown(path, 65534, 65534)
    assert stream_sockets(long) == []
