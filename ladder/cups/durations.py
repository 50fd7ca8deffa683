"""The duration of a cup, stated before its start and corrected after each round: from the attempts of workers.

The attempts show how many games are played at the same time, how long a worker pauses between two games, how much of
the workers' time other games take, and how long games with each bot last. A round ends with its slowest table, because
the games of a block are played one after the other. ``make bench-cup-matches`` compares stated with real durations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import accumulate
from random import Random
from statistics import fmean, median
from typing import Any, Final

from django.conf import settings
from django.db.models import Max, Min
from django.db.models.functions import Now

from bots.tournaments.elimination import is_decided
from bots.tournaments.formats import FORMATS
from bots.tournaments.seatings import seatings
from ladder.models import Attempt, Block, Cup, CupEntry, CupLedgerEntry, CupRound
from ladder.pairings.shares import cup_shares

MOST_ATTEMPTS: Final = 1000
"""The latest attempts that are read, of all ladders and of the cup's ladder."""

BUSY_SINCE: Final = timedelta(minutes=2)
"""How long the workers are watched to see how busy other games keep them."""

USUAL_BETWEEN_S: Final = 0.2
"""The time from the last game of a round to the first of the next one where no cup was played yet."""

MOST_BETWEEN_S: Final = 30.0
"""A longer time was a pause by an organizer or an outage."""

ROUNDS_READ: Final = 100
USUAL_PAUSE_S: Final = 0.03
"""The pause of a worker between two games where no worker has played two in a row."""

_SIMULATED: Final = 500
"""Tables of equal entrants that are simulated, to see how many blocks they play until a tie is decided."""

LEAST_CORRECTION: Final = 0.5
MOST_CORRECTION: Final = 4.0

_FEW_GAMES: Final = 2
"""The number of usual games that are added to those of a bot, so that few games do not count too much."""

_TURNS: Final = 8
"""Turns of the estimate of what each bot adds to a game."""


@dataclass(frozen=True)
class Pace:
    """How fast a cup can be played.

    ``workers`` play at the same time, and ``free`` is the share of them that the cup gets. A game of the ladder lasts
    ``game_s``, of which ``seat_s`` has what a seat of a bot adds, by bot. After it, a worker pauses for ``pause_s``.
    Between two rounds, ``between_s`` pass. On a busy site, each game waits ``wait_s`` for a worker.
    """

    workers: float
    game_s: float
    free: float = 1.0
    pause_s: float = USUAL_PAUSE_S
    seat_s: Mapping[int, float] | None = None
    between_s: float = USUAL_BETWEEN_S
    wait_s: float = 0.0

    def rounds_s(self, cup: Cup, size: int, bots: Sequence[int] = ()) -> list[float]:
        """The estimated seconds of each round of ``cup`` with ``size`` entrants, of which ``bots`` are known."""
        seats = cup.ladder.seats
        known = [(self.seat_s or {}).get(bot, self.game_s / seats) for bot in bots] or [self.game_s / seats]
        usual_s = max(fmean(known) * seats, self.game_s / 10) + self.pause_s
        slowest_s = max(usual_s, max(known) + fmean(known) * (seats - 1) + self.pause_s)
        rounds_s = list[float]()
        for tables in tie_places(cup.format, seats, size, cup.rounds):
            count = len(tables)
            blocks = fmean(_blocks_of_table(seats, ties, cup.blocks) if ties else cup.blocks for ties in tables)
            there = min(1.0, count * seats / size)  # how likely the slowest bot has not left yet
            longest_s = there * slowest_s + (1 - there) * usual_s + self.wait_s
            games = blocks * len(seatings(seats))
            rounds_s.append(self._round_s(count * games * usual_s, games / cup.blocks * longest_s, count * cup.blocks))
        return rounds_s

    def _round_s(self, work_s: float, longest_s: float, at_once: int) -> float:
        """The seconds of a round whose games take ``work_s``, of which ``at_once`` can be played at the same time.

        The games of a block follow each other; the longest of these take ``longest_s``. At the end of the round,
        workers wait for the last game.
        """
        if not at_once:
            return 0.0
        workers = self.workers * self.free
        busy = min(workers, at_once)
        last_s = self.game_s * (busy - 1) / 2 / busy if busy > 1 else 0.0
        return max(work_s / workers + last_s, longest_s / min(1.0, workers)) + self.between_s


