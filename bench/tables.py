"""How long the server takes for the table of a big ladder: ``python -m bench.tables [--entries 10000]``.

The site's own settings and middleware on an empty database, SQLite or PostgreSQL, which is filled with bots and queued
and ended blocks; requests come from Django's test client, so no socket is in the way. Beside it, the same page of the
smallest ladder: what a page costs that has hardly anything to show. It measures; it never fails.
"""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from statistics import median
from time import perf_counter, process_time

from bench.databases import KINDS, inside

GOAL_MS = 100
GOAL_QUERIES = 10
SLUG = "edel-stein-reich-duel"
SMALL = "edel-stein-reich-5"


def filled(entries: int, blocks: int) -> None:
    """A ladder with so many people's bots, and games that have ended."""
    import random

    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from bots.models import Bot, BotVersion
    from ladder.models import Block, DealSeries, Entry, Ladder, Match, Seat

    draw, now, ladder = random.Random(1), timezone.now(), Ladder.objects.get(slug=SLUG)
    people = get_user_model().objects.bulk_create(
        [get_user_model()(username=f"p{n}", email=f"p{n}@example.org") for n in range(entries)], batch_size=500
    )
    bots = Bot.objects.bulk_create(
        [Bot(owner=person, name=f"Bot {n}", slug=f"bot-{n}") for n, person in enumerate(people)], batch_size=500
    )
    versions = BotVersion.objects.bulk_create(
        [
            BotVersion(bot=bot, number=1, digest=sha256(bot.slug.encode()).hexdigest(), active=True, archive="x")
            for bot in bots
        ],
        batch_size=500,
    )
    stand = Entry.objects.bulk_create(
        [
            Entry(ladder=ladder, bot=bot, rating=draw.randrange(1_000_000, 2_000_000), games=draw.randrange(1, 200))
            for bot in bots
        ],
        batch_size=500,
    )
    series = DealSeries.objects.get(season__ladder=ladder, kind=DealSeries.Kind.LADDER)
    deals = Block.objects.bulk_create(
        [
            Block(ladder=ladder, series=series, number=n, seed=bytes(32), commitment="0" * 64, ended=now)
            for n in range(1, blocks + 1)
        ],
        batch_size=500,
    )
    matches = Match.objects.bulk_create(
        [
            Match(ladder=ladder, block=block, seating=seating, status=Match.Status.FINISHED, ended=now)
            for block in deals
            for seating in (0, 1)
        ],
        batch_size=500,
    )
    seats = []
    for match in matches:
        for index, n in enumerate(draw.sample(range(entries), 2)):
            seats.append(Seat(match=match, index=index, entry=stand[n], version=versions[n]))
    Seat.objects.bulk_create(seats, batch_size=500)
    Ladder.objects.filter(pk=ladder.pk).update(next_ledger=len(matches) + 1)
    DealSeries.objects.filter(pk=series.pk).update(next_number=blocks + 1)


def ms(address: str, requests: int) -> tuple[float, float, int]:
    """Until the whole answer is there: milliseconds, those of the server's own processor time, and queries; medians."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client, walls, own = Client(), list[float](), list[float]()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200, address
        number = len(queries)
    for _ in range(requests):
        began, used = perf_counter(), process_time()
        client.get(address)
        walls.append(1000 * (perf_counter() - began))
        own.append(1000 * (process_time() - used))
    return median(walls), median(own), number


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    filled(options.entries, options.blocks)
    last = options.entries // 50
    print(f"{options.inside}, {options.entries} entries (goals: {GOAL_MS} ms, {GOAL_QUERIES} queries)")
    for name, address in (
        ("page 1", f"/ladders/{SLUG}/"),
        (f"page {last // 2}", f"/ladders/{SLUG}/?page={last // 2}"),
        (f"page {last}", f"/ladders/{SLUG}/?page={last}"),
        ("a small ladder", f"/ladders/{SMALL}/"),
    ):
        wall, own, queries = ms(address, options.requests)
        print(f"  {name:15} {wall:6.1f} ms, {own:6.1f} ms of them its own processor time, {queries:3} queries")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--databases", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        measure(options)
        return 0
    return max(inside("bench.tables", kind, sys.argv[1:]) for kind in options.databases)


if __name__ == "__main__":
    sys.exit(main())
