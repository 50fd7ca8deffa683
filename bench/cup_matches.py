"""Cups with real workers: ``python -m bench.cup_matches``.

The same workers play matches of a ladder, as in ``bench.pipeline``, then all matches of a round robin of 40 trivial
bots at 4 seats, and matches of the ladder again. The cup must reach ``GOAL`` of the ladder's matches/s.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from bench.databases import on_each
from bench.pipeline import BOTS, LADDER, STALLED_S, WARM_UP, broker, uploaded_bots
from tests.services.workers import processes

GOAL = 0.80
"""The least share of the ladder's matches/s that the cup must reach."""

BEAT_S = 2.0
"""How often the site advances cups and sends matches, as in ``CELERY_BEAT_SCHEDULE``."""


def ladder_rate(players: Sequence[Any], blocks: int, random: Random) -> float:
    """Matches/s of blocks of the ladder."""
    from django.db import transaction

    from ladder.matches.blocks import schedule_block
    from ladder.matches.dispatch import dispatch
    from ladder.models import Ladder, Match

    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(slug=LADDER)
        for _ in range(blocks):
            schedule_block(ladder, random.sample(players, 4), sent=False)
    return _rate(dispatch, lambda: Match.objects.filter(status__in=Match.PENDING).exists())


def cup_rate(cup: Any) -> float:
    """Matches/s of a cup whose registration is open, from its deadline to its end."""
    from django.utils import timezone

    from ladder.cups.progress import advance
    from ladder.matches.dispatch import dispatch
    from ladder.models import Cup

    now = timezone.now()
    Cup.objects.filter(pk=cup.pk).update(closes_at=now, starts_at=now)
    return _rate(lambda: (advance(), dispatch()), lambda: Cup.objects.filter(pk=cup.pk, state__in=Cup.OPEN).exists())


def _rate(beat: Any, running: Any) -> float:
    """Call ``beat`` as the site does while ``running``; the matches/s that finished."""
    from ladder.models import Match

    def finished() -> int:
        return Match.objects.filter(status=Match.Status.FINISHED).count()

    before, began = finished(), time.monotonic()
    number, changed, beaten = before, began, 0.0
    while running():
        if time.monotonic() >= beaten + BEAT_S:
            beaten = time.monotonic()
            beat()
        time.sleep(0.05)
        if (now := finished()) != number:
            number, changed = now, time.monotonic()
        elif time.monotonic() > changed + STALLED_S:
            sys.exit(f"No match finished in the last {STALLED_S:.0f} s.")
    return (finished() - before) / (time.monotonic() - began)


def new_cup(players: Sequence[Any], format_: str, **more: Any) -> Any:
    """A cup in registration with the bots of ``players``, each entered by its owner."""
    from django.utils import timezone

    from esr_platform.accounts.models import User
    from ladder.cups.registration import CupForm, create_cup, enter

    soon = timezone.now() + timedelta(hours=1)
    organizer, _created = User.objects.get_or_create(username="organizer", email="organizer@example.org")
    form = CupForm(f"Cup {time.monotonic_ns()}", "edel-stein-reich", 4, format_, soon, soon, **more)
    cup = create_cup(organizer, form)
    for player in players:
        bot = player.version.bot
        enter(bot.owner, cup, bot)
    return cup


def measure(options: argparse.Namespace) -> int:
    """Measure on the database of ``DATABASE_URL``, which is empty; the exit status."""
    import django

    django.setup()
    from django.core.management import call_command

    from ladder.models import Cup, CupRound

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    players, random = uploaded_bots(BOTS["json"], options.entrants), Random(1)
    environment = {key: os.environ[key] for key in ("DATABASE_URL", "SECRET_KEY", "VAR_DIR", "REDIS_URL")}
    with broker(Path(os.environ["VAR_DIR"])), processes({**environment, "LOG_LEVEL": "ERROR"}) as group:
        group.worker(processes=options.workers)
        ladder_rate(players, WARM_UP, random)
        before = ladder_rate(players, options.matches // 8, random)
        cup = new_cup(players, Cup.Format.ROUND_ROBIN)
        rate = cup_rate(cup)
        after = ladder_rate(players, options.matches // 8, random)
    usual = 2 * before * after / (before + after)
    share, rounds = rate / usual, CupRound.objects.filter(cup=cup).count()
    print(f"{options.inside}, {options.workers} workers: matches/s")
    print(f"  ladder {before:.1f} and {after:.1f}, cup of {options.entrants} bots in {rounds} rounds {rate:.1f}")
    print(f"  share {share:.0%}, at least {GOAL:.0%}: {'met' if share >= GOAL else 'MISSED'}")
    return int(share < GOAL)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=400, help="number of matches of the ladder (default: 400)")
    parser.add_argument("--workers", type=int, default=2, help="number of worker processes (default: 2)")
    parser.add_argument("--entrants", type=int, default=40, help="number of bots in the cup (default: 40)")
    return on_each("bench.cup_matches", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
