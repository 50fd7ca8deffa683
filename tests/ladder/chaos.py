"""Matches under fire: workers, what they have started, beat, Redis and PostgreSQL are killed while games are played.

``python -m tests.ladder.chaos --matches 60`` does it on a new SQLite file, with ``--postgresql`` on a server of its
own, which is killed too. What is scheduled must get exactly one result each, and the books must be right
(``tests.ladder.accounts``). With ``--cups swiss/2 knockout/4``, the matches are those of cups of 16 bots, which must
also finish and be verified by ``manage.py verify --cup``.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from esr_platform.supervisor.broker import server_command
from esr_platform.supervisor.problems import redis_answers
from esr_platform.supervisor.processes import die_with_parent
from esr_platform.supervisor.sockets import socket_path
from tests.services.ports import wait_until
from tests.services.postgres import Server, running_server
from tests.services.workers import Processes, processes

STALLED_S = 240.0
"""How long nothing may come to its end: a lost lease, its pause and a slow match fit in several times over."""

ENTRANTS = 16

UPLOADED = 8
"""Entrants of a cup that play in the sandbox, two for each owner. House bots are the others."""

CANNOT_START = b"raise SystemExit(1)\n"
"""One of the uploaded bots: it loses all its games and delays none."""

SWISS_ROUNDS = 3


@dataclass
class Site:
    """Everything that can be killed, and how to start it again."""

    group: Processes
    folder: Path
    random: Random
    postgresql: Server | None = None
    redis: subprocess.Popen[bytes] | None = None
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    def start(self) -> None:
        self.start_redis()
        for name in ("matches 1", "matches 2", "default", "beat", "beat 2"):  # two schedulers change nothing
            self.start_process(name)

    def start_redis(self) -> None:
        command = server_command(self.folder)
        nothing = subprocess.DEVNULL
        self.redis = subprocess.Popen(command, stdin=nothing, stdout=nothing, preexec_fn=die_with_parent)
        wait_until(lambda: redis_answers(f"unix://{socket_path(self.folder)}"), "Redis answers")

    def start_process(self, name: str) -> None:
        queue = "matches,soon,on_time" if name.startswith("matches") else name
        self.running[name] = self.group.beat() if name.startswith("beat") else self.group.worker(queue)

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

    def kill_postgresql(self, by: signal.Signals) -> bool:
        """End the database server, with whatever was being committed, and start it again."""
        assert self.postgresql is not None
        self.postgresql.end(by)
        self.postgresql.start()
        return True

    @property
    def kinds(self) -> dict[str, Callable[[], bool]]:
        """What can be killed here; each says whether there was something to kill."""
        kinds: dict[str, Callable[[], bool]] = {
            "worker child": self.kill_child,
            "worker": lambda: self.kill_process(self.random.choice(["matches 1", "matches 2"])),
            "redis": lambda: self.kill_redis(and_its_memory=False),
            "redis and its memory": lambda: self.kill_redis(and_its_memory=True),
            "default": lambda: self.kill_process("default"),
            "beat": lambda: self.kill_process(self.random.choice(["beat", "beat 2"])),
        }
        if self.postgresql is not None:
            kinds["postgresql, restarted"] = lambda: self.kill_postgresql(signal.SIGINT)
            kinds["postgresql, killed"] = lambda: self.kill_postgresql(signal.SIGKILL)
        return kinds

    def kill_something(self) -> None:
        """One kill of a kind that has not had its turn yet in this round of kinds."""
        kinds = self.kinds
        fewest = min(self.kills[kind] for kind in kinds)
        kind = self.random.choice([kind for kind in kinds if self.kills[kind] == fewest])
        if kinds[kind]():
            self.kills[kind] += 1


@contextmanager
def site(environment: dict[str, str], random: Random, postgresql: Server | None = None) -> Iterator[Site]:
    """A site on the database and in the folder of ``environment``, with a Redis of its own that may be killed."""
    folder = Path(environment["VAR_DIR"])
    url = f"unix://{socket_path(folder)}"
    with processes({**environment, "REDIS_URL": url, "LOG_LEVEL": "CRITICAL"}) as group:
        running = Site(group, folder, random, postgresql)
        try:
            running.start()
            yield running
        finally:
            if running.redis is not None:
                running.redis.kill()
                running.redis.wait()


def under_fire(running: Site, matches: int, kill_every: int, say: Callable[[str], Any] = lambda _: None) -> None:
    """Have at least ``matches`` scheduled and wait until all have ended, with a kill after every few results."""
    from esr_platform.disconnects import retry_on_disconnect
    from ladder.models import Ladder

    ended, scheduled = 0, 0
    while ended < scheduled or scheduled < matches:
        wait_until(lambda before=ended: _counts()[0] > before, "another match has ended", STALLED_S)
        before, (ended, scheduled) = ended, _counts()
        if scheduled >= matches:
            retry_on_disconnect(lambda: Ladder.objects.update(open=False))
            ended, scheduled = _counts()
        if ended // kill_every > before // kill_every:
            running.kill_something()
        say(f"\r{ended} of {scheduled} matches, {running.kills.total()} kills")
    _counts()  # the last kill may have taken this process' own connection
    say("\n")


def cups_under_fire(running: Site, kill_every: int, say: Callable[[str], Any] = lambda _: None) -> None:
    """Wait until all cups have ended, with a kill after every few results."""
    from esr_platform.disconnects import retry_on_disconnect
    from ladder.models import Cup

    def is_over() -> bool:
        return not retry_on_disconnect(lambda: Cup.objects.filter(state__in=Cup.OPEN).exists())

    ended = 0
    while not is_over():
        wait_until(lambda before=ended: is_over() or _counts()[0] > before, "another match has ended", STALLED_S)
        before, (ended, scheduled) = ended, _counts()
        if ended // kill_every > before // kill_every:
            running.kill_something()
        say(f"\r{ended} of {scheduled} matches, {running.kills.total()} kills")
    say("\n")


def _counts() -> tuple[int, int]:
    """How many matches have ended, and how many there are."""
    from esr_platform.disconnects import retry_on_disconnect
    from ladder.models import Match

    states = retry_on_disconnect(lambda: Counter(Match.objects.order_by().values_list("status", flat=True)))
    return sum(states[state] for state in Match.ENDED), states.total()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--kill-every", type=int, default=5, help="a kill after that many results")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cups", nargs="+", metavar="FORMAT/SEATS", help="play these cups instead, such as swiss/2")
    parser.add_argument("--postgresql", action="store_true", help="on PostgreSQL, which is killed too")
    options = parser.parse_args()
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="esr-chaos-database-"))
        server = stack.enter_context(running_server()) if options.postgresql else None
        os.environ["DATABASE_URL"] = server.url if server else f"sqlite:///{name}/db.sqlite3"
        os.environ.update(VAR_DIR=name, SECRET_KEY="0123456789" * 5, DJANGO_SETTINGS_MODULE="esr_platform.settings")
        return _on_an_empty_database(options, server)


def _on_an_empty_database(options: argparse.Namespace, server: Server | None) -> int:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db.models import Count, Q

    from ladder.matches.leases import MOST_FAILURES
    from ladder.models import Attempt, Match
    from tests.ladder.accounts import accounts

    call_command("migrate", verbosity=0)
    call_command("open_house")
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR")}
    began = monotonic()
    if options.cups:
        _create_cups(options.cups)
    else:
        _schedule_tests()
    with site(environment, Random(options.seed), server) as running:
        if options.cups:
            cups_under_fire(running, options.kill_every, _said)
        else:
            under_fire(running, options.matches, options.kill_every, _said)
    print(f"{monotonic() - began:.0f} s, kills:", dict(running.kills))
    print("matches:", dict(Counter(Match.objects.order_by().values_list("status", flat=True))))
    print("attempts:", dict(Counter(Attempt.objects.order_by().values_list("ending", flat=True))))
    failed = Count("attempts", Q(attempts__ending__in=("failed", "expired")))
    ended = Match.objects.exclude(reason="").exclude(status=Match.Status.CANCELLED, block__cup_table__isnull=False)
    ended = ended.annotate(failed=failed)  # what a cup cancels has a void game in its block
    # The kills are random, so they can end all attempts of a match, which is then void by rule.
    wrong = [f"{match} is {match.status}: {match.reason}" for match in ended if match.failed < MOST_FAILURES]
    wrong += [f"nothing was killed of the kind {kind}" for kind in running.kinds if not running.kills[kind]]
    wrong += [*accounts(), *_wrong_cups()]
    print(
        "\n".join(wrong) or "every match has one result, every block ended with its last, the ledger gives every rating"
    )
    return 1 if wrong else 0


def _said(text: str) -> None:
    print(text, end="", flush=True)


def _create_cups(wanted: Sequence[str]) -> None:
    """Cups of house bots and uploaded bots that begin at the next beat; no ladder plays meanwhile."""
    from django.utils import timezone

    from esr_platform.accounts.models import User
    from games.registry import GAMES
    from ladder.cups.creation import CupForm, create_cup
    from ladder.cups.registration import enter
    from ladder.models import Cup, Ladder, Membership
    from tests.build import HONEST, person, uploaded, verified

    Ladder.objects.update(open=False)
    formats = {slug: list(game.seat_counts) for slug, game in GAMES.items()}
    owners = [person(f"owner-{number}") for number in range(UPLOADED // 2)]
    codes = [HONEST] * (UPLOADED - 1) + [CANNOT_START]
    own = [uploaded(owners[number // 2], f"Bot {number}", code, formats) for number, code in enumerate(codes)]
    now, soon = timezone.now(), timezone.now() + timedelta(hours=1)
    for number, (format_, seats) in enumerate(cup_format.split("/") for cup_format in wanted):
        game = next(slug for slug, known_game in GAMES.items() if int(seats) in known_game.seat_counts)
        rounds = SWISS_ROUNDS if format_ == "swiss" else None
        form = CupForm(f"{format_} {seats}", game, int(seats), format_, soon, soon, rounds=rounds, entries_per_user=2)
        cup = create_cup(verified(f"organizer-{number}"), form)
        house = Membership.objects.filter(ladder=cup.ladder, bot__owner=None).select_related("bot").order_by("pk")
        for bot in [*own, *(membership.bot for membership in house[: ENTRANTS - UPLOADED])]:
            enter(bot.owner or User.objects.get(pk=cup.organizer_id), cup, bot)
    Cup.objects.update(closes_at=now, starts_at=now)


def _wrong_cups() -> Iterator[str]:
    """Every cup has finished with all entrants and can be verified, and every table that is not void has its points."""
    from django.core.management import CommandError, call_command

    from bots.tournaments.tables import MOST_REPLACEMENTS
    from ladder.models import Cup, CupEntry, CupTable, SeatResult

    broken = SeatResult.objects.filter(seat__version__bot__name=f"Bot {UPLOADED - 1}", forfeit="")
    yield from (
        f"a bot that cannot start has played match {forfeit.seat.match_id}" for forfeit in broken.select_related("seat")
    )
    for cup in Cup.objects.order_by("pk"):
        entrants = CupEntry.objects.filter(cup=cup, number__isnull=False, state=CupEntry.State.ENTERED).count()
        if cup.state != Cup.State.FINISHED or entrants != ENTRANTS:
            yield f"{cup} is {cup.state} with {entrants} entrants. {cup.reason}"
        for table in CupTable.objects.filter(round__cup=cup, points=None).select_related("round"):
            if table.blocks.filter(matches__status="void").count() <= MOST_REPLACEMENTS:
                yield f"{table} has no points"
        try:
            call_command("verify", cup=cup.slug)
        except CommandError as fault:
            yield str(fault)


def _schedule_tests() -> None:
    """A block on every ladder that is not rated, among those that are."""
    from django.db import transaction

    from ladder.matches.blocks import BlockPlayer, schedule_block
    from ladder.models import Block, Ladder

    for ladder in Ladder.objects.filter(players=Ladder.Players.HOSTED).order_by("pk"):
        memberships = ladder.memberships.select_related("bot").order_by("pk")[: ladder.seats]
        players = [BlockPlayer(version) for membership in memberships if (version := membership.bot.active_version)]
        with transaction.atomic():
            locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
            schedule_block(locked, players, purpose=Block.Purpose.TEST, sent=False)


if __name__ == "__main__":
    sys.exit(main())
