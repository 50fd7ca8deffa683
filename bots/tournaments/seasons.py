"""Verify the deals of a season: every seed follows from a key whose hash was published before the first deal.

``docs/concepts/fairness-and-seeds.md`` describes the file of deals, ``season-deals/1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bots.tournaments.keys import key_hash, season_seed
from bots.tournaments.ledger import fits
from games import strict
from games.chance import commitment
from games.rules import Document

FORMAT: Final = "season-deals/1"

MAX_LINE_BYTES: Final = 64 * 2**10
"""Longer lines are not deals. A deal with six matches has less than 400 bytes."""

_HEAD: Final = {
    "format": str,
    "ladder": str,
    "season": int,
    "series": [{"name": str, "key_hash": str, "key": (str, None), "deals": int}],
}
_DEAL: Final = {"name": str, "season": int, "number": int, "commitment": str, "seed": (str, None)}
_HEX: Final = re.compile(r"[0-9a-f]{64}")


@dataclass
class VerifiedSeries:
    """The deals of one key of a season while they are verified in order. ``key`` is ``None`` while it is secret.

    ``deals`` is the number of deals, ``last`` the number of the last one, and ``closed`` counts those without a seed.
    """

    name: str
    season: int
    key_hash: str
    key: bytes | None
    deals: int
    last: int = 0
    closed: int = 0

    def deal_faults(self, number: int, hash_: str, seed: bytes | None) -> Iterator[str]:
        """Verify the next deal: its number, its commitment ``hash_`` and its seed, ``None`` if it is not public."""
        name, expected = f"{self.name}/{self.season}", self.last + 1
        self.last = number
        self.closed += seed is None
        if number != expected:
            yield f"{name}: found deal {number} instead of deal {expected}"
        if seed is not None and commitment(seed) != hash_:
            yield f"{name}/{number}: the commitment is not the SHA-256 of the seed"
        if self.key is not None and seed != season_seed(self.key, self.name, self.season, number):
            yield f"{name}/{number}: the seed is not derived from the season key and the deal number"

    def faults(self) -> Iterator[str]:
        """Verify the key and the number of deals, after the last deal."""
        if self.key is not None and key_hash(self.key) != self.key_hash:
            yield f"{self.name}/{self.season}: the key does not match its published hash"
        if self.last != self.deals:
            yield f"{self.name}/{self.season}: the last deal is {self.last} instead of {self.deals}"


@dataclass
class SeasonReport:
    """What the verification of a file of deals has found so far: its ladder, its season, and its series by name."""

    ladder: str = ""
    season: int = 0
    series: dict[str, VerifiedSeries] = field(default_factory=dict)

    @property
    def deals(self) -> int:
        """The number of deals that were read."""
        return sum(series.last for series in self.series.values())

    @property
    def is_over(self) -> bool:
        """Whether all keys are public."""
        return all(series.key is not None for series in self.series.values())


def verify_season(lines: Iterable[bytes], report: SeasonReport) -> Iterator[str]:
    """Yield the faults in the lines of a file of deals, and fill ``report``. Raises ``ValueError`` for other files."""
    following = iter(lines)
    head = strict.parse(next(following, b""))
    if type(head) is not dict or head.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    keys = [series["key"] for series in head["series"]] if fits(head, _HEAD) else [""]
    names = [series["name"] for series in head["series"]] if fits(head, _HEAD) else []
    if not all(key is None or _HEX.fullmatch(key) for key in keys) or not names or not all(map(str.isascii, names)):
        raise ValueError(f"its first line does not have the keys and types of {FORMAT}")
    report.ladder, report.season = head["ladder"], head["season"]
    for series in head["series"]:
        key = None if series["key"] is None else bytes.fromhex(series["key"])
        report.series[series["name"]] = VerifiedSeries(
            series["name"], head["season"], series["key_hash"], key, series["deals"]
        )
    if len(report.series) < len(names):
        yield "Two series have the same name"
    for at, line in enumerate(following, 2):
        deal = _deal(line)
        if deal is None or deal["name"] not in report.series or deal["season"] != head["season"]:
            yield f"Line {at} is not a deal of this season"
            return
        seed = None if deal["seed"] is None else bytes.fromhex(deal["seed"])
        yield from report.series[deal["name"]].deal_faults(deal["number"], deal["commitment"], seed)
    for series in report.series.values():
        yield from series.faults()


def _deal(line: bytes) -> Document | None:
    """The deal in a line, or ``None`` for any other line."""
    try:
        deal: Document | None = strict.parse(line) if len(line) <= MAX_LINE_BYTES else None
    except ValueError:
        return None
    is_deal = deal is not None and fits(deal, _DEAL) and _HEX.fullmatch(deal["seed"] or "0" * 64)
    return deal if is_deal else None
