"""Measure API reads: ``python -m bench.api_reads [--matches 100000] [--windows 5] [--window-s 4]``.

The bench compares every read endpoint with a minimal view (``bench.views``) that makes as many queries, reads as many
rows and returns as many bytes, with the same middleware, authentication and throttles. It runs one real web server.
``wrk`` sends requests on four connections, in alternating windows. A share of 100% is as fast as the minimal view; the
goal is 80%. The bench fails only if its CPU times cannot be right (``bench.cpu_time``).

At the end, it compares the request head parser (``esr_platform.heads``) with httptools, the default of uvicorn: two web
servers answer the smallest minimal view in alternating windows.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.cpu_time import ProcessTable, reaped_s, require_plausible
from bench.databases import on_each
from bench.pipeline import broker
from tests.services.ports import free_port, wait_until
from tests.services.workers import Processes, processes

GOAL = 0.8
CONNECTIONS = 4
LADDER = "edel-stein-reich-4"


@dataclass
class Endpoint:
    """An address, what it asks of the database, and how often a second both were answered, window by window."""

    name: str
    address: str
    queries: int = 0
    rows: int = 0
    size: int = 0
    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    @property
    def beside(self) -> str:
        """The bare view that it is compared with."""
        return f"/api/v1/bare/{self.queries}/{self.rows}/{self.size}"

    @property
    def share(self) -> float:
        """Of the bare view's requests a second, by the medians of pairs of windows."""
        return median(ours / bare for ours, bare in zip(self.ours, self.bare, strict=True))


def endpoints() -> Iterator[Endpoint]:
    """Every reading endpoint but the replay, whose document is kept by the cache of pages."""
    from ladder.models import Match, Membership

    best = Membership.objects.filter(ladder__slug=LADDER, bot__owner__isnull=False).order_by("-rating")[0].bot
    played = Match.objects.filter(ladder__slug=LADDER, status="finished").latest("pk").pk
    for path in (
        *("games", "games/edel-stein-reich", "games/edel-stein-reich/schemas/view"),
        *("ladders", f"ladders/{LADDER}", f"ladders/{LADDER}/members", f"ladders/{LADDER}/matches"),
        *(f"ladders/{LADDER}/seasons", f"ladders/{LADDER}/seasons/1", f"ladders/{LADDER}/seasons/1/standings"),
        *("bots", f"bots/{best.slug}", f"bots/{best.slug}/versions", f"bots/{best.slug}/versions/1"),
        *(f"bots/{best.slug}/ratings?ladder={LADDER}", f"bots/{best.slug}/matches"),
        *("matches", "matches?limit=10", f"matches/{played}", f"matches/{played}/record", f"matches/{played}/log"),
        *(f"head-to-head?ladder={LADDER}&bot={best.slug}", "people/player7"),
    ):
        yield Endpoint(path.replace(best.slug, "BOT").replace(str(played), "ID"), f"/api/v1/{path}")


def looked_at(endpoint: Endpoint) -> bool:
    """Count what it asks, by asking it once without a web server; whether there is such an endpoint."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "localhost"})
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(endpoint.address)
        statements = [query["sql"] for query in asked.captured_queries if query["sql"].startswith("SELECT")]
    if answer.status_code != 200:
        print(f"  {endpoint.name}: {answer.status_code}", file=sys.stderr)
        return False
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.replace("%", "%%"), ())
            endpoint.rows += len(cursor.fetchall())
    endpoint.queries, endpoint.size = len(statements), len(answer.content)
    return True


def asked(port: int, address: str, seconds: float) -> float:
    """Answers a second while ``wrk`` asks for an address. Raises ``SystemExit`` where one was refused."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s", f"http://127.0.0.1:{port}{address}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output:
        sys.exit(f"The request to {address} failed:\n{output}")
    rate = re.search(r"Requests/sec:\s*([\d.]+)", output)
    assert rate is not None, output
    return float(rate[1])


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty or was filled by an earlier run."""
    import django

    django.setup()
    from django.core.management import call_command

    folder = Path(os.environ["VAR_DIR"])
    with broker(folder):
        call_command("migrate", verbosity=0)
        measured = prepared(options)
        port = free_port()
        with processes({**os.environ, "DJANGO_SETTINGS_MODULE": "bench.settings"}) as group:
            web = group.web(port).pid
            wait_until(lambda: answers(port), "the web server answers", 60)
            began, server_s, wrk_s = time.monotonic(), ProcessTable().tree_s(web), reaped_s()
            for _ in range(options.windows):
                for endpoint in measured:
                    endpoint.bare.append(asked(port, endpoint.beside, options.window_s))
                    endpoint.ours.append(asked(port, endpoint.address, options.window_s))
            used_s = {"the web server": ProcessTable().tree_s(web) - server_s, "wrk": reaped_s() - wrk_s}
            wall_s = time.monotonic() - began
            ratio = parser_ratio(group, port, options)
    show(measured)
    print(f"\nSmallest view: {ratio:.2f} times the rate of a web server with httptools")
    print("\nCPU time:", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in used_s.items()))
    require_plausible(used_s, wall_s)


def parser_ratio(group: Processes, port: int, options: argparse.Namespace) -> float:
    """Responses per second of the web server on ``port`` divided by those of one with httptools: median of pairs."""
    other = free_port()
    group.web(other, "--http", "httptools")
    wait_until(lambda: answers(other), "the web server with httptools answers")
    address = "/api/v1/bare/0/0/1"
    pairs = (
        (asked(port, address, options.window_s), asked(other, address, options.window_s))
        for _ in range(2 * options.windows)
    )
    return median(ours / default for ours, default in pairs)


def prepared(options: argparse.Namespace) -> list[Endpoint]:
    """The endpoints on a site that is full."""
    from django.db import connections

    from bench.crowd import crowd
    from ladder.models import Match

    if not Match.objects.exists():
        crowd(options.matches, options.people, lambda text: print(f"  {text}", file=sys.stderr, flush=True))
    named = [endpoint for endpoint in endpoints() if not options.only or endpoint.name in options.only]
    measured = [endpoint for endpoint in named if looked_at(endpoint)]
    print(f"\n{options.inside}, {Match.objects.count()} matches")
    connections.close_all()
    return measured


def answers(port: int) -> bool:
    """Whether the web server is ready."""
    command = ["curl", "-sf", "-o", os.devnull, f"http://127.0.0.1:{port}/api/v1/bare/1/1/1"]
    return subprocess.run(command, check=False).returncode == 0


def show(measured: list[Endpoint]) -> None:
    """Print the table."""
    print("| Endpoint | Queries | Rows | KB | Minimal/s | Ours/s | Share | |\n|---|---:|---:|---:|---:|---:|---:|---|")
    for endpoint in measured:
        mark = "" if endpoint.share >= GOAL else "**missed**"
        sizes = f"{endpoint.queries} | {endpoint.rows} | {endpoint.size / 1000:.1f}"
        rates = f"{median(endpoint.bare):.0f} | {median(endpoint.ours):.0f}"
        print(f"| {endpoint.name} | {sizes} | {rates} | {endpoint.share:.0%} | {mark} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--window-s", type=float, default=4.0)
    parser.add_argument("--only", nargs="*", help="endpoints to measure, by their names in the table (default: all)")
    return on_each("bench.api_reads", parser, measure, ["sqlite"])


if __name__ == "__main__":
    sys.exit(main())
