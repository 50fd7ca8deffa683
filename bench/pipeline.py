"""Whole matches: claimed, played in the sandbox with a fresh process a seat, stored and rated by real Celery workers.

``python -m bench.pipeline [--matches 400] [--workers 2] [--databases sqlite postgresql] [--bot json|lean]`` plays four
uploaded trivial bots with each other on new databases, with a Redis of its own, and prints matches/s and where the
processors' time went. A *share* is of all processor time that was used: by workers, bots, broker and database server.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.consumption import Processes
from bench.databases import on_each
from bench.split import Meter, Run, show
from esr_platform.supervising.broker import server_command, socket_path
from esr_platform.supervising.child import die_with_parent
from esr_platform.supervising.problems import redis_answers
from tests.bots.sandbox import programs
from tests.services.ports import wait_until
from tests.services.workers import Processes as Group
from tests.services.workers import processes

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
"""Trivial bots, which play the default: one as people write them, and one that imports nothing but ``sys``."""

WARM_UP = 5
"""Blocks before the clock starts, in which the workers prove the sandbox and unpack the bots."""

STALLED_S = 45.0


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
    """The PostgreSQL that this bench runs on, if it does: it was started by whoever has started us."""
    server = [pid for pid in Processes().children[os.getppid()] if _name(pid) == "postgres"]
    return server[0] if server else None


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def four_bots(source: bytes) -> list[Any]:
    """Players of the ladder, four uploaded bots of four people."""
    from bots.archives import ArchiveLimits, read_upload
    from bots.managing import make_active
    from bots.models import Bot, BotVersion
    from bots.stored import keep
    from esr_platform.accounts.models import User
    from ladder.blocks import Player
    from ladder.joining import enter

    players = []
    for number in range(4):
        owner = User.objects.create(username=f"user{number}", email=f"{number}@example.org")
        bot = Bot.objects.create(owner=owner, name=f"Trivial {number}", slug=f"trivial-{number}")
        code = b"# %d\n%b" % (number, source)
        digest = read_upload("bot.py", code, ArchiveLimits()).digest
        version = BotVersion.objects.create(
            bot=bot, number=1, digest=digest, archive=keep("bot.py", code), filename="bot.py", size=len(code),
            command=["bot.py"], claims={"edel-stein-reich": [4]},
        )  # fmt: skip
        make_active(version)
        enter(bot)
        players.append(Player(version, bot.entries.get(ladder__slug=LADDER)))
    return players


def play(players: list[Any], blocks: int) -> None:
    """Schedule blocks and wait until all their matches have ended; told again every two seconds, as beat does."""
    from django.db import transaction

    from ladder.blocks import schedule_block
    from ladder.dispatching import dispatch
    from ladder.models import Ladder, Match

    for _ in range(blocks):
        with transaction.atomic():
            ladder = Ladder.objects.select_for_update(no_key=True).get(slug=LADDER)
            schedule_block(ladder, players, sent=False)
    stalled, left = time.monotonic() + STALLED_S, blocks * 4
    while left:
        dispatch()
        for _ in range(20):
            time.sleep(0.1)
            before, left = left, Match.objects.filter(status__in=Match.PENDING).count()
            if left < before:
                stalled = time.monotonic() + STALLED_S
            if not left:
                return
        if time.monotonic() > stalled:
            sys.exit(f"{left} matches are left and nothing ends any more")


def check(matches: int) -> None:
    """Every match is finished, and nobody had a strike: only then were bots measured and not their failures."""
    from ladder.models import Match, Result

    finished = Match.objects.filter(status=Match.Status.FINISHED).count()
    struck = sum(bool(seat["strikes"]) for result in Result.objects.all() for seat in result.report["seats"])
    if finished != matches or struck:
        sys.exit(f"{finished} of {matches} matches are finished, {struck} seats had strikes")


def costs(folder: Path, since: float) -> list[dict[str, float]]:
    """what the workers wrote down of matches that began after ``since``."""
    lines = [json.loads(line) for path in folder.iterdir() for line in path.read_text().splitlines()]
    return [line for line in lines if line["began_at"] >= since]


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    players = four_bots(BOTS[options.bot])
    folder = Path(os.environ["VAR_DIR"])
    logs = folder / "pipeline"
    logs.mkdir()
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL")}
    environment |= {"PIPELINE_LOGS": str(logs), "LOG_LEVEL": "ERROR"}
    with broker(folder) as redis, processes(environment) as group:
        meter = Meter(_worker(group, options.workers).pid, redis, postgres_pid())
        play(players, WARM_UP)
        before, since = meter.read(), time.time()
        play(players, -(-options.matches // 4))
        after = meter.read()
    tasks = costs(logs, since)
    check(len(tasks) + 4 * WARM_UP)
    wall_s = max(task["ended_at"] for task in tasks) - since
    show(f"{options.inside}, {options.bot} bots", Run(after.since(before), tasks, options.workers, wall_s))


def _worker(group: Group, workers: int) -> subprocess.Popen[bytes]:
    options = ["--queues", "matches,soon", "--concurrency", str(workers), "--loglevel", "ERROR"]
    quiet = ["--hostname", "pipeline@bench", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return group.python("-m", "celery", "--quiet", "--app", "bench.measured", "worker", *options, *quiet)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bot", default="json", choices=sorted(BOTS))
    return on_each("bench.pipeline", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
