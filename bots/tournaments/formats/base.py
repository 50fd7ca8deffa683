"""What every tournament format has to say, and the plan of a cup that is played in one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from bots.tournaments.keys import permutation
from bots.tournaments.rounds import Entrants, History, PairingError, PlayedRound, Round, Standing, Table

MOST_ENTRANTS: Final = 512
MOST_BLOCKS: Final = 20
MOST_ROUNDS: Final = 30
"""The most rounds that an organizer can choose."""

SEAT_COUNTS: Final = (2, 3, 4, 5)

NO_ONE: Final[Mapping[int, str]] = MappingProxyType({})
"""No entrant has left."""


class FormatError(RuntimeError):
    """A format returned a round that cannot be played: a fault of its class."""


class Format(ABC):
    """A tournament format. All of it is a pure function of a plan and the rounds that were played.

    To add a format, write a module in this folder and a line in ``FORMATS``. The common behavior is tested by
    ``tests/bots/tournaments/formats/test_formats.py``. ``docs/concepts/cups.md`` and ``docs/reference/cup-ledger.md``
    describe each format.
    """

    slug: ClassVar[str]
    """At most 20 characters. It stays in the ledgers of cups, so it never changes."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line of the form for a new cup. It begins with the name."""

    ranking: ClassVar[str] = ""
    """What decides the standings before the points, in a sentence of the cup page."""

    seat_counts: ClassVar[Sequence[int]] = SEAT_COUNTS
    has_chosen_rounds: ClassVar[bool] = False
    """Whether the organizer chooses the number of rounds."""

    results_decide_pairings: ClassVar[bool] = False
    """Whether results of a round decide who plays the next one at all, so that they cannot change afterwards."""

    has_several_tables: ClassVar[bool] = False
    """Whether an entrant can be at several tables of a round."""

    results_table: ClassVar[Literal["by opponent", "by round"] | None] = "by round"
    """The columns of the table of results on the cup page: all entrants, or the rounds. ``None`` shows no table."""

    has_knockout_bracket: ClassVar[bool] = False
    """Whether the rounds are those of a knockout, which the cup page draws as a bracket."""

    def least_entrants(self, seats: int) -> int:
        """The minimum number of entrants at tables with ``seats`` seats."""
        return max(2, seats)

    def most_entrants(self, seats: int) -> int:
        """The maximum number of entrants at tables with ``seats`` seats."""
        return MOST_ENTRANTS

    def require_size(self, entrants: int, seats: int) -> None:
        """Raise ``PairingError`` if the format has no cup of this size."""
        least, most = self.least_entrants(seats), self.most_entrants(seats)
        if seats not in self.seat_counts:
            counts = " or ".join(map(str, self.seat_counts))
            raise PairingError(f"{self.name} is played at {counts} seats, not at {seats}.", "seats")
        if entrants < least:
            text = f"{self.name} at {seats} seats needs at least {least} entrants, not {entrants}. Add entrants."
            raise PairingError(text, "too_few_entrants")
        if entrants > most:
            text = f"{self.name} has at most {most} entrants at {seats} seats, not {entrants}. Choose another format."
            raise PairingError(text, "too_many_entrants")

    @abstractmethod
    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        """The round after ``played``, or ``None`` when the cup is over. Called by ``Plan.next_round``, which checks it.

        Every table has ``plan.seats`` entrants. Who still plays, but has no table, can have a bye, which brings points
        (``rounds.bye_points``), or waits. ``left`` are entrants who were withdrawn or disqualified: they can be omitted
        if pairings depend on points; otherwise their tables are decided against them, without games. A result of
        ``None`` is a void table, for which ``elimination.ranking`` goes by the seeding, as for ties. Whatever the
        results, the cup must end. Equal arguments give equal rounds, on every machine. Raises ``PairingError``.
        """

    def is_as_good(self, plan: Plan, played: Sequence[PlayedRound], round_: Round, other: Round) -> bool:
        """Whether ``round_`` is as correct as the ``other`` one that :meth:`next_round` returned here."""
        return False

    def tie_places(self, seats: int, round_: Round) -> Sequence[int]:
        """By table of a round, how many last places a tie must not join with the place before them; 0 if it may.

        With 1, the last one is decided, and with ``seats`` - 1 the winner. Such a table plays more blocks in a tie
        (``elimination.is_decided``). Values are below ``seats``. The tables and byes of a round show its stage, so its
        number is not needed: a final has one table and no byes.
        """
        return [0] * len(round_.tables)

    def sort_key(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Mapping[int, Any]:
        """By entrant, for all of them, what decides the standings before the points: lower is better."""
        return dict.fromkeys(range(len(plan.entrants)), 0)

    def tie_places_by_round(self, seats: int, entrants: int, rounds: int | None) -> Sequence[Sequence[int]]:
        """The values of :meth:`tie_places` of all rounds if no entrant leaves; so also the number of their tables.

        Numbers of tables must not depend on results, except for a last round that decides a tie. Here all tables are
        void. Raises ``PairingError``.
        """
        plan = Plan(self.slug, seats, Entrants((None,) * entrants), bytes(32), "", rounds)
        places, played = list[Sequence[int]](), list[PlayedRound]()
        while (following := plan.next_round(played)) is not None:
            places.append(self.tie_places(seats, following))
            played.append(PlayedRound(following, (None,) * len(following.tables)))
        return places

    def stages(self, entrants: int, seats: int) -> Sequence[tuple[int, int]]:
        """The stages that the cup page lists, as pairs of the number of entrants and of the rounds that they play."""
        return ()

    def design(self, entrants: int, seats: int) -> Sequence[Table]:
        """Tables by place that the entrant list contains, because not every verifier can compute them."""
        return ()


@dataclass(frozen=True)
class Plan:
    """What is fixed before a cup starts. ``key`` is secret until the end; ``entrants_hash`` is of the entrant list.

    ``format`` is the slug of a format. ``design`` has the tables that the entrant list contains, by place; if it is
    empty, the stored one is used.
    """

    format: str
    seats: int
    entrants: Entrants
    key: bytes
    entrants_hash: str
    rounds: int | None = None
    design: tuple[Table, ...] = ()

    @property
    def tournament_format(self) -> Format:
        """The format. Raises ``KeyError`` for an unknown one."""
        from bots.tournaments.formats import FORMATS  # which imports this module

        return FORMATS[self.format]

    @cached_property
    def lots(self) -> tuple[int, ...]:
        """The entrants in the order that decides the last ties."""
        return permutation(self.key, self.entrants_hash, "lot", len(self.entrants))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The entrants in the order of places of a schedule that does not depend on results."""
        return permutation(self.key, self.entrants_hash, "place", len(self.entrants))

    def history(self, played: Sequence[PlayedRound]) -> History:
        return History(self.entrants, self.seats, played, self.lots)

    def next_round(self, played: Sequence[PlayedRound], left: Collection[int] = ()) -> Round | None:
        """The round after ``played``, or ``None`` when the cup is over.

        Raises ``PairingError`` for entrants that cannot be paired, and ``FormatError`` for a faulty format.
        """
        self.tournament_format.require_size(len(self.entrants), self.seats)
        following = self.tournament_format.next_round(self, played, left)
        if following is not None:
            self._require_playable(following, len(played) + 1)
        return following

    def _require_playable(self, round_: Round, number: int) -> None:
        seated = [entrant for table in round_.tables for entrant in table]
        problem = ""
        if number > 2 * MOST_ENTRANTS:
            problem = "does not end"
        elif not {*seated, *round_.byes} <= set(range(len(self.entrants))):
            problem = "has unknown entrants"
        elif any(len(set(table)) != self.seats or len(table) != self.seats for table in round_.tables):
            problem = f"has a table without {self.seats} different entrants"
        elif len(set(round_.byes)) < len(round_.byes) or not set(round_.byes).isdisjoint(seated):
            problem = "has an entrant with a bye and another place"
        elif len(set(seated)) < len(seated) and not self.tournament_format.has_several_tables:
            problem = "has an entrant at several tables"
        if problem:
            raise FormatError(f"The format {self.format} {problem} in round {number}.")

    def follows(self, round_: Round, played: Sequence[PlayedRound], left: Collection[int] = ()) -> bool:
        """Whether ``round_`` is a correct next round. Raises ``PairingError``."""
        expected = self.next_round(played, left)
        if expected is None or expected == round_:
            return expected is not None
        return self.tournament_format.is_as_good(self, played, round_, expected)

    def standings(self, played: Sequence[PlayedRound], left: Mapping[int, str] = NO_ONE) -> list[Standing]:
        """The standings after ``played``, best first. ``left`` has the states of the entrants who have left.

        Disqualified entrants are behind all others.
        """
        keys = self.tournament_format.sort_key(self, played, left)

        def key(row: Standing) -> tuple[bool, Any, int]:
            return left.get(row.entrant) == "disqualified", keys[row.entrant], row.rank

        order = sorted(self.history(played).standings(), key=key)
        return [replace(row, rank=rank) for rank, row in enumerate(order, 1)]


def last_rounds(plan: Plan, played: Sequence[PlayedRound]) -> list[int]:
    """By entrant, the number of the last round in which it had a table or a bye; 0 without one."""
    reached = [0] * len(plan.entrants)
    for number, past in enumerate(played, 1):
        for entrant in past.round.entrants:
            reached[entrant] = number
    return reached
