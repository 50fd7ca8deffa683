"""Whole matches through real Celery workers: ``python -m bench.pipeline``.

The matches are claimed, played in the sandbox with one fresh process per seat, stored and rated. Four uploaded trivial
bots play each other on new databases, with a dedicated Redis. Prints matches/s and how the CPU time was used. A *share*
is a share of all CPU time that workers, bots, broker and database server used.

Afterwards, the same bots play over the API of worker hosts: rounds with Celery workers alternate with rounds in which a
host with as many processes asks the site for work, without any settings or secrets of the site.

The parts are measured by the processes that play (``bench.timed_worker``), the total by the kernel. If the two
disagree, the figures are wrong and the bench fails (``bench.cpu_time``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

from bench.cpu_time import ProcessTable, require_plausible
from bench.databases import on_each
from bots.runner.clock import cores
from esr_platform.supervisor.broker import server_command
from esr_platform.supervisor.problems import redis_answers
from esr_platform.supervisor.processes import die_with_parent
from esr_platform.supervisor.sockets import socket_path
from tests.bots.sandbox import programs
from tests.services.ports import free_port, wait_until
from tests.services.workers import ROOT, processes
from tests.services.workers import Processes as Group

LADDER = "edel-stein-reich-4"
BOTS = {
    "lean": b"""\
import sys
write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
for line in sys.stdin.buffer:
    if line.startswith(b'{"type":"hello"'):
        write(b'{"type": "ready"}\\n')
    elif line.startswith(b'{"type":"decide"'):
        number = line.split(b'"id":', 1)[1].split(b",", 1)[0]
        move = line.split(b'"default":', 1)[1].split(b',"legal":', 1)[0]
        write(b'{"id": %b, "move": %b}\\n' % (number, move))
    flush()
""",
    "json": programs.HONEST.lstrip().encode(),
}
"""Trivial bots that play the default: ``json`` is written as people usually do, ``lean`` imports only ``sys``."""

WARM_UP = 5
"""Blocks before the measurement, in which the workers prove the sandbox and unpack the bots."""

STALLED_S = 120.0
GOAL_MATCHES_S, GOAL_PLATFORM, GOAL_CELERY, GOAL_HOSTS = 10.0, 0.30, 0.05, 0.9


@dataclass(frozen=True)
class Reading:
    """CPU seconds used so far at the time ``at_s``. ``workers`` is Celery's main process with everything below it.

    ``main`` is the main process alone, and a part of ``workers``.
    """

    at_s: float
    main: float
    workers: float
    broker: float
    database: float


@dataclass(frozen=True)
class Meter:
    """Reads the CPU time of a running site. The fields are pids."""

    main: int
    redis: int
    database: int | None

    def read(self) -> Reading:
        table = ProcessTable()
        database = table.tree_s(self.database) if self.database else 0.0
        workers, broker = table.tree_s(self.main), table.tree_s(self.redis)
        return Reading(time.monotonic(), table.own_s(self.main), workers, broker, database)


@dataclass(frozen=True)
class Run:
    """A measured run: two readings, and the :class:`bench.timed_worker.Cost` of every match between them."""

    before: Reading
    after: Reading
    tasks: list[dict[str, float]]
    workers: int
    wall_s: float
    cores: int

    @property
    def rate(self) -> float:
        """Matches per second."""
        return len(self.tasks) / self.wall_s

    def total(self, key: str) -> float:
        """The sum of one field of the costs."""
        return sum(task[key] for task in self.tasks)

    def used(self, key: str) -> float:
        """What one field of the readings has grown by."""
        return float(getattr(self.after, key) - getattr(self.before, key))

    def parts(self) -> dict[str, float]:
        """CPU seconds by purpose. The first two are the bots' own time and their starts, the last is Celery."""
        return {
            "the bots, from the start of their interpreters to their end": self.total("bots_cpu_s"),
            "starting them, at the worker's end": self.total("starts_cpu_s"),
            "runner and engine": self.total("game_cpu_s") - self.total("starts_cpu_s"),
            "claim, specification, re-execution, result, rating": self.total("task_cpu_s") - self.total("game_cpu_s"),
            "database server": self.used("database"),
            "Celery and its broker": self.used("main") + self.used("broker") + self.total("between_cpu_s"),
        }

    def counted_s(self) -> float:
        """The CPU seconds of all these processes by the kernel's count."""
        return self.used("workers") + self.used("broker") + self.used("database")

    def check(self) -> None:
        """Exit unless the parts add up to the kernel's total and can be true."""
        require_plausible(self.parts(), self.after.at_s - self.before.at_s, self.counted_s(), self.cores)


