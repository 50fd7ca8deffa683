"""Measure the response of every page of a site with 100,000 matches: ``make bench-responses``.

The bench uses the settings and middleware of the site, on SQLite or PostgreSQL. Django's test client sends the
requests, so no socket is involved, and responses are compressed as for a browser. ``first`` is a request with an empty
cache. The other figures are medians of later requests. The budgets are 100 ms, 12 queries and 60 KB. The bench never
fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench.databases import on_each

BUDGET_MS = 100
BUDGET_QUERIES = 12
BUDGET_KB = 60
LADDER = "edel-stein-reich-4"
PERSON = "player7"


@dataclass(frozen=True)
class Cost:
    """Of one page: milliseconds by the clock and of our processor time, queries, and bytes on the way, compressed."""

    name: str
    first_ms: float
    wall_ms: float
    own_ms: float
    queries: int
    bytes: int

    @property
    def misses(self) -> bool:
        return self.own_ms > BUDGET_MS or self.queries > BUDGET_QUERIES or self.bytes > 1000 * BUDGET_KB


def addresses() -> Iterator[tuple[str, str, bool]]:
    """A name, the address, and whether it is for somebody who has signed in; every kind of page."""
    from bots.models import Bot
    from ladder.models import Match, Membership

    best = Membership.objects.filter(ladder__slug=LADDER, bot__owner__isnull=False).order_by("-rating")[0].bot.slug
    own = Bot.objects.get(owner__username=PERSON).slug
    played = Match.objects.filter(ladder__slug=LADDER, status="finished").latest("pk").pk
    running = Match.objects.filter(status="running").latest("pk").pk
    far = Match.objects.count() // 2
    yield from (("home", "/", False), ("home, signed in", "/", True))
    yield from (("ladders", "/ladders/", False), ("ladder", f"/ladders/{LADDER}/", False))
    yield "ladder, page 3", f"/ladders/{LADDER}/?page=3", False
    yield "statistics", f"/ladders/{LADDER}/statistics/", False
    yield "head to head", f"/ladders/{LADDER}/statistics/head-to-head/", False
    yield "bot on a ladder", f"/ladders/{LADDER}/bots/{best}/", False
    yield "seasons", f"/ladders/{LADDER}/seasons/", False
    yield "season", f"/ladders/{LADDER}/seasons/1/", False
    yield "integrity report", f"/ladders/{LADDER}/integrity/", False
    yield from (("bots", "/bots/", False), ("bot", f"/bots/{best}/", False))
    yield from (("house bot", "/bots/house-greedy/", False), ("own bot", f"/bots/{own}/", True))
    yield "comparison", f"/compare/house-greedy/{best}/", False
    yield "player", f"/people/{PERSON}/", False
    yield "matches", "/matches/", False
    yield "matches, far back", f"/matches/?before={far}", False
    yield "matches of a ladder", f"/matches/?ladder={LADDER}", False
    yield from (("match", f"/matches/{played}/", False), ("running match", f"/matches/{running}/", False))
    yield "replay document", f"/matches/{played}/replay.json", False
    yield "search", "/search/?q=bot", False
    yield "suggestions", "/search/suggestions/?q=bo", False
    yield from (("rules", "/rules/", False), ("game", "/rules/edel-stein-reich/", False))
    yield "tutorial", "/rules/edel-stein-reich/tutorial/", False
    yield from (("about", "/about/", False), ("sign in", "/account/login/", False))
    yield from (("account", "/account/", True), ("own bots", "/bots/mine/", True))
    yield from (("upload", "/bots/new/", True), ("orders", "/exhibitions/", True))
    yield "new test match", f"/ladders/{LADDER}/test/", True


def cost(client: Any, name: str, address: str, requests: int) -> Cost | None:
    """What ``address`` costs; ``None`` where there is no such page."""
    from django.core.cache import caches
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(address)  # templates are read once a process
    for cache in caches.all(initialized_only=True):
        cache.clear()
    began = perf_counter()
    with CaptureQueriesContext(connection) as queries:
        if client.get(address).status_code != 200:
            return None
        number = len(queries)
    first = 1000 * (perf_counter() - began)
    walls, own, size = list[float](), list[float](), 0
    for _ in range(requests):
        began, used = perf_counter(), process_time()
        size = len(client.get(address).content)
        walls.append(1000 * (perf_counter() - began))
        own.append(1000 * (process_time() - used))
    return Cost(name, first, median(walls), median(own), number, size)


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty or was filled by an earlier run."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    settings.ALLOWED_HOSTS = ["testserver"]
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 1_000_000)
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": memory, "LOCATION": name} for name in settings.CACHES}
    call_command("migrate", verbosity=0)

    from bench.crowd import crowd
    from ladder.models import Match

    if not Match.objects.exists():
        crowd(options.matches, options.people, lambda text: print(f"  {text}", file=sys.stderr, flush=True))
    print(f"\n{options.inside}, {Match.objects.count()} matches")
    anybody, somebody = Client(headers={"accept-encoding": "gzip"}), Client(headers={"accept-encoding": "gzip"})
    from django.contrib.auth import get_user_model

    somebody.force_login(get_user_model().objects.get(username=PERSON), backend=settings.AUTHENTICATION_BACKENDS[-1])
    costs = [
        cost(somebody if inside_ else anybody, name, address, options.requests)
        for name, address, inside_ in addresses()
        if not options.only or name in options.only
    ]
    show([measured for measured in costs if measured is not None], markdown=options.markdown)


def show(costs: list[Cost], *, markdown: bool) -> None:
    """The table, with a mark where a budget is missed."""
    if markdown:
        print("| Page | First, ms | ms | CPU, ms | Queries | KB | |\n|---|---:|---:|---:|---:|---:|---|")
    row = (
        "| {} | {:.0f} | {:.0f} | {:.0f} | {} | {:.1f} | {} |"
        if markdown
        else "{:22} {:6.0f} {:6.0f} {:6.0f} {:4} {:7.1f} {}"
    )
    for cost in costs:
        mark = "**missed**" if cost.misses else ""
        print(row.format(cost.name, cost.first_ms, cost.wall_ms, cost.own_ms, cost.queries, cost.bytes / 1000, mark))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--requests", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[], help="names of pages to measure (default: all)")
    parser.add_argument("--markdown", action="store_true")
    return on_each("bench.responses", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
