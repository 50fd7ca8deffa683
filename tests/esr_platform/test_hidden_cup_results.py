"""No endpoint shows a result of a cup before the last game of its round has ended.

The same round is played twice without its last game, with different results. Every response must be the same both
times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ladder.cups.progress import advance
from ladder.models import Cup, CupTable, Match, Result, SeatResult
from tests.build import DUEL, finished, opened_house, signed_in, staff, uploaded, verified
from tests.esr_platform.endpoints import Exposure, filled, judged, routes
from tests.esr_platform.test_hidden_choices import differing, shown, undone
from tests.ladder.cups.cups import due, entered, house_bots, new_cup

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

_TIME = re.compile(
    r"'(?:ETag|Content-Length)': '[^']*'|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?|\d\d:\d\d(:\d\d)?"
    r"|\d+(\.\d+)?\s*(ms|s)\b"
)
"""When and how long something was played, and what depends on it."""

_KINDS = (Exposure.NAMES, Exposure.CUT, Exposure.ENDED)


@pytest.fixture(autouse=True)
def _unhurried(settings: Any) -> None:
    """Lift the rate limits, and empty the caches."""
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)
    settings.EXPORT_PAUSE_SECONDS = 0
    settings.CACHES = {name: {"BACKEND": "django.core.cache.backends.dummy.DummyCache"} for name in settings.CACHES}


@pytest.fixture
def cup(db: None) -> Cup:
    """A cup in its first round, with a bot of ada."""
    opened_house()
    bot = uploaded(verified("ada"))
    return due(entered(new_cup("swiss", game=DUEL, seats=2), [bot, *house_bots(DUEL, 2)[:3]]))


def games(cup: Cup) -> list[Match]:
    """All games of the running round but the last one."""
    of_cup = Match.objects.filter(block__cup_table__round__cup=cup).select_related("ladder", "block")
    return list(of_cup.order_by("pk"))[:-1]


def addresses(cup: Cup, played: list[Match]) -> Iterator[str]:
    own = next(match for match in played if match.seats.filter(version__bot__owner__username="ada").exists())
    bots = [seat.version.bot.slug for seat in own.seats.select_related("version__bot")]
    of_cup, of_ladder = (
        ("cups/", "pictures/cups/", "api/v1/cups/"),
        ("ladders/", "api/v1/ladders/", "pictures/ladders/"),
    )
    values = {
        "match": [own.pk],
        "match_id": [own.pk],
        "index": range(2),
        "first": bots[:1],
        "second": bots[1:],
        "bot": bots,
        "username": ["ada"],
        "number": [1],
        "cup_id": [cup.pk],
        "language": ["en"],
    }
    for route in routes():
        if judged().get(route) in _KINDS and not route.endswith("stream") and route not in ("metrics", "sitemap.xml"):
            slugs = (
                [cup.slug] if route.startswith(of_cup) else [cup.ladder.slug] if route.startswith(of_ladder) else bots
            )
            yield from filled(route, {**values, "slug": slugs})


def test_no_endpoint_shows_a_result_of_a_running_round(cup: Cup) -> None:
    played = games(cup)
    urls = sorted(set(addresses(cup, played)))
    of_staff = [address for address in urls if address.startswith(("/staff/", "/matches/", "/cups/"))]
    every = {"ada": [address for address in urls if not address.startswith("/staff/")], "eve": of_staff}
    readers = {"ada": signed_in(verified("ada")), "eve": signed_in(staff("eve"))}
    seen, decided = [], []
    for turned in (False, True):
        with undone():
            for match in played:
                winner = sorted(match.seats.values_list("version", flat=True))[turned]
                finished(match)
                SeatResult.objects.filter(seat__match=match).update(rank=2)
                SeatResult.objects.filter(seat__match=match, seat__version=winner).update(rank=1, forfeit="time")
            advance()
            Result.objects.filter(match__in=played).update(report={"machine_delays": []})
            decided.append(CupTable.objects.get(round__cup=cup, decided=True).points)
            read = {}
            for name, client in readers.items():
                read |= shown(played[0], {name: client}, every[name])
            seen.append({address: _TIME.sub("", text) for address, text in read.items()})
    assert decided[0] != decided[1]
    assert differing(*seen) == {}
    assert sum(text.startswith("200") for text in seen[0].values()) > len(seen[0]) / 2
