"""Measure remote bots on a small site: ``python -m bench.remote_play [--seats 4] [--bots 200]``.

The bench runs the real processes of the site (web, streams, default, beat), on SQLite and PostgreSQL. The bots play at
the same time in one other process (``bench.remote_players``). Each table makes a move every two seconds. The bench
measures:

- the time from sending the last answer that a ply waits for until the next ``decide`` arrives
- whether each decision arrives exactly once
- the memory of the web server and the worker

The game has no veiled moves, so no event is delayed on purpose. The bench fails only if its CPU times cannot be right
(``bench.cpu_time``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, quantiles
from typing import Any

from bench.cpu_time import ProcessTable, require_plausible
from bench.databases import on_each
from bench.pipeline import broker, postgres_pid
from tests.services.ports import free_port, wait_until
from tests.services.workers import ROOT, processes

GAME = "edel-stein-reich"
DUEL = "edel-stein-reich-duel"
GOAL_MS = 150
PACE_S = 2.0
EVERY_S = 5.0
OPENING_S = 20.0
"""After so long tables are open; what comes before is not measured for memory."""


@dataclass(frozen=True)
class Look:
    """One moment: since the start, and by part of the site its memory (MB) and processor time so far (s)."""

    at_s: float
    memory: dict[str, float]
    used_s: dict[str, float]


def registered_bots(count: int, game: str, seats: int) -> list[str]:
    """Create ``count`` remote bots with separate owners on the remote ladder; return their tokens."""
    from esr_platform.accounts import tokens
    from esr_platform.accounts.models import Scope, User
    from ladder.members.memberships import register
    from ladder.models import Ladder, Membership

    Ladder.objects.exclude(players=Ladder.Players.REMOTE).update(open=False)
    secrets = []
    for number in range(count):
        owner = User.objects.create(username=f"guest{number}", email=f"guest{number}@example.org")
        bot = register(owner, f"Caller {number}", {game: [seats]}).bot
        secrets.append(tokens.issue(owner, "program", [Scope.PLAY], None, bot)[1])
    assert Membership.objects.filter(ladder__players=Ladder.Players.REMOTE, active=True).count() == count
    return secrets


def look(began: float, parts: dict[str, int]) -> Look:
    """Measure the processes with these pids and their descendants."""
    table = ProcessTable()
    memory = {name: sum(rss_mb(process) for process in table.tree(pid)) for name, pid in parts.items()}
    return Look(time.monotonic() - began, memory, {name: table.tree_s(pid) for name, pid in parts.items()})


def rss_mb(pid: int) -> float:
    """Resident memory of one process; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


@dataclass(frozen=True)
class Running:
    """A site that runs: the ports of its web servers, and its processes by name."""

    ports: list[int]
    parts: dict[str, int]

    @property
    def port(self) -> int:
        """The port of the first web server."""
        return self.ports[0]

    def pids(self, name: str) -> list[int]:
        """The process ids of the parts with this name and a number."""
        return [pid for part, pid in self.parts.items() if part.startswith(name)]

    def watch(self, command: list[str], text: str) -> list[Look]:
        """Run ``command``, which is given ``text`` on standard input, and look at the site until it has ended."""
        began, looks = time.monotonic(), list[Look]()
        clients = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, text=True)
        assert clients.stdin is not None
        with clients.stdin as words:
            words.write(text)
        while clients.poll() is None:
            looks.append(look(began, self.parts))
            time.sleep(EVERY_S)
        return looks


@contextmanager
def site(webs: int = 1, streams: int = 1, **settings: str) -> Iterator[Running]:
    """Web servers, stream processes, one worker and the clock, on the database that this process sees.

    ``settings`` are theirs. The parts have the names ``web1``, ``web2``, ``streams1`` and so on.
    """
    names = ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL", "LOG_LEVEL")
    environment = {**{name: os.environ[name] for name in names}, **settings}
    with broker(Path(os.environ["VAR_DIR"])) as redis, processes(environment) as group:
        ports = list[int]()
        parts = dict[str, int]()
        for number in range(webs):
            ports.append(free_port())
            parts[f"web{number + 1}"] = group.web(ports[-1]).pid
        parts |= {f"streams{number + 1}": group.streams().pid for number in range(streams)}
        parts |= {"worker": group.worker("default,live").pid, "beat": group.beat().pid, "redis": redis}
        database = postgres_pid()
        parts |= {"database": database} if database else {}
        wait_until(lambda: all(map(answers, ports)), "the web servers answer", 60)
        yield Running(ports, parts)


