"""Measure the standings of a large ladder: ``python -m bench.tables [--memberships 10000]``.

The bench uses the settings and middleware of the site on a new database, SQLite or PostgreSQL, with bots and with
queued and finished blocks. Django's test client sends the requests, so no socket is involved. The standings are
requested in every order, with searches and with filters. For comparison, the bench also requests the page of the
smallest ladder. The bench never fails.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from hashlib import sha256
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from bench.databases import on_each

if TYPE_CHECKING:
    from bots.models import BotVersion

GOAL_MS = 100
GOAL_QUERIES = 12
DRAWS = 400
SLUG = "edel-stein-reich-duel"
SMALL = "edel-stein-reich-5"


def filled(memberships: int, blocks: int) -> None:
    """A ladder with so many people's bots, and games that have ended."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from bots.models import Bot, BotVersion
    from ladder.models import Block, DealSeries, Ladder, Match, Membership, Seat

    draw, now, ladder = random.Random(1), timezone.now(), Ladder.objects.get(slug=SLUG)
    people = get_user_model().objects.bulk_create(
        [get_user_model()(username=f"p{n}", email=f"p{n}@example.org") for n in range(memberships)], batch_size=500
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
    stand = Membership.objects.bulk_create(
        [
            Membership(
                ladder=ladder, bot=bot, rating=draw.randrange(1_000_000, 2_000_000), games=draw.randrange(1, 200)
            )
            for bot in bots
        ],
        batch_size=500,
    )
    estimate(versions, draw)
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
        for index, n in enumerate(draw.sample(range(memberships), 2)):
            seats.append(Seat(match=match, index=index, membership=stand[n], version=versions[n]))
    Seat.objects.bulk_create(seats, batch_size=500)
    Ladder.objects.filter(pk=ladder.pk).update(next_ledger=len(matches) + 1)
    DealSeries.objects.filter(pk=series.pk).update(next_number=blocks + 1)


def estimate(versions: Sequence[BotVersion], draw: random.Random) -> None:
    """An estimate of each version but every tenth, with draws as a run keeps them."""
    from django.utils import timezone

    from ladder.models import Estimate, Season
    from ladder.ratings.draws import packed

    season, now = Season.objects.get(ladder__slug=SLUG), timezone.now()
    rows = []
    for version in versions:
        if version.pk % 10:
            rating, margin = draw.randrange(1_000_000, 2_000_000), draw.randrange(20_000, 200_000)
            draws = packed(round(draw.gauss(rating, margin / 2)) for _ in range(DRAWS))
            ends = {"low": rating - margin, "high": rating + margin, "rank_low": 1, "rank_high": 2}
            counts = {"blocks": 10, "games": 20, "kept_draws": draws, "computed": now}
            rows.append(Estimate(season=season, version=version, rating=rating, **ends, **counts))
    Estimate.objects.bulk_create(rows, batch_size=500)


def addresses(memberships: int) -> list[tuple[str, str]]:
    """What is asked for: names and addresses."""
    last, ladder = memberships // 50, f"/ladders/{SLUG}/"
    orders = ("-rating", "bot", "skill", "-skill", "change", "games", "first")
    return [
        ("page 1", ladder),
        (f"page {last // 2}", f"{ladder}?page={last // 2}"),
        (f"page {last}", f"{ladder}?page={last}"),
        *((f"by {order}", f"{ladder}?sort={order}&page=3") for order in orders),
        ("search", f"{ladder}?q=99"),
        ("search, few", f"{ladder}?q=bot+9999"),
        ("search, by skill", f"{ladder}?q=7&sort=skill&page=2"),
        ("all filters", f"{ladder}?q=1&of=people&language=python&state=playing&games=settled&sort=first"),
        ("a small ladder", f"/ladders/{SMALL}/"),
        ("all bots", "/bots/?page=2"),
        ("all bots by games", "/bots/?sort=games"),
        ("search all bots", "/bots/?q=99"),
        ("two bots", f"/compare/bot-1/bot-2/?ladder={SLUG}"),
    ]


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
    filled(options.memberships, options.blocks)
    print(f"{options.inside}, {options.memberships} memberships (goals: {GOAL_MS} ms, {GOAL_QUERIES} queries)")
    for name, address in addresses(options.memberships):
        wall, own, queries = ms(address, options.requests)
        print(f"  {name:20} {wall:6.1f} ms, {own:6.1f} ms CPU time, {queries:3} queries")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memberships", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=20)
    return on_each("bench.tables", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