@contextmanager
def broker(folder: Path) -> Iterator[int]:
    """The Redis that the site embeds, in ``folder``; gives its pid."""
    null, command = subprocess.DEVNULL, server_command(folder)
    redis = subprocess.Popen(command, stdin=null, stdout=null, preexec_fn=die_with_parent)  # noqa: PLW1509
    try:
        wait_until(lambda: redis_answers(f"unix://{socket_path(folder)}"), "Redis answers")
        yield redis.pid
    finally:
        redis.kill()
        redis.wait()


def postgres_pid() -> int | None:
    """The main process of PostgreSQL if the bench uses it. Its parent is also the parent of this process."""
    if not os.environ["DATABASE_URL"].startswith("postgres"):
        return None
    for pid in ProcessTable().children[os.getppid()]:
        if Path(f"/proc/{pid}/comm").read_text().strip() == "postgres":
            return pid
    sys.exit("The PostgreSQL server of this bench was not found, so its CPU time is unknown.")


def uploaded_bots(source: bytes, count: int = 4, formats: dict[str, list[int]] | None = None) -> list[Any]:
    """Uploaded bots of as many users, as players of the ladder. ``formats`` are the formats of the bots."""
    from bots.archives import ArchiveLimits, read_upload
    from bots.models import Bot, BotVersion
    from bots.owners import make_active
    from bots.uploads.storage import keep
    from esr_platform.accounts.models import User
    from ladder.matches.blocks import BlockPlayer
    from ladder.members.memberships import enter

    players = []
    for number in range(count):
        owner = User.objects.create(username=f"user{number}", email=f"{number}@example.org")
        bot = Bot.objects.create(owner=owner, name=f"Trivial {number}", slug=f"trivial-{number}")
        code = b"# %d\n%b" % (number, source)
        digest = read_upload("bot.py", code, ArchiveLimits()).digest
        version = BotVersion.objects.create(
            bot=bot, number=1, digest=digest, archive=keep("bot.py", code).path, filename="bot.py", size=len(code),
            command=["bot.py"], formats=formats or {"edel-stein-reich": [4]},
        )  # fmt: skip
        make_active(version)
        enter(bot)
        players.append(BlockPlayer(version, bot.memberships.get(ladder__slug=LADDER)))
    return players


def schedule(players: list[Any], blocks: int) -> None:
    """Queue the matches of this number of blocks. No worker is notified yet."""
    from django.db import transaction

    from ladder.matches.blocks import schedule_block
    from ladder.models import Ladder

    for _ in range(blocks):
        with transaction.atomic():
            ladder = Ladder.objects.select_for_update(no_key=True).get(slug=LADDER)
            schedule_block(ladder, players, sent=False)


def play() -> None:
    """Notify the workers every two seconds, as beat does, and return when all queued matches have ended."""
    from ladder.matches.dispatch import dispatch
    from ladder.models import Match

    def pending() -> int:
        return Match.objects.filter(status__in=Match.PENDING).count()

    stalled, left = time.monotonic() + STALLED_S, pending()
    while left:
        dispatch()
        for _ in range(20):
            time.sleep(0.1)
            before, left = left, pending()
            if left < before:
                stalled = time.monotonic() + STALLED_S
            if not left:
                return
        if time.monotonic() > stalled:
            sys.exit(f"No match finished in the last {STALLED_S:.0f} s; {left} matches are left.")


