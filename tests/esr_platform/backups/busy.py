"""A site with everything that a backup must keep or hide."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from django.test import Client

from bots.models import BotVersion
from bots.tournaments.keys import cup_seed, season_seed
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from ladder.models import Block, Cup, CupTable, DealSeries, Ladder, Result, Season, SeatLog
from ladder.seasons import close
from tests.build import (
    block_on,
    built_once,
    finish_block,
    finished,
    games_of,
    opened_house,
    uploaded,
    with_password,
)
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out
from tests.ladder.live.play import at_random, live_ladder, play_on, remote_bots, table_of

FUTURE_DEALS = 50


@dataclass(frozen=True)
class BusySite:
    """What was built: ids, and values that must not be found in a backup."""

    version: int
    token: str
    session: str


def busy_site() -> BusySite:
    """Two seasons, finished and half-finished blocks, a live game, a running and a finished cup, an upload, a session.

    Ratings, records and deals are right.
    """
    version = built_once("busy", _build)
    ann = User.objects.get(username="ann")
    token = tokens.issue(ann, "tests", [Scope.READ], None)[1]
    client = Client()
    client.force_login(ann)
    return BusySite(version.pk, token, client.session.session_key or "")


def _build() -> BotVersion:
    opened_house()
    bot = uploaded(with_password("ann"), "Straße 1\t\\N\n2")  # characters that rows in text form must escape
    ladder = Ladder.objects.get(slug="edel-stein-reich-4")
    finish_block(block_on(ladder))
    close(Season.objects.get(ladder=ladder), Fraction(1, 2))
    finish_block(block_on(ladder))
    half = block_on(ladder)
    finished(games_of(half)[0])
    duel = Ladder.objects.get(slug="edel-stein-reich-duel")
    for block in (block_on(duel), block_on(duel)):
        finished(games_of(block)[0])  # one game of two: the other one is still played
    live = table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2))
    play_on(live, at_random(1), 6)
    played_out(entered(new_cup("knockout"), house_bots()))
    running = due(entered(new_cup("swiss", title="Running"), house_bots()))
    play_round(running)
    half_played = Block.objects.filter(cup_table__round__cup=running, ended=None).order_by("pk")[0]
    finished(games_of(half_played)[0])
    return bot.versions.get()


def secrets() -> dict[str, bytes]:
    """By description, everything in this database, or derived from it, that tells a deal which is not public."""
    found = _secrets_of_cups()
    for series in DealSeries.objects.filter(published=None).select_related("season"):
        key, name, season = bytes(series.key), series.name, series.season.number
        found[f"key of {series}"] = key
        for number in range(series.next_number, series.next_number + FUTURE_DEALS):
            found[f"deal {number} of {series}"] = season_seed(key, name, season, number)
    open_blocks = Block.objects.filter(ended=None).select_related("ladder")
    for block in open_blocks:
        found[f"seed of {block}"] = bytes(block.seed)
    for result in Result.objects.filter(match__block__in=open_blocks):
        found[f"record of {result.match}"] = bytes(result.packed_record)
    for log in SeatLog.objects.filter(seat__match__block__in=open_blocks):
        found[f"log of {log.seat}"] = bytes(log.packed)
    return found


def _secrets_of_cups() -> dict[str, bytes]:
    found = dict[str, bytes]()
    for cup in Cup.objects.all():
        if cup.public_key is not None:
            continue
        found[f"key of {cup}"] = bytes(cup.key)
        for table in CupTable.objects.filter(round__cup=cup):
            for round_ in range(table.round.number, 4):
                seed = cup_seed(bytes(cup.key), cup.entrants_hash, round_, table.index + 1, 1)
                if not Block.objects.filter(seed=seed, ended__isnull=False).exists():
                    found[f"deal of round {round_}, {table}"] = seed
    return found


def public_deals() -> dict[str, bytes]:
    """The same for deals that are public, which a search must find."""
    found = {f"seed of {block}": bytes(block.seed) for block in Block.objects.filter(ended__isnull=False)}
    for series in DealSeries.objects.exclude(published=None):
        found[f"key of {series}"] = bytes(series.key)
    for cup in Cup.objects.all():
        if cup.public_key is not None:
            found[f"key of {cup}"] = bytes(cup.key)
    return found
