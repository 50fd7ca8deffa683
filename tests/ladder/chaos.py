"""Matches under fire: workers, their children, beat and Redis are killed while rated games are played.

``python -m tests.ladder.chaos --matches 60`` does it on the database of DATABASE_URL, or on a new SQLite file; what is
scheduled must get exactly one result each, and the ratings must be what the ledger gives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from esr_platform.supervising.broker import server_command, socket_path
from esr_platform.supervising.child import die_with_parent
from esr_platform.supervising.problems import redis_answers
from tests.services.ports import wait_until
from tests.services.workers import Processes, processes

STALLED_S = 240.0
"""How long nothing may come to its end: a lost lease, its pause and a slow match fit in several times over."""


@dataclass
class Site:
    """Everything that can be killed, and how to start it again."""

    group: Processes
    folder: Path
    random: Random
    redis: subprocess.Popen[bytes] | None = None
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    def start(self) -> None:
        self.start_redis()
        for name in ("matches 1", "matches 2", "default", "beat"):
            self.start_process(name)

    def start_redis(self) -> None:
        command = server_command(self.folder)
        self.redis = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        wait_until(lambda: redis_answers(f"unix://{socket_path(self.folder)}"), "Redis answers")

    def start_process(self, name: str) -> None:
        queue = "matches" if name.startswith("matches") else name
        self.running[name] = self.group.beat() if name == "beat" else self.group.worker(queue)

    def kill_child(self) -> bool:
        """Kill the process in which a worker plays."""
        worker = self.running[self.random.choice(["matches 1", "matches 2"])]
        children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        pids = [int(pid) for pid in children.read_text().split()] if children.exists() else []
        for pid in pids[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def kill_process(self, name: str) -> bool:
        """Kill a whole worker, or beat, with all that it has started, and start it again."""
        with suppress(ProcessLookupError):
            os.killpg(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()
        self.start_process(name)
        return True

    def kill_redis(self, *, and_its_memory: bool) -> bool:
        """Kill Redis and start it again, with what it had written down or with nothing."""
        assert self.redis is not None
        self.redis.kill()
        self.redis.wait()
        if and_its_memory:
            shutil.rmtree(self.folder / "redis")
        self.start_redis()
        return True

    def kill_something(self) -> None:
        """One kill of a kind that has not had its turn yet in this round of kinds."""
        kinds: dict[str, Callable[[], bool]] = {
            "worker child": self.kill_child,
            "worker": lambda: self.kill_process(self.random.choice(["matches 1", "matches 2"])),
            "redis": lambda: self.kill_redis(and_its_memory=False),
            "redis and its memory": lambda: self.kill_redis(and_its_memory=True),
            "default worker": lambda: self.kill_process("default"),
            "beat": lambda: self.kill_process("beat"),
        }
        fewest = min(self.kills[kind] for kind in kinds)
        kind = self.random.choice([kind for kind in kinds if self.kills[kind] == fewest])
        if kinds[kind]():
            self.kills[kind] += 1


@contextmanager
def site(environment: dict[str, str], random: Random) -> Iterator[Site]:
    """A site on the database of ``environment``, with a Redis of its own that may be killed; all gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="esr-chaos-") as name:
        folder = Path(name)
        url = f"unix://{socket_path(folder)}"
        with processes({**environment, "VAR_DIR": name, "REDIS_URL": url, "LOG_LEVEL": "CRITICAL"}) as group:
            running = Site(group, folder, random)
            try:
                running.start()
                yield running
            finally:
                if running.redis is not None:
                    running.redis.kill()
                    running.redis.wait()


def under_fire(running: Site, matches: int, kill_every: int, say: Callable[[str], Any] = lambda _: None) -> None:
    """Have at least ``matches`` scheduled and wait until all have ended, with a kill after every few results."""
    from ladder.models import Ladder, Match

    Ladder.objects.update(open=True)
    ended = 0
    while not ended or Match.objects.filter(status__in=("queued", "running")).exists():
        wait_until(lambda before=ended: _ended() > before, "another match has ended", STALLED_S)
        if Match.objects.count() >= matches:
            Ladder.objects.update(open=False)
        ended, before = _ended(), ended
        if ended // kill_every > before // kill_every:
            running.kill_something()
        say(f"\r{ended} of {Match.objects.count()} matches, {running.kills.total()} kills")
    say("\n")


def _ended() -> int:
    from ladder.models import Match

    return Match.objects.filter(status__in=("finished", "void", "cancelled")).count()


def accounts() -> list[str]:
    """Whatever is wrong in the books after all matches have ended, in sentences."""
    from games.record import RecordError, verify
    from ladder.models import Attempt, Entry, Match, Result, SeatResult
    from ladder.rebuilding import rerate
    from ladder.records import record_of

    wrong = [difference for rebuild in rerate(check=True) for difference in rebuild.differences]
    finished = Match.objects.filter(status="finished")
    if finished.count() != Result.objects.count():
        wrong.append(f"{finished.count()} finished matches have {Result.objects.count()} results")
    if Attempt.objects.filter(ending="open").exists():
        wrong.append("an attempt is still open")
    seats = sum(finished.values_list("ladder__seats", flat=True))
    if not seats == SeatResult.objects.count() == sum(Entry.objects.values_list("games", flat=True)):
        wrong.append(f"{seats} seats of finished matches, {SeatResult.objects.count()} results of seats")
    for match in finished:
        try:
            verify(record_of(match) or {})
        except RecordError as error:
            wrong.append(f"the record of {match}: {error}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--kill-every", type=int, default=5, help="a kill after that many results")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="esr-chaos-database-") as name:
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{name}/db.sqlite3")
        os.environ.update(VAR_DIR=name, SECRET_KEY="chaos", DJANGO_SETTINGS_MODULE="esr_platform.settings")
        return _on_an_empty_database(options)


def _on_an_empty_database(options: argparse.Namespace) -> int:
    import django

    django.setup()
    from django.core.management import call_command

    from ladder.models import Attempt, Match

    call_command("migrate", verbosity=0)
    call_command("open_house")
    with site({key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY")}, Random(options.seed)) as running:
        under_fire(running, options.matches, options.kill_every, lambda text: print(text, end="", flush=True))
    print("kills:", dict(running.kills))
    print("matches:", dict(Counter(Match.objects.order_by().values_list("status", flat=True))))
    print("attempts:", dict(Counter(Attempt.objects.order_by().values_list("ending", flat=True))))
    for match in Match.objects.exclude(reason=""):
        print(f"{match} is {match.status}: {match.reason}")
    wrong = accounts()
    print("\n".join(wrong) or "every match has one end, every finished match one result, every rating is the ledger's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