def check_matches(matches: int) -> None:
    """Exit unless every match has finished without a strike. Otherwise failures of bots were measured."""
    from ladder.models import Match, Result

    finished = Match.objects.filter(status=Match.Status.FINISHED).count()
    struck = sum(bool(seat["strikes"]) for result in Result.objects.all() for seat in result.report["seats"])
    if finished != matches or struck:
        sys.exit(f"Only {finished} of {matches} matches finished, and {struck} seats had strikes.")


def costs(folder: Path, count: int) -> list[dict[str, float]]:
    """The costs of all matches so far, in the order of their beginnings, once there are ``count`` of them."""

    def written() -> list[dict[str, float]]:
        return [json.loads(line) for path in folder.iterdir() for line in path.read_text().splitlines()]

    wait_until(lambda: len(written()) >= count, "the workers have logged all matches")
    return sorted(written(), key=lambda cost: cost["began_at"])


def measure(options: argparse.Namespace) -> None:
    """Measure on the database of ``DATABASE_URL``, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    players = uploaded_bots(BOTS[options.bot])
    folder = Path(os.environ["VAR_DIR"])
    logs = folder / "pipeline"
    logs.mkdir()
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL")}
    environment |= {"PIPELINE_LOGS": str(logs), "LOG_LEVEL": "ERROR"}
    blocks = -(-options.matches // 4)
    matches = 4 * (WARM_UP + blocks)
    with broker(folder) as redis, processes(environment) as group:
        meter = Meter(_worker(group, options).pid, redis, postgres_pid())
        schedule(players, WARM_UP)
        play()
        warm = len(costs(logs, 4 * WARM_UP))
        schedule(players, blocks)
        before, since = meter.read(), time.time()
        play()
        tasks = costs(logs, matches)[warm:]
        after = meter.read()
    check_matches(matches)
    wall_s = max(task["ended_at"] for task in tasks) - since
    run = Run(before, after, tasks, options.workers, wall_s, cores())
    run.check()
    show(f"{options.inside}, {options.bot} bots", run)
    if options.rounds:
        show_paths(compare_paths(options, players, environment))


@dataclass(frozen=True)
class Round:
    """A round of one path: matches/s, and CPU milliseconds per match of all processes but the database server's."""

    rate: float
    cpu_ms: float


Rounds = Mapping[str, Sequence[Round]]
"""By path."""


def compare_paths(options: argparse.Namespace, players: list[Any], environment: Mapping[str, str]) -> Rounds:
    """Measure rounds in which Celery workers play, and rounds in which a worker host does, in turn."""
    from bots import worker_hosts
    from bots.models import WorkerScope

    _, token = worker_hosts.create("bench", list(WorkerScope))
    blocks, rounds = -(-options.matches // 4), dict[str, list[Round]](celery=[], hosts=[])
    with broker(Path(environment["VAR_DIR"])) as redis:
        for path in [*rounds] * options.rounds:
            with processes({**environment, "MAX_PAGES_PER_MINUTE": "100000"}) as group:
                host = None
                if path == "celery":
                    _worker(group, options)
                else:
                    host = _host(group, token, options.workers)
                schedule(players, WARM_UP)
                play()
                schedule(players, blocks)
                pids = [redis, *(process.pid for process in group.started)]
                began_s, before_s = time.monotonic(), _cpu_s(pids)
                play()
                wall_s, cpu_s = time.monotonic() - began_s, _cpu_s(pids) - before_s
                rounds[path].append(Round(4 * blocks / wall_s, 1e3 * cpu_s / (4 * blocks)))
                if host is not None:
                    host.terminate()
                    host.wait()
    return rounds


def _cpu_s(pids: Sequence[int]) -> float:
    """The CPU time of these processes with all below them."""
    table = ProcessTable()
    return sum(table.tree_s(pid) for pid in pids)


def _host(group: Group, token: str, workers: int) -> subprocess.Popen[bytes]:
    """Start a web server, and a worker host with the environment that it needs: no more than a token."""
    port = free_port()
    group.web(port)
    wait_until(lambda: _answers(port), "the web server answers")
    site, cache = f"http://127.0.0.1:{port}", tempfile.mkdtemp(prefix="host-", dir=os.environ["VAR_DIR"])
    command = [
        "-m",
        "bots.worker",
        "--site",
        site,
        "--processes",
        str(workers),
        "--live-processes",
        "0",
        "--cache",
        cache,
    ]
    known = {name: os.environ[name] for name in ("PATH", "HOME", "ESR_RUNTIME_DIR") if name in os.environ}
    host = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**known, "ESR_WORKER_TOKEN": token},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509
    )
    group.started.append(host)
    return host


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/livez", timeout=5) as response:
            return bool(response.status == HTTPStatus.OK)
    except OSError:
        return False


