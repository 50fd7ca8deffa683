"""Forecasts of a cup: the chance to win of each entrant, by simulation.

A simulation draws the skill of each entrant from its interval, which all estimates together narrow, and plays the rest
of the cup. Every game is a Plackett-Luce ranking, as in the estimates (``ladder.ratings.plackett_luce``). Two
simplifications keep it fast: Swiss rounds pair neighbors in the order of points, where rematches can occur, and the
games of a block are independent. That they share a deal makes them worth more or fewer games with separate deals, as
the statistics of the ladder measure. The differences of skill are scaled with the root of this number, so that a block
decides as often as it does in reality.
``make bench-cups`` measures how well the stated chances match cups that are played with the real pairings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from random import Random
from statistics import fmean, pvariance
from typing import Final

from ladder.cups.formats import HALVING_ROUNDS, NO_ONE, Plan
from ladder.models import Cup, CupEntry, Estimate, Membership, SeasonStatistics
from ladder.pairings.elimination import eliminated, halving_stages, is_decided, knockout_round
from ladder.pairings.rounds import PlayedRound, Points, Round, Table, bye_points, match_points
from ladder.pairings.seatings import seatings
from ladder.ratings.draws import SURE

POINTS: Final = 400 / log(10)
"""Points of the Elo scale per unit of skill, as in ``ladder.ratings.plackett_luce``."""

SIMULATIONS: Final = 400
"""Simulations of a small cup. The standard error of a chance is then at most 2.5 percentage points."""

LEAST_SIMULATIONS: Final = 40
"""A cup that is too large for this number of simulations has no forecast."""

_TURNS: Final = 50
"""Turns of the fit of the mean and variance of skills."""

_FREEDOM: Final = 3
"""Degrees of freedom of the distribution of skills."""

_PRIOR: Final = 50.0
"""One more entrant is assumed at this distance from the mean, in points: few estimates say little of their spread."""

UNKNOWN_DEVIATION: Final = 200.0
"""The standard deviation, in points, of the skill of a version without an estimate."""

LEAST_WORTH: Final = 0.5
MOST_WORTH: Final = 3.0
"""The bounds of what a game of a block is worth."""

START_RATING: Final = 1_500_000
"""The rating of a bot that has not played, in 1/1000 point."""

MOST_GAMES: Final = 200_000
"""The most simulated games of a forecast. Larger cups get fewer simulations than small ones."""


@dataclass(frozen=True)
class Skill:
    """The estimated skill of an entrant in points, with the standard deviation of its interval."""

    points: float
    deviation: float = 0.0


@dataclass(frozen=True)
class Forecast:
    """``chances`` has the chance to win by entrant. ``best`` is the chance that the most skilled entrant wins."""

    chances: tuple[float, ...]
    best: float
    simulations: int


def forecast(
    plan: Plan,
    skills: Sequence[Skill],
    blocks: int,
    seed: int,
    played: Sequence[PlayedRound] = (),
    left: Mapping[int, str] = NO_ONE,
    worth: float = 1.0,
) -> Forecast | None:
    """Simulate what remains of a cup after ``played``, with ``blocks`` blocks per table.

    Entrants who have ``left``, with their states, rank last in all further games. A game of a block is ``worth`` this
    many games with separate deals. Equal arguments give an equal forecast. On one core, it takes up to 0.4 s for 16
    entrants and 3.6 s for 512 at two seats. A cup with more than ``MOST_GAMES / LEAST_SIMULATIONS`` games has no
    forecast (``None``).

    Raises ``PairingError`` if the cup cannot be paired.
    """
    games = sum(planned_tables(plan)) * blocks * len(seatings(plan.seats))
    count = min(SIMULATIONS, MOST_GAMES // max(1, games))
    if count < LEAST_SIMULATIONS:
        return None
    skills = shrunk(skills)
    random, simulation = Random(seed), _Simulation(plan, blocks, left, tuple(played), worth**0.5)
    wins, best = [0] * len(skills), 0
    for _ in range(count):
        drawn = [random.gauss(skill.points, skill.deviation) for skill in skills]
        winner = simulation.winner(drawn, random)
        wins[winner] += 1
        best += drawn[winner] == max(drawn)
    return Forecast(tuple(won / count for won in wins), best / count, count)


def courses(
    plan: Plan,
    skills: Sequence[Skill],
    blocks: int,
    count: int,
    played: Sequence[PlayedRound] = (),
    left: Mapping[int, str] = NO_ONE,
) -> Iterator[list[PlayedRound]]:
    """``count`` simulated cups, as in :func:`forecast`: all their rounds."""
    random, simulation = Random(count), _Simulation(plan, blocks, left, tuple(played))
    for _ in range(count):
        yield simulation.rounds([random.gauss(skill.points, skill.deviation) for skill in skills], random)


def shrunk(skills: Sequence[Skill]) -> list[Skill]:
    """The skills given all estimates: closer to their mean, the more uncertain they are.

    Estimates scatter more than skills, because they contain errors. Without this, the best entrant would seem to be
    further ahead than it is (C. Morris, *Parametric empirical Bayes inference*, 1983). Skills are taken to have
    Student's distribution, so that a bot that plays at random counts less than the others.
    """
    if len(skills) < 3 or not any(one.deviation for one in skills):
        return list(skills)
    mean, variance = fmean(one.points for one in skills), pvariance([one.points for one in skills])
    found, weights = list(skills), [1.0] * len(skills)
    for _ in range(_TURNS):
        spreads = [max(variance / weight, 1e-9) for weight in weights]
        kept = [spread / (spread + one.deviation**2) for spread, one in zip(spreads, skills, strict=True)]
        sure = [weight * part for weight, part in zip(weights, kept, strict=True)]
        mean = sum(part * one.points for part, one in zip(sure, skills, strict=True)) / sum(sure)
        found = [
            Skill(mean + part * (one.points - mean), one.deviation * part**0.5)
            for part, one in zip(kept, skills, strict=True)
        ]
        squares = [(one.points - mean) ** 2 + one.deviation**2 for one in found]
        total = sum(weight * one for weight, one in zip(weights, squares, strict=True))
        variance = (total + _PRIOR**2) / (len(skills) + 1)
        weights = [(_FREEDOM + 1) / (_FREEDOM + one / variance) for one in squares]
    return found


class _Course:
    """The rounds of a cup so far, with running totals by entrant."""

    def __init__(self, plan: Plan) -> None:
        self.rounds: list[PlayedRound] = []
        self.alive: Sequence[int] = range(len(plan.entrants))
        self.byes = [0] * len(plan.entrants)
        self.totals = [(0, 0)] * len(plan.entrants)
        self._bye = bye_points(plan.seats)

    def add(self, played: PlayedRound) -> None:
        self.rounds.append(played)
        for one in played.round.byes:
            self.byes[one] += 1
            self._count(one, self._bye, 0)
        for table, points in zip(played.round, played.results, strict=True):
            if points is not None:
                for one, own, won in zip(table, points, match_points(points), strict=True):
                    self._count(one, won, own)

    def _count(self, one: int, won: int, own: int) -> None:
        total = self.totals[one]
        self.totals[one] = (total[0] + won, total[1] + own)

    def ranked(self, entrants: Iterable[int], random: Random) -> list[int]:
        """Sort by match points, game points and lot, best first."""
        return sorted(entrants, key=lambda one: (self.totals[one], random.random()), reverse=True)


@dataclass(frozen=True)
class _Simulation:
    plan: Plan
    blocks: int
    left: Mapping[int, str]
    played: Sequence[PlayedRound]
    scale: float = 1.0

    def winner(self, points: Sequence[float], random: Random) -> int:
        """Who wins one cup with these skills."""
        return self.plan.standings(self.rounds(points, random), self.left)[0].entrant

    def rounds(self, points: Sequence[float], random: Random) -> list[PlayedRound]:
        """Play one cup to its end with these skills."""
        odds = [exp(self.scale * one / POINTS) for one in points]
        course = self._begun(random)
        while (following := self._next(course, random)) is not None:
            course.add(PlayedRound(following, tuple(self._results(following, odds, random))))
        return course.rounds

    def _begun(self, random: Random) -> _Course:
        """The course after the rounds that were played."""
        course = _Course(self.plan)
        for played in self.played:
            if self.plan.format == Cup.Format.HALVING:
                self._cut(course, random)
            course.add(played)
        return course

    def _next(self, course: _Course, random: Random) -> Round | None:
        plan, done = self.plan, len(course.rounds)
        if plan.format == Cup.Format.ROUND_ROBIN:
            return plan.schedule[done] if done < len(plan.schedule) else None
        if plan.format == Cup.Format.KNOCKOUT:
            return knockout_round(plan.entrants, plan.seats, course.rounds)
        if plan.format == Cup.Format.HALVING:
            self._cut(course, random)
        if done >= (plan.rounds or sum(self._stages.values())):
            return None
        return self._neighbors(course, random)

    @cached_property
    def _stages(self) -> dict[int, int]:
        """The rounds of each stage of successive halving, by its number of entrants."""
        return dict(halving_stages(len(self.plan.entrants), self.plan.seats, HALVING_ROUNDS))

    def _cut(self, course: _Course, random: Random) -> None:
        """Keep the better half if the next round is the first of a stage."""
        done = 0
        for size, rounds in self._stages.items():
            if done == len(course.rounds) and size < len(course.alive):
                course.alive = course.ranked(course.alive, random)[:size]
            done += rounds

    def _neighbors(self, course: _Course, random: Random) -> Round | None:
        """Seat neighbors in the order of points at one table; the last ones with the fewest byes have a bye."""
        seats = self.plan.seats
        order = course.ranked((one for one in course.alive if one not in self.left), random)
        if len(order) < max(2, seats):
            return None
        worst_first = list(reversed(order))
        worst_first.sort(key=course.byes.__getitem__)
        byes = tuple(worst_first[: len(order) % seats])
        order = [one for one in order if one not in byes]
        return Round(tuple(tuple(order[at : at + seats]) for at in range(0, len(order), seats)), byes)

    def _results(self, round_: Round, odds: Sequence[float], random: Random) -> Iterator[Points]:
        knockout = self.plan.format == Cup.Format.KNOCKOUT
        leaving = eliminated(round_, self.plan.seats) if knockout else [0] * len(round_.tables)
        for table, out in zip(round_, leaving, strict=True):
            yield self._played(table, out, odds, random)

    def _played(self, table: Table, leaving: int, odds: Sequence[float], random: Random) -> Points:
        """The points of a table; a knockout table with ``leaving`` entrants plays on in a tie."""
        games, points, blocks = len(seatings(len(table))), [0] * len(table), 0
        most = 2 * (len(table) - 1) * games
        while blocks < self.blocks or (leaving and not is_decided(points, leaving, blocks, self.blocks, most)):
            blocks += 1
            for _ in range(games):
                self._play(table, points, odds, random)
        return tuple(points)

    def _play(self, table: Table, points: list[int], odds: Sequence[float], random: Random) -> None:
        """Add the points of one game: times to the goal are exponential, which is a Plackett-Luce ranking."""
        times = [(one in self.left, random.expovariate(odds[one])) for one in table]
        order = sorted(range(len(table)), key=times.__getitem__)
        for behind, place in enumerate(reversed(order)):
            points[place] += 2 * behind


# --- Skills ----------------------------------------------------------------------------------------------------------


def skills_of(cup: Cup) -> list[Skill]:
    """The skills of the frozen entrants, by number."""
    entries = CupEntry.objects.filter(cup=cup, number__isnull=False).order_by("number")
    return skills_on(cup.ladder_id, list(entries.values_list("version", "bot")))


def skills_on(ladder_id: int, rows: Sequence[tuple[int | None, int]]) -> list[Skill]:
    """The skills of versions with their bots: the estimate of the version in the newest season that has one.

    A version without an estimate has the rating of its bot on the ladder, or the start rating, with
    ``UNKNOWN_DEVIATION``.
    """
    bots = [bot for _version, bot in rows]
    ratings = dict(Membership.objects.filter(ladder=ladder_id, bot__in=bots).values_list("bot", "rating"))
    found = Estimate.objects.filter(season__ladder=ladder_id, version__in=[version for version, _bot in rows])
    known = {
        version: Skill(rating / 1000, (high - low) / 1000 / 2 / SURE)
        for version, rating, low, high in found.order_by("season__number").values_list(
            "version", "rating", "low", "high"
        )
    }
    return [
        known.get(version or 0) or Skill(ratings.get(bot, START_RATING) / 1000, UNKNOWN_DEVIATION)
        for version, bot in rows
    ]


def worth_on(ladder_id: int) -> float:
    """How many games with separate deals one game of a block is worth on a ladder; 1 if that was not measured yet."""
    measured = SeasonStatistics.objects.filter(season__ladder=ladder_id, measured__isnull=False)
    documents = measured.order_by("-season__number").values_list("document", flat=True)
    ratios = [document["saving"]["ratio"] for document in documents[:2] if document.get("saving")]
    return min(max(ratios[0], LEAST_WORTH), MOST_WORTH) if ratios else 1.0


# --- Sizes --------------------------------------------------------------------------------------------------------


def planned_tables(plan: Plan) -> list[int]:
    """The number of tables of each round, if no entrant leaves."""
    size, seats = len(plan.entrants), plan.seats
    if plan.format == Cup.Format.SWISS:
        return [size // seats] * (plan.rounds or 0)
    if plan.format == Cup.Format.HALVING:
        return [left // seats for left, rounds in halving_stages(size, seats, HALVING_ROUNDS) for _ in range(rounds)]
    if plan.format == Cup.Format.ROUND_ROBIN:
        return [len(one.tables) for one in plan.schedule]
    tables, rounds = list[int](), list[PlayedRound]()
    while (following := knockout_round(plan.entrants, seats, rounds)) is not None:
        tables.append(len(following.tables))
        rounds.append(PlayedRound(following, (None,) * len(following.tables)))  # sizes do not depend on results
    return tables
