"""The cost of bots that sleep at live tables for a ladder: ``python -m bench.sleepers``.

Four uploaded bots play a ladder with the workers of the site. Meanwhile, other uploaded bots sit at casual live tables
and sleep through each decision until their clocks have almost run out, at first none, then ``--sleepers``, then none.
The bench prints matches/s and the strikes of the bots on the ladder. It fails if the ladder keeps less than 80% of its
matches/s, or if there are strikes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from bench.databases import on_each
from bench.pipeline import BOTS, WARM_UP, broker, schedule, uploaded_bots
from bots.protocol import Limits
from esr_platform.supervisor.processes import bots, host
from tests.services.ports import wait_until
from tests.services.workers import processes

GOAL = 0.80
LIVE_LADDER = "edel-stein-reich-duel-open"
SLOW = Limits(startup_ms=3000, move_ms=60_000, bank_ms=120_000, game_ms=3_600_000)
"""The limits at the live tables: longer than a measurement, so that each bot sleeps through all of it."""

SLEEPER = b"""\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        clock = message["clock"]
        time.sleep((clock["move_ms"] + clock["bank_ms"]) / 1000 - 5)
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""


def sleepers(count: int) -> list[int]:
    """Seat as many bots at a casual table each, and return the tables once all of them have been asked."""
    from ladder.live.hosted import remind
    from ladder.matches.blocks import BlockPlayer
    from ladder.models import Ladder, LiveSeat
    from tests.build import active_version, house_version, person, uploaded
    from tests.ladder.live.play import opened

    ladder = Ladder.objects.get(slug=LIVE_LADDER)
    matches = []
    for number in range(count):
        bot = uploaded(person(f"sleeper{number}"), f"Sleeper {number}", SLEEPER)
        players = [BlockPlayer(active_version(bot)), BlockPlayer(house_version("greedy"))]
        matches.append(opened(ladder, players, rated=False, limits=SLOW))
    tables = [match.pk for match in matches]
    asleep = LiveSeat.objects.filter(table__in=tables, seat__index=0, owes=True).exclude(lease=None)

    def asked() -> bool:
        remind()
        return asleep.count() == count

    wait_until(asked, "all sleepers have been asked")
    return tables


def rate(seconds: float) -> tuple[float, int]:
    """The matches/s of the ladder, and the strikes in them."""
    from ladder.matches.dispatch import dispatch
    from ladder.models import Block, Match, Result

    of_the_ladder = Match.objects.filter(status=Match.Status.FINISHED, block__purpose=Block.Purpose.LADDER)
    before, began = set(of_the_ladder.values_list("pk", flat=True)), time.monotonic()
    while time.monotonic() < began + seconds:
        dispatch()
        time.sleep(1)
    new = set(of_the_ladder.values_list("pk", flat=True)) - before
    took_s = time.monotonic() - began
    reports = Result.objects.filter(match__in=new).values_list("report", flat=True)
    strikes = sum(len(seat["strikes"]) for report in reports for seat in report["seats"])
    return len(new) / took_s, strikes


def measure(options: argparse.Namespace) -> int:
    """Measure on the database of ``DATABASE_URL``, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    from ladder.live.end import void

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    players = uploaded_bots(BOTS["json"])
    folder = Path(os.environ["VAR_DIR"])
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL", "LOG_LEVEL")}
    with broker(folder), processes(environment) as group:
        for worker in (bots({}), host({})):
            group.python(*worker.arguments[1:])
        schedule(players, WARM_UP + int(options.seconds * 15))
        rate(10)
        first, strikes = rate(options.seconds)
        tables = sleepers(options.sleepers)
        during, strikes_during = rate(options.seconds)
        for table in tables:
            void(table, "The measurement is over.")
        last, strikes_after = rate(options.seconds)
    kept = during / ((first + last) / 2) if first + last else 0.0
    struck = (strikes, strikes_during, strikes_after)
    met = kept >= GOAL and not any(struck)
    print(
        f"{options.inside}: {first:.2f} matches/s, {during:.2f} with {options.sleepers} sleeping bots at live tables,"
        f" {last:.2f} without them; strikes: {', '.join(map(str, struck))}"
    )
    print(f"    kept: {kept:.0%}, at least {GOAL:.0%} and no strikes: {'met' if met else 'MISSED'}", flush=True)
    return 0 if met else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="seconds per measurement (default: 60)")
    parser.add_argument("--sleepers", type=int, default=4, help="number of bots that sleep (default: 4)")
    return on_each("bench.sleepers", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
