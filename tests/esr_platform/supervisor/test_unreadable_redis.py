"""The embedded Redis finds data that it cannot read."""

from __future__ import annotations

import io
import platform
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from rich.console import Console

from esr_platform.supervisor import processes
from esr_platform.supervisor.broker import data_folder
from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.site import Site, SiteLocation
from esr_platform.supervisor.sockets import socket_path
from esr_platform.supervisor.supervisor import Supervisor
from esr_platform.supervisor.terminal import Terminal
from tests.esr_platform.supervisor.test_site import LONG_S, start
from tests.services.ports import free_port
from tests.services.redis import redis_server
from tests.services.workers import ROOT


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder with the append-only files of an embedded Redis that has run in ``tmp_path``."""
    with redis_server(tmp_path) as url, redis.Redis.from_url(url) as client:
        for number in range(100):
            client.set(f"key{number}", "value" * 10)
    return data_folder(tmp_path) / "appendonlydir"


def only(files: Path, pattern: str) -> Path:
    (path,) = files.glob(pattern)
    return path


def overwrite(path: Path, start: int, new: bytes) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:start] + new + content[start + len(new) :])


def written_by_a_newer_version(files: Path) -> None:
    overwrite(only(files, "*.base.rdb"), 0, b"REDIS0255")


def damaged_base(files: Path) -> None:
    overwrite(only(files, "*.base.rdb"), 40, b"\xff" * 20)


def truncated_base(files: Path) -> None:
    base = only(files, "*.base.rdb")
    base.write_bytes(base.read_bytes()[:30])


def damaged_commands(files: Path) -> None:
    overwrite(only(files, "*.incr.aof"), 3000, b"\xff" * 200)


def damaged_manifest(files: Path) -> None:
    only(files, "*.manifest").write_text("no manifest\n")


def missing_base(files: Path) -> None:
    only(files, "*.base.rdb").unlink()


def test_the_terminal_shows_the_cause_and_the_folder_to_move_away(files: Path, tmp_path: Path) -> None:
    written_by_a_newer_version(files)
    running = start(tmp_path)
    assert running.process.wait(LONG_S) == 1
    lines = running.output.splitlines()
    assert any("redis │" in line and "RDB format version 255" in line for line in lines), running.output
    assert lines[-1].startswith("CommandError: ")
    assert str(data_folder(tmp_path)) in lines[-1]
    assert running.processes() == {}


@pytest.mark.parametrize(
    "damage",
    [
        written_by_a_newer_version,
        damaged_base,
        truncated_base,
        damaged_commands,
        damaged_manifest,
        missing_base,
    ],
)
def test_unreadable_data_ends_the_start_at_once(damage: Callable[[Path], None], files: Path, tmp_path: Path) -> None:
    damage(files)
    lines: list[str] = []
    supervisor = Supervisor(lambda name, line, level="info": lines.append(line))
    supervisor.start(processes.redis(tmp_path))
    with pytest.raises(SiteProblem, match=str(data_folder(tmp_path))):
        supervisor.attend(LONG_S)
    supervisor.stop()
    assert lines
    assert not any(", restarting" in line for line in lines)


def test_data_with_an_unfinished_last_command_is_read(files: Path, tmp_path: Path) -> None:
    commands = only(files, "*.incr.aof")
    commands.write_bytes(commands.read_bytes()[:-7])
    with redis_server(tmp_path) as url, redis.Redis.from_url(url) as client:
        assert client.get("key98") == b"value" * 10


def test_a_machine_without_an_embedded_redis_needs_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    site = Site(
        SiteLocation(ROOT, tmp_path, free_port(), f"unix://{socket_path(tmp_path)}"),
        Terminal(Console(file=io.StringIO())),
    )
    with pytest.raises(SiteProblem, match="REDIS_URL"), site.up(lambda: None):
        pass
