"""Cups with real workers: ``python -m bench.cup_matches``.

**Throughput.** The same workers play matches of a ladder, as in ``bench.pipeline``, then all matches of a round robin
of 40 trivial bots at 4 seats, and matches of the ladder again.

**Durations.** Ten cups of random bots and house bots are played. Their durations are stated before they start, and
compared with the real ones. During the last three cups, matches of the ladders keep the workers busy.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench.databases import on_each
from bench.pipeline import BOTS, LADDER, STALLED_S, WARM_UP, broker, uploaded_bots
from tests.services.workers import processes

GOAL = 0.80
"""The least share of the ladder's matches/s that a cup must reach."""

GOAL_DURATION = 0.25
"""The largest median error of stated durations."""

BEAT_S = 2.0
"""How often the site advances cups and sends matches, as in ``CELERY_BEAT_SCHEDULE``."""

PLAYER = b"""\
import json, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        decision = message["decision"]
        move = random.choice(decision["legal"] or [decision["default"]])
        print(json.dumps({"id": message["id"], "move": move}), flush=True)
"""
"""A bot that plays at random. Bots that play alike would tie every block."""

GAMES = {2: "edel-stein-reich-duel", 3: "edel-stein-reich", 4: "edel-stein-reich", 5: "edel-stein-reich"}
WAIT_S = 150.0


@dataclass(frozen=True)
class Wanted:
    """A cup to play, and whether other matches keep the workers busy meanwhile."""

    format: str
    seats: int
    entrants: int
    rounds: int | None = None
    blocks: int = 1
    loaded: bool = False

    def __str__(self) -> str:
        blocks = f", {self.blocks} blocks" if self.blocks > 1 else ""
        return f"{self.format}, {self.seats} seats, {self.entrants} bots{blocks}{', busy site' if self.loaded else ''}"


CUPS = (
    Wanted("swiss", 2, 16, rounds=4),
    Wanted("round-robin", 2, 9),
    Wanted("round-robin", 4, 16),
    Wanted("knockout", 2, 16, blocks=2),
    Wanted("halving", 2, 16),
    Wanted("swiss", 5, 15, rounds=3),
    Wanted("knockout", 4, 16, blocks=2),
    Wanted("halving", 3, 12, loaded=True),
    Wanted("round-robin", 3, 9, loaded=True),
    Wanted("swiss", 4, 16, rounds=3, loaded=True),
)

# --- Playing ---------------------------------------------------------------------------------------------------------


def play(running: Callable[[], bool], load: Callable[[], object] = lambda: None) -> float:
    """Advance cups and send matches as the site does while ``running``; the matches/s that finished."""
    from ladder.cups.progress import advance
    from ladder.matches.dispatch import dispatch
    from ladder.models import Match

    def finished() -> int:
        return Match.objects.filter(status=Match.Status.FINISHED).count()

    before, began = finished(), time.monotonic()
    number, changed, beaten = before, began, 0.0
    while running():
        if time.monotonic() >= beaten + BEAT_S:
            beaten = time.monotonic()
            load()
            advance()
            dispatch()
        time.sleep(0.1)
        if (now := finished()) != number:
            number, changed = now, time.monotonic()
        elif pending() and time.monotonic() > changed + STALLED_S:
            sys.exit(f"No match finished in the last {STALLED_S:.0f} s.")
    return (finished() - before) / (time.monotonic() - began)


def pending() -> bool:
    """Whether any match is queued or running."""
    from ladder.models import Match

    return Match.objects.filter(status__in=Match.PENDING).exists()


def schedule(slug: str, players: Sequence[Any], blocks: int, random: Random) -> None:
    """Queue blocks of a ladder."""
    from django.db import transaction

    from ladder.matches.blocks import schedule_block
    from ladder.models import Ladder

    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(slug=slug)
        for _ in range(blocks):
            schedule_block(ladder, random.sample(players, ladder.seats), sent=False)


def new_cup(bots: Sequence[Any], wanted: Wanted) -> Any:
    """A cup in registration with these bots, each entered by its owner, or by the organizer."""
    from django.utils import timezone

    from ladder.cups.creation import CupForm, create_cup
    from ladder.cups.registration import enter
    from tests.build import verified

    soon = timezone.now() + timedelta(hours=1)
    organizer = verified("organizer")
    form = CupForm(
        f"Cup {time.monotonic_ns()}", GAMES[wanted.seats], wanted.seats, wanted.format, soon, soon,
        blocks=wanted.blocks, rounds=wanted.rounds,
    )  # fmt: skip
    cup = create_cup(organizer, form)
    for bot in bots:
        enter(bot.owner or organizer, cup, bot)
    return cup


def close(cup: Any, delay_s: float = 0.0) -> None:
    """Let the registration of ``cup`` close now. It starts after ``delay_s``."""
    from django.utils import timezone

    from ladder.cups.progress import advance
    from ladder.models import Cup

    now = timezone.now()
    Cup.objects.filter(pk=cup.pk).update(closes_at=now, starts_at=now + timedelta(seconds=delay_s))
    advance()
    cup.refresh_from_db()


def is_open(cup: Any) -> Callable[[], bool]:
    from ladder.models import Cup

    return lambda: Cup.objects.filter(pk=cup.pk, state__in=Cup.OPEN).exists()


# --- Throughput ------------------------------------------------------------------------------------------------------


