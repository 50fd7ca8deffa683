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
SEAT_COUNTS: Final = (2, 3, 4, 5)

NO_ONE: Final[Mapping[int, str]] = MappingProxyType({})
"""No entrant has left."""


class Format(ABC):
    """A tournament format. All of it is a pure function of a plan and the rounds that were played.

    A new one is a module in this folder and a line in ``FORMATS``. The pages show ``name``, ``summary`` (one line of
    the form), and ``ranking`` (how places follow from more than points; empty if only points decide). ``table`` is the
    table of results on the page of a cup, and ``has_bracket`` adds a drawn bracket.
    """

    slug: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    ranking: ClassVar[str] = ""
    seat_counts: ClassVar[Sequence[int]] = SEAT_COUNTS
    has_chosen_rounds: ClassVar[bool] = False
    """Whether the organizer chooses the number of rounds."""

    results_pair: ClassVar[bool] = False
    """Whether results of a round decide who plays the next one, so that they cannot change afterwards."""

    table: ClassVar[Literal["by opponent", "by round"] | None] = "by round"
    has_bracket: ClassVar[bool] = False

    def most_entrants(self, seats: int) -> int:
        """The maximum number of entrants at tables with ``seats`` seats."""
        return MOST_ENTRANTS

    def require_size(self, entrants: int, seats: int) -> None:
        """Raise ``PairingError`` if the format has no cup with so many entrants and seats."""
        least, most = max(2, seats), self.most_entrants(seats)
        if seats not in self.seat_counts:
            counts = " or ".join(map(str, self.seat_counts))
            raise PairingError(f"{self.name} is played at {counts} seats, not at {seats}.", "seats")
        if entrants < least:
            text = f"{self.name} at {seats} seats needs at least {least} entrants, not {entrants}. Add entrants."
            raise PairingError(text, "too_few_entrants")
        if entrants > most:
            text = f"{self.name} has at most {most} entrants at {seats} seats, not {entrants}. Choose Swiss."
            raise PairingError(text, "too_many_entrants")

    @abstractmethod
    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        """The round after ``played``, or ``None`` when the cup is over. ``left`` are the entrants who have left.

        Tables with entrants who have left are decided against them, without games. Raises ``PairingError``.
        """

    def is_as_good(self, plan: Plan, played: Sequence[PlayedRound], round_: Round, expected: Round) -> bool:
        """Whether ``round_`` is as correct as the ``expected`` one, which is a different one."""
        return False

    def leaving(self, seats: int, round_: Round) -> Sequence[int]:
        """By table of a round, how many entrants it eliminates; more blocks decide a tie for the last place that stays.

        0 if a tie can stay undecided.
        """
        return [0] * len(round_.tables)

    def place(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Mapping[int, Any]:
        """By entrant, what decides the standings before the points: lower is better. All values can be compared."""
        return dict.fromkeys(range(len(plan.entrants)), 0)

    def expected(self, seats: int, entrants: int, rounds: int | None) -> Sequence[Sequence[int]]:
        """By round and table, the values of :meth:`leaving` if no entrant leaves and the better seeds win.

        The lengths are the numbers of tables. Raises ``PairingError``.
        """
        plan, found = Plan(self.slug, seats, Entrants((None,) * entrants), bytes(32), "", rounds), list[Sequence[int]]()
        played = list[PlayedRound]()
        while (following := self.next_round(plan, played, ())) is not None:
            found.append(self.leaving(seats, following))
            played.append(PlayedRound(following, (None,) * len(following.tables)))
        return found

    def stages(self, entrants: int, seats: int) -> Sequence[tuple[int, int]]:
        """The stages after which entrants leave, as pairs of the entrants left and the rounds that they play."""
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
    def rules(self) -> Format:
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
        """The round after ``played``, or ``None`` when the cup is over. Raises ``PairingError``."""
        return self.rules.next_round(self, played, left)

    def follows(self, round_: Round, played: Sequence[PlayedRound], left: Collection[int] = ()) -> bool:
        """Whether ``round_`` is a correct next round. Raises ``PairingError``."""
        expected = self.next_round(played, left)
        if expected is None or expected == round_:
            return expected is not None
        return self.rules.is_as_good(self, played, round_, expected)

    def standings(self, played: Sequence[PlayedRound], left: Mapping[int, str] = NO_ONE) -> list[Standing]:
        """The standings after ``played``, best first. ``left`` has the states of the entrants who have left.

        Disqualified entrants are behind all others.
        """
        places = self.rules.place(self, played, left)

        def key(row: Standing) -> tuple[bool, Any, int]:
            return left.get(row.entrant) == "disqualified", places[row.entrant], row.rank

        order = sorted(self.history(played).standings(), key=key)
        return [replace(row, rank=rank) for rank, row in enumerate(order, 1)]


def last_rounds(plan: Plan, played: Sequence[PlayedRound]) -> list[int]:
    """By entrant, the number of the last round in which it had a table or a bye; 0 without one."""
    reached = [0] * len(plan.entrants)
    for number, one in enumerate(played, 1):
        for entrant in one.round.entrants:
            reached[entrant] = number
    return reached