def run(secrets: list[str], options: argparse.Namespace) -> tuple[dict[str, Any], list[Look]]:
    """Start the site, let the bots play, and look at it all the while."""
    out = Path(os.environ["VAR_DIR"]) / "played.json"
    with site() as running:
        command = [sys.executable, "-m", "bench.remote_players"]
        looks = running.watch([*command, *map(str, (running.port, options.seconds, PACE_S, out))], "\n".join(secrets))
    return json.loads(out.read_text()), looks


def answers(port: int) -> bool:
    """Whether somebody listens there."""
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def lost_or_doubled(asked: list[list[Any]]) -> tuple[int, int]:
    """How many decisions nobody was told of, and how many were told more than once."""
    decisions = defaultdict[tuple[int, int], list[int]](list)
    for bot, game, decision, *_ in asked:
        decisions[bot, game].append(decision)
    lost = sum(max(numbers) - len(set(numbers)) for numbers in decisions.values())
    return lost, sum(len(numbers) - len(set(numbers)) for numbers in decisions.values())


def show(title: str, report: dict[str, Any], looks: list[Look]) -> None:
    """The figures of one run."""
    from ladder.models import Match, PlayedMove

    answered = [(at_s, waited_ms) for *_, at_s, waited_ms in report["asked"] if waited_ms is not None]
    waited = sorted(waited_ms for at_s, waited_ms in answered if at_s >= OPENING_S)
    lost, doubled = lost_or_doubled(report["asked"])
    cuts = quantiles(waited, n=1000)
    verdict = "met" if cuts[989] <= GOAL_MS else f"MISSED (limit: {GOAL_MS} ms)"
    print(f"\n{title}")
    print(f"  {len(waited)} decisions sent: p50 {cuts[499]:.0f}, p90 {cuts[899]:.0f}, p99 {cuts[989]:.0f}: {verdict};"
          f" p99.9 {cuts[998]:.0f}, slowest {waited[-1]:.0f} ms")  # fmt: skip
    print(f"  decisions lost: {lost}, duplicated: {doubled}; responses by status: {report['answers']}")
    faults = PlayedMove.objects.exclude(default="").count()
    games = {status: Match.objects.filter(status=status).count() for status in ("finished", "running", "void")}
    print(f"  moves {PlayedMove.objects.count()}, default moves {faults}; games {games}; {report['broken'][:3]}")
    first, last = show_parts(looks)
    span = last.at_s - first.at_s
    decided = sum(first.at_s <= row[3] < last.at_s for row in report["asked"])
    own_ms = 1000 * web_and_streams_s(first, last) / max(1, decided)
    print(f"  {decided / span:.0f} decisions/s, {own_ms:.1f} ms CPU time of web and stream processes per decision")
    show_clients("the bots", report)
    print(f"  load average at the end: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


def show_clients(name: str, report: dict[str, Any]) -> None:
    """Print how busy the load generator was. Exits if its CPU time cannot be right."""
    print(f"  {name}: {report['cpu_s'] / report['wall_s']:.0%} of a core")
    require_plausible({name: report["cpu_s"]}, report["wall_s"])


def show_parts(looks: list[Look], since_s: float = OPENING_S) -> tuple[Look, Look]:
    """Print what each part of the site has used since then. Returns the first and the last look that count.

    Exits if the CPU times cannot be right.
    """
    steady = [look for look in looks if look.at_s >= since_s]
    first, last = steady[0], steady[-1]
    for name in last.memory:
        times = [look.at_s / 60 for look in steady]
        slope = linear_regression(times, [look.memory.get(name, 0.0) for look in steady]).slope
        cores = (last.used_s[name] - first.used_s[name]) / (last.at_s - first.at_s)
        print(f"  {name:9} {first.memory[name]:6.0f} → {last.memory[name]:4.0f} MB, {slope:+5.1f} MB/min; {cores:5.0%}"
              " of a core")  # fmt: skip
    used_s = {name: last.used_s[name] - first.used_s[name] for name in last.used_s}
    require_plausible(used_s, last.at_s - first.at_s)
    return first, last


def web_and_streams_s(first: Look, last: Look) -> float:
    """CPU seconds of the web servers and the stream processes between two looks."""
    names = [name for name in last.used_s if name.startswith(("web", "streams"))]
    return sum(last.used_s[name] - first.used_s[name] for name in names)


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    secrets = registered_bots(options.bots, DUEL if options.seats == 2 else GAME, options.seats)
    title = f"{options.inside}, {options.bots} bots, tables of {options.seats}, {options.seconds} s"
    show(title, *run(secrets, options))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--seats", type=int, default=4, choices=(2, 3, 4))
    parser.add_argument("--seconds", type=int, default=600)
    return on_each("bench.remote_play", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