def throughput(options: argparse.Namespace) -> bool:
    """Whether a cup reaches its share of the ladder's matches/s."""
    from ladder.models import CupRound

    players, random = uploaded_bots(BOTS["json"], options.entrants), Random(1)

    def ladder_rate(blocks: int) -> float:
        schedule(LADDER, players, blocks, random)
        return play(pending)

    ladder_rate(WARM_UP)
    before = ladder_rate(options.matches // 8)
    cup = new_cup([player.version.bot for player in players], Wanted("round-robin", 4, len(players)))
    began = time.monotonic()
    close(cup)
    play(is_open(cup))
    rate = 4 * sum(len(round_.tables.all()) for round_ in CupRound.objects.filter(cup=cup)) / (time.monotonic() - began)
    after = ladder_rate(options.matches // 8)
    usual = 2 * before * after / (before + after)
    share, rounds = rate / usual, CupRound.objects.filter(cup=cup).count()
    print(f"{options.inside}, {options.workers} workers: matches/s")
    print(f"  ladder {before:.1f} and {after:.1f}, cup of {options.entrants} bots in {rounds} rounds {rate:.1f}")
    print(f"  share {share:.0%}, at least {GOAL:.0%}: {'met' if share >= GOAL else 'MISSED'}", flush=True)
    return share >= GOAL


# --- Durations -------------------------------------------------------------------------------------------------------


def durations(options: argparse.Namespace) -> bool:
    """Whether the stated durations of the cups are good enough."""
    from ladder.matches.blocks import BlockPlayer
    from ladder.models import Ladder, Membership

    random, formats = Random(2), {"edel-stein-reich": [3, 4, 5], "edel-stein-reich-duel": [2]}
    uploaded_bots(PLAYER, 12, formats)
    ladders = {seats: Ladder.objects.get(slug=f"{GAMES[seats]}-{seats}" if seats > 2 else GAMES[2]) for seats in GAMES}
    players = {
        seats: [
            BlockPlayer(membership.bot.versions.get(active=True), membership)
            for membership in Membership.objects.filter(ladder=ladder).select_related("bot").order_by("bot__slug")
        ]
        for seats, ladder in ladders.items()
    }

    def load() -> None:
        from ladder.models import Match

        if Match.objects.filter(status=Match.Status.QUEUED, block__cup_table=None).count() < 24:
            for seats, ladder in ladders.items():
                schedule(ladder.slug, players[seats], 2, random)

    for seats, ladder in ladders.items():
        schedule(ladder.slug, players[seats], 6, random)
    play(pending)
    errors, loaded = list[float](), False
    print(f"{options.inside}, {options.workers} workers: stated and real seconds", flush=True)
    until(lambda free: free > 0.9)
    for wanted in CUPS:
        if wanted.loaded and not loaded:
            loaded = True
            until(lambda free: free < 0.6, load)
        bots = random.sample([player.membership.bot for player in players[wanted.seats]], wanted.entrants)
        stated, real = compared(new_cup(bots, wanted), load if loaded else lambda: None)
        errors.append(abs(stated / real - 1))
        print(f"  {stated:6.1f} {real:6.1f}  {stated / real:4.2f}  {wanted}", flush=True)
    error = median(errors)
    print(f"  median error {error:.0%}, at most {GOAL_DURATION:.0%}: {'met' if error <= GOAL_DURATION else 'MISSED'}")
    return error <= GOAL_DURATION


def until(wanted: Callable[[float], bool], load: Callable[[], object] = lambda: None) -> None:
    """Wait until the share of the workers that a cup would get is as ``wanted``."""
    from ladder.cups.durations import pace_of
    from ladder.models import Cup, Ladder

    ladder, end = Ladder.objects.get(slug=LADDER), time.monotonic() + WAIT_S

    def waiting() -> bool:
        pace = pace_of(Cup(ladder=ladder))
        return pace is None or not wanted(pace.free)

    def in_time() -> bool:
        return time.monotonic() < end

    play(lambda: in_time() and waiting(), load)
    if waiting():
        sys.exit("The workers do not become as busy or idle as this bench needs.")


def compared(cup: Any, load: Callable[[], object]) -> tuple[float, float]:
    """The stated and the real seconds of a cup whose registration is open."""
    from ladder.cups.schedules import update_due
    from ladder.models import CupRound, CupSchedule

    close(cup, 3600)
    update_due()
    stated = sum(CupSchedule.objects.get(cup=cup).round_s)
    close(cup)
    play(is_open(cup), load)
    cup.refresh_from_db()
    real = cup.ended - CupRound.objects.filter(cup=cup).earliest("number").started
    return stated, real.total_seconds()


# --- Both ------------------------------------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> int:
    """Measure on the database of ``DATABASE_URL``, which is empty; the exit status."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL")}
    with broker(Path(os.environ["VAR_DIR"])), processes({**environment, "LOG_LEVEL": "ERROR"}) as group:
        group.worker(processes=options.workers)
        met = (throughput if options.part == "throughput" else durations)(options)
    return int(not met)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", choices=["throughput", "durations"], default="throughput", help="what to measure")
    parser.add_argument("--matches", type=int, default=400, help="number of matches of the ladder (default: 400)")
    parser.add_argument("--workers", type=int, default=2, help="number of worker processes (default: 2)")
    parser.add_argument("--entrants", type=int, default=40, help="number of bots in the cup (default: 40)")
    return on_each("bench.cup_matches", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
