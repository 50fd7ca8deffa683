"""The deals of a season, made again from its keys: none may be another, and no number may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from games.chance import commitment
from ladder.deals import key_hash, seed_of
from ladder.models import Block, DealSeries, LedgerEntry, Match, Season
from ladder.verifying.verified import Verified

PIECE: Final = 500


def count(season: Season) -> int:
    """How many deals there are to check."""
    return Block.objects.filter(series__season=season).count()


def verify_deals(season: Season) -> Iterator[Verified]:
    """Check each deal of ``season``, and each series after its deals.

    The people who run the site can do this at any time; everybody else once the keys are published, with the season's
    page or its document (``ladder.season_deals``).
    """
    promised = _promised(season)
    for series in DealSeries.objects.filter(season=season).select_related("season").order_by("kind"):
        last = 0
        for block in _blocks(series):
            yield Verified(1, _deal_faults(series, block, last + 1))
            last = block.number or 0
        yield Verified(0, [*_series_faults(series, last), *_promise_faults(series, promised)])


def _promised(season: Season) -> dict[str, str]:
    """The hashes of the keys that the ledger has kept since the season opened, by the name of the series."""
    started = LedgerEntry.objects.filter(season=season, kind=LedgerEntry.Kind.SEASON).first()
    keys: dict[str, str] = started.document.get("keys", {}) if started else {}
    return keys


def _blocks(series: DealSeries) -> Iterator[Block]:
    """Those that were made before ``series`` was read, in pieces, so that memory does not grow."""
    last, blocks = 0, Block.objects.filter(series=series, number__lt=series.next_number).order_by("number")
    while piece := list(blocks.filter(number__gt=last)[:PIECE]):
        yield from piece
        last = piece[-1].number or 0


def _deal_faults(series: DealSeries, block: Block, expected: int) -> list[str]:
    name, number, seed = f"{series.name}/{series.season.number}", block.number or 0, bytes(block.seed)
    faults = []
    if number != expected:
        faults.append(f"{name}: number {number} stands where {expected} should stand")
    if seed != seed_of(bytes(series.key), series.name, series.season.number, number):
        faults.append(f"{name}/{number}: its seed is not what the key gives for its number")
    if block.commitment != commitment(seed):
        faults.append(f"{name}/{number}: its commitment is not the SHA-256 of its seed")
    return faults


def _series_faults(series: DealSeries, last: int) -> Iterator[str]:
    name = f"{series.name}/{series.season.number}"
    if key_hash(bytes(series.key)) != series.key_hash:
        yield f"{name}: the key is not the one whose hash was published"
    if series.next_number != last + 1:
        yield f"{name}: the next number is {series.next_number}, but the last deal has {last}"
    unended = Match.objects.filter(block__series=series, block__ended__isnull=False, status__in=Match.PENDING)
    for match in unended.order_by("pk").values_list("pk", flat=True):
        yield f"{name}: match {match} is still to be played, but its deal is open"


def _promise_faults(series: DealSeries, promised: dict[str, str]) -> Iterator[str]:
    if promised.get(series.name, series.key_hash) != series.key_hash:
        yield f"{series.name}/{series.season.number}: the ledger has another hash of its key"
