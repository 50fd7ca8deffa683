"""Measure backup and restore of a site with many matches, on both databases: ``make bench-backups``.

A synthetic site is written to SQLite: blocks with the deals of the season keys, games of random play from a pool, their
ledger, ratings, and logs of the latest matches. Its backup is restored into SQLite and into PostgreSQL, and the
restored PostgreSQL site is backed up again. Every restore ends with the verification of ratings, records and deals.
Processor time is that of the command and its children. That of the PostgreSQL server is listed separately. Exits with
status 1 if a command fails or takes longer than the goal, which is 10 minutes for 1,000,000 matches.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from uuid import uuid4

from bench.cpu_time import ProcessTable, reaped_s
from bots.runner.clock import cores
from tests.services.postgres import Server, running_server

LADDER = "edel-stein-reich-4"
GAMES_PER_SEATING = 4
POOL = 4000
"""Number of different games. Parts of a backup are compressed separately and hold fewer rows."""

BLOCKS_PER_BATCH = 250
LOGGED = 10_000
"""Number of latest matches with logs, which are deleted after a while."""

GOAL_S_PER_MATCH = 600 / 1_000_000


def fill(matches: int) -> None:
    """Write a site with ``matches`` finished matches to the empty database of DATABASE_URL."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import transaction
    from django.utils import timezone

    from bots.tournaments.keys import season_seed
    from games.chance import commitment
    from games.registry import GAMES
    from ladder.ledger.entries import result_document
    from ladder.ledger.rebuild import rerate
    from ladder.models import (
        Attempt,
        Block,
        DealSeries,
        Ladder,
        LedgerEntry,
        Match,
        Membership,
        Result,
        Seat,
        SeatLog,
        SeatResult,
    )  # fmt: skip
    from ladder.packing import pack
    from ladder.ratings.chain import chained

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    random, now = Random(1), timezone.now()
    ladder = Ladder.objects.get(slug=LADDER)
    series = DealSeries.objects.select_related("season").get(season__ladder=ladder, kind="ladder")
    members = list(Membership.objects.filter(ladder=ladder).select_related("bot"))
    versions = {member.pk: member.bot.versions.get(active=True) for member in members}
    pool = []
    for _ in range(min(POOL, matches)):
        state = GAMES[ladder.game].new(ladder.seats, random.randbytes(32))
        while state.pending:
            for seat in state.pending:
                state.play(seat, state.random_move(seat, random))
        pool.append((state.record, pack(state.record)))
    for first in range(1, matches // GAMES_PER_SEATING + 1, BLOCKS_PER_BATCH):
        numbers = range(first, min(first + BLOCKS_PER_BATCH, matches // GAMES_PER_SEATING + 1))
        with transaction.atomic():
            blocks = []
            for number in numbers:
                seed = season_seed(bytes(series.key), series.name, series.season.number, number)
                blocks.append(
                    Block(
                        ladder=ladder, series=series, number=number, seed=seed, commitment=commitment(seed), ended=now
                    )
                )
            blocks = Block.objects.bulk_create(blocks)
            games = Match.objects.bulk_create(
                Match(ladder=ladder, block=block, status="finished", ended=now, seating=seating)
                for block in blocks
                for seating in range(GAMES_PER_SEATING)
            )
            attempts = Attempt.objects.bulk_create(
                Attempt(
                    match=game, number=1, token=uuid4(), worker="bots@bench", started=now, heartbeat_at=now, ended=now,
                    ending="finished",
                )
                for game in games
            )  # fmt: skip
            played = [random.choice(pool) for _ in games]
            report = {
                "machine_delays": [],
                "seats": [
                    {"name": f"bot {seat}", "thought_us": random.randrange(10**6), "strikes": [], "answers": 40}
                    for seat in range(ladder.seats)
                ],
            }
            figures = {str(seat): {"bought": random.randrange(40), "paid": random.randrange(200)} for seat in range(4)}
            results = Result.objects.bulk_create(
                Result(match=game, attempt=attempt, packed_record=packed, report=report, figures=figures)
                for game, attempt, (_, packed) in zip(games, attempts, played, strict=True)
            )
            tables = [random.sample(members, ladder.seats) for _ in blocks]
            seats = Seat.objects.bulk_create(
                Seat(
                    match=game,
                    index=index,
                    membership=(member := tables[place // GAMES_PER_SEATING][(index + place) % ladder.seats]),
                    version=versions[member.pk],
                )
                for place, game in enumerate(games)
                for index in range(ladder.seats)
            )
            groups = [seats[place : place + ladder.seats] for place in range(0, len(seats), ladder.seats)]
            SeatResult.objects.bulk_create(
                SeatResult(
                    result=result,
                    seat=seat,
                    rank=record["outcome"]["ranks"][seat.index],
                    score=record["outcome"]["scores"][seat.index],
                )
                for result, group, (record, _) in zip(results, groups, played, strict=True)
                for seat in group
            )
            entries = []
            for result, group, (record, _) in zip(results, groups, played, strict=True):
                document = result_document(result.match, group, record)
                ladder.ledger_head = chained(ladder.slug, ladder.next_ledger, "result", document, ladder.ledger_head)
                entries.append(
                    LedgerEntry(
                        ladder=ladder, season=series.season, number=ladder.next_ledger, result=result,
                        document=document, hash=ladder.ledger_head,
                    )
                )  # fmt: skip
                ladder.next_ledger += 1
            LedgerEntry.objects.bulk_create(entries)
            if numbers[-1] * GAMES_PER_SEATING > matches - LOGGED:
                SeatLog.objects.bulk_create(SeatLog(seat=seat, packed=random.randbytes(600)) for seat in seats)
            ladder.save(update_fields=["next_ledger", "ledger_head"])
            DealSeries.objects.filter(pk=series.pk).update(next_number=numbers[-1] + 1)
    rerate(check=False)


def server_s(server: Server | None) -> float:
    """Seconds of processor time of the database server so far."""
    return ProcessTable().tree_s(server.process.pid) if server and server.process else 0.0


def measured(
    title: str, environment: Mapping[str, str], arguments: list[str], matches: int, server: Server | None = None
) -> bool:
    """Run a command of ``manage.py``, print its times, and return whether it succeeds within the goal."""
    began, own, served = monotonic(), reaped_s(), server_s(server)
    run = subprocess.run(
        [sys.executable, "manage.py", *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    wall = monotonic() - began
    goal = max(60.0, GOAL_S_PER_MATCH * matches)
    met = run.returncode == 0 and wall <= goal
    last, used = run.stdout.strip().rpartition("\n")[2], reaped_s() - own
    print(
        f"{title:20} {wall:7.1f} s, processor {used:7.1f} s, PostgreSQL {server_s(server) - served:6.1f} s, "
        f"goal {goal:.0f} s: {'met' if met else 'MISSED'}; {last}",
        flush=True,
    )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000, help="number of matches (default: 100000)")
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.matches)
        return 0
    with tempfile.TemporaryDirectory(prefix="esr-bench-") as name, running_server() as server:
        folder = Path(name)
        keys = folder / "keys"

        def environment(site: str, url: str = "") -> dict[str, str]:
            given = {"DATABASE_URL": url, "VAR_DIR": str(folder / site), "LOG_LEVEL": "ERROR"}
            secret = sha256(name.encode()).hexdigest()
            return {
                **os.environ,
                **public,
                **given,
                "SECRET_KEY": secret,
                "DJANGO_SETTINGS_MODULE": "esr_platform.settings",
            }

        public: dict[str, str] = {}
        created = subprocess.run(
            [sys.executable, "manage.py", "backup_keys", str(keys)],
            env=environment("first"), stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        public = dict(line.split("=", 1) for line in created.stdout.split())
        began = monotonic()
        command = [sys.executable, "-m", "bench.backups", "--fill", "--matches", str(options.matches)]
        subprocess.run(command, env=environment("first"), check=True)
        size = sum(path.stat().st_size for path in (folder / "first").glob("db.sqlite3*"))
        print(
            f"{options.matches} matches, {cores()} cores, SQLite {size / 1e6:.0f} MB, "
            f"written in {monotonic() - began:.0f} s",
            flush=True,
        )
        files = [str(folder / "sqlite.backup"), str(folder / "postgresql.backup")]
        private = ["--key", str(keys / "backup.key"), "--deals-key", str(keys / "deals.key")]
        steps = (
            ("backup, SQLite", environment("first"), ["backup", files[0]]),
            ("restore, SQLite", environment("second"), ["restore", files[0], *private]),
            ("restore, PostgreSQL", environment("third", server.url), ["restore", files[0], *private]),
            ("backup, PostgreSQL", environment("third", server.url), ["backup", files[1]]),
            ("drill, PostgreSQL", environment("third", server.url), ["restore", "--drill", files[1], *private]),
        )
        met = [measured(title, given, words, options.matches, server) for title, given, words in steps]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