# --- Sizes -----------------------------------------------------------------------------------------------------------


@cache
def tie_places(format_: str, seats: int, size: int, rounds: int | None) -> tuple[Sequence[int], ...]:
    """By round and table of a cup with ``size`` entrants, how many last places a tie must not join with others.

    Empty if the entrants do not fill a table. Raises ``PairingError`` if they are too many.
    """
    if size < FORMATS[format_].least_entrants(seats):
        return ()
    return tuple(FORMATS[format_].tie_places_by_round(seats, size, rounds))


def planned_tables(format_: str, seats: int, size: int, rounds: int | None) -> list[int]:
    """The number of tables of each round of a cup with ``size`` entrants, if none of them leaves."""
    return [len(tables) for tables in tie_places(format_, seats, size, rounds)]


@cache
def _blocks_of_table(seats: int, ties: int, blocks: int) -> float:
    """The mean number of blocks until the last ``ties`` places of equal entrants are decided, by simulation."""
    random, games, total = Random(0), len(seatings(seats)), 0
    for _ in range(_SIMULATED):
        points, played = [0] * seats, 0
        while not played or not is_decided(points, ties, played, blocks, 2 * (seats - 1) * games):
            for _ in range(games):
                for behind, seat in enumerate(random.sample(range(seats), seats)):
                    points[seat] += 2 * behind
            played += 1
        total += played
    return total / _SIMULATED


# --- Corrected -------------------------------------------------------------------------------------------------------


def correction(cup: Cup, rounds_s: Sequence[float]) -> float:
    """How much longer the rounds of ``cup`` that have ended took than ``rounds_s`` says, as a factor.

    Rounds in which the cup was paused do not count.
    """
    paused = CupLedgerEntry.objects.filter(cup=cup, kind=CupLedgerEntry.Kind.PAUSED).values_list("created", flat=True)
    real_s = stated_s = 0.0
    rounds = CupRound.objects.filter(cup=cup, number__lte=len(rounds_s)).values_list("number", "started", "ended")
    for number, started, ended in rounds:
        if ended is not None and not any(started <= at <= ended for at in paused):
            real_s += (ended - started).total_seconds()
            stated_s += rounds_s[number - 1]
    return min(max(real_s / stated_s, LEAST_CORRECTION), MOST_CORRECTION) if stated_s else 1.0


# --- Measured --------------------------------------------------------------------------------------------------------


def pace_of(cup: Cup) -> Pace | None:
    """The pace of ``cup``, if it started now; ``None`` if the site has not played a game yet. Seven queries."""
    finished = Attempt.objects.of_workers().filter(ending=Attempt.Ending.FINISHED).order_by("-pk")
    rows = finished.values_list("worker", "started", "ended", "match__block__purpose")[:MOST_ATTEMPTS]
    latest = [(worker, start, end, purpose) for worker, start, end, purpose in rows if end is not None]
    if not latest:
        return None
    games, seats = _lasted(finished.filter(match__ladder=cup.ladder_id)[:MOST_ATTEMPTS])
    mean_s = fmean((end - start).total_seconds() for _worker, start, end, _purpose in latest)
    workers, pause_s = _at_once((start, end) for _worker, start, end, _purpose in latest), _pause_s(latest)
    now = Attempt.objects.annotate(now=Now()).values_list("now", flat=True)[0]
    others = [(start, end) for _worker, start, end, purpose in latest if purpose != Block.Purpose.CUP]
    busy = min(1.0, _busy(others, now, pause_s) / workers)
    wait_s = busy * mean_s / workers  # until a worker is free: half of the time, the next one plays another game
    return Pace(workers, fmean(games or [mean_s]), _free(cup, 1 - busy), pause_s, seats, _between_s(), wait_s)