def show_paths(rounds: Rounds) -> None:
    """Print the rounds of both paths and their ratio."""
    for path, each in rounds.items():
        rates = ", ".join(f"{one.rate:.1f}" for one in each)
        print(f"    {path}: {rates} matches/s; {median(one.cpu_ms for one in each):.1f} ms CPU time per match")
    hosts, celery = (median(one.rate for one in rounds[path]) for path in ("hosts", "celery"))
    ratio = hosts / celery
    met = "met" if ratio >= GOAL_HOSTS else "MISSED"
    print(f"    worker hosts / Celery workers: {ratio:.2f}, at least {GOAL_HOSTS}: {met}")


def _worker(group: Group, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    words = ["--queues", "matches,soon", "--concurrency", str(options.workers), "--loglevel", "ERROR"]
    if options.tasks_per_child:
        words += ["--max-tasks-per-child", str(options.tasks_per_child)]
    quiet = ["--hostname", "pipeline@bench", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return group.python("-m", "celery", "--quiet", "--app", "bench.timed_worker", "worker", *words, *quiet)


def show(title: str, run: Run) -> None:
    """Print matches/s, the parts of the CPU time and the goals."""
    parts, count, whole = run.parts(), len(run.tasks), run.counted_s()
    print(f"{title}: {run.rate:.1f} matches/s ({count} matches, {run.workers} workers, {run.cores} cores)")
    for name, seconds in {**parts, "not accounted for": whole - sum(parts.values())}.items():
        print(f"    {seconds / count * 1e3:7.2f} ms {seconds / whole:6.1%}  {name}")
    print(
        f"    {whole / count * 1e3:7.2f} ms CPU time per match; limit with all cores:"
        f" {run.cores * count / whole:.1f} matches/s;"
        f" {whole / (run.after.at_s - run.before.at_s):.2f} cores in use"
    )
    game, starts, task = run.total("game_s"), run.total("starts_s"), run.total("task_s")
    spans = {
        "starting": starts,
        "playing": game - starts,
        "claiming and storing": task - game,
        "between matches": run.workers * run.wall_s - task,
    }
    print("    time of a worker:", ", ".join(f"{span / count * 1e3:.1f} ms {name}" for name, span in spans.items()))
    shares = [seconds / whole for seconds in parts.values()]
    show_goals(run.rate, sum(shares[2:]), shares[-1])


def show_goals(rate: float, platform: float, celery: float) -> None:
    """Print which goals are met."""
    for what, reached, goal, met in (
        ("matches/s", f"{rate:.1f}", f"at least {GOAL_MATCHES_S:.0f}", rate >= GOAL_MATCHES_S),
        ("platform share", f"{platform:.1%}", f"below {GOAL_PLATFORM:.0%}", platform < GOAL_PLATFORM),
        ("Celery share", f"{celery:.1%}", f"below {GOAL_CELERY:.0%}", celery < GOAL_CELERY),
    ):
        print(f"    {what}: {reached}, {goal}: {'met' if met else 'MISSED'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=400, help="number of matches (default: 400)")
    parser.add_argument("--workers", type=int, default=2, help="number of worker processes (default: 2)")
    parser.add_argument("--bot", default="json", choices=sorted(BOTS), help="the bot that plays (default: json)")
    parser.add_argument(
        "--tasks-per-child", type=int, help="matches until Celery replaces a worker process (default: as the site)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds per path, with and without hosts (default: 3)")
    return on_each("bench.pipeline", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