def _free(cup: Cup, idle: float) -> float:
    """The share of the workers for ``cup``, besides the other running cups, where other games leave ``idle``."""
    running = Cup.objects.filter(state=Cup.State.RUNNING, paused=False).exclude(pk=cup.pk)
    percents = {**dict(running.values_list("pk", "reserved_percent")), cup.pk: cup.reserved_percent}
    reserved = {pk: (percent or 0) / 100 for pk, percent in percents.items()}
    entered = Cup.objects.filter(pk__in=reserved, entries__state=CupEntry.State.ENTERED)
    of_house = set(entered.filter(~Cup.has_people()).values_list("pk", flat=True))
    total, weights = cup_shares(reserved, settings.CUP_SHARE, of_house)
    return min(1.0, max(total, idle)) * weights[cup.pk] / total


def _lasted(attempts: Any) -> tuple[list[float], dict[int, float]]:
    """The seconds of attempts, and what a seat of each bot adds to them."""
    rows = attempts.values_list("pk", "started", "ended", "match__seats__version__bot")
    lasted, tables = dict[int, float](), defaultdict[int, list[int]](list)
    for pk, started, ended, bot in rows:
        lasted[pk] = (ended - started).total_seconds()
        tables[pk].append(bot)
    return list(lasted.values()), _added([(tables[pk], seconds) for pk, seconds in lasted.items()])


def _added(games: Sequence[tuple[Sequence[int], float]]) -> dict[int, float]:
    """What a seat of each bot adds to a game, so that the sums fit the durations of ``games`` (least squares)."""
    if not games:
        return {}
    usual = fmean(seconds / len(bots) for bots, seconds in games)
    added = {bot: usual for bots, _seconds in games for bot in bots}
    of_bot = defaultdict[int, list[int]](list)
    for number, (bots, _seconds) in enumerate(games):
        for bot in set(bots):
            of_bot[bot].append(number)
    rest = [seconds - len(bots) * usual for bots, seconds in games]
    for _ in range(_TURNS):
        for bot, numbers in of_bot.items():
            old = added[bot]
            total = sum(rest[number] + old for number in numbers)
            new = (total + _FEW_GAMES * usual) / (len(numbers) + _FEW_GAMES)
            for number in numbers:
                rest[number] -= new - old
            added[bot] = new
    return added


def _at_once(spans: Iterable[tuple[datetime, datetime]]) -> int:
    """The most spans that overlap."""
    changes = sorted(change for start, end in spans for change in ((start, 1), (end, -1)))
    return max(accumulate(step for _time, step in changes))


def _pause_s(attempts: Sequence[tuple[str, datetime, datetime, str]]) -> float:
    """The median pause of a worker between two games, without pauses in which it waited for one."""
    last, pauses = dict[str, datetime](), list[float]()
    for worker, start, end, _purpose in reversed(attempts):
        if worker in last and 0 <= (pause := (start - last[worker]).total_seconds()) < 1:
            pauses.append(pause)
        last[worker] = end
    return median(pauses) if pauses else USUAL_PAUSE_S


def _between_s() -> float:
    """The median time from the last game of a round to the first one of the next round of the same cup, lately."""
    latest = CupRound.objects.filter(ended__isnull=False).order_by("-pk").values("pk")[:ROUNDS_READ]
    attempts = Attempt.objects.filter(match__block__cup_table__round__in=latest, ended__isnull=False)
    rows = attempts.values("match__block__cup_table__round").annotate(first=Min("started"), last=Max("ended"))
    columns = ("match__block__cup_table__round__cup", "match__block__cup_table__round__number", "first", "last")
    spans = {(cup, number): (first, last) for cup, number, first, last in rows.values_list(*columns)}
    gaps_s = [
        (spans[cup, number + 1][0] - last).total_seconds()
        for (cup, number), (_first, last) in spans.items()
        if (cup, number + 1) in spans
    ]
    return float(median([gap_s for gap_s in gaps_s if 0 <= gap_s < MOST_BETWEEN_S] or [USUAL_BETWEEN_S]))


def _busy(spans: Sequence[tuple[datetime, datetime]], now: datetime, pause_s: float) -> float:
    """The mean number of workers who were busy with ``spans`` lately."""
    since = max(now - BUSY_SINCE, min((start for start, _ in spans), default=now))
    seconds = [(end - max(start, since)).total_seconds() + pause_s for start, end in spans if end > since]
    return sum(seconds) / max(now - since, timedelta(seconds=1)).total_seconds()
