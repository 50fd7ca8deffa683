"""Seat remote bots at live tables: the longest waiting bot first, each bot on its ladders in turn.

A bot's turn is on the ladder on which it was seated longest ago, of the ladders on which a table is possible with the
bots that are online. If no opponent is free there, it waits for a while, and its possible opponents are kept free for
it. Then it is the turn of its next ladder. So ladders that need several bots at the same time get their games, and no
bot waits permanently for an opponent that never comes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random

from ladder.pairings.candidates import Candidate, most_at_one_table
from ladder.pairings.opponents import Field

PATIENCE_S = 1.0
"""Time that a bot waits on the ladder whose turn it is, while opponents are free on another one."""


@dataclass(frozen=True)
class OnlineBot:
    """An online remote bot: the number of games that it can still begin, and its waiting time."""

    bot: int
    free: int
    waited_s: float = 0.0


@dataclass(frozen=True)
class LiveLadder:
    """The possible players at a ladder's tables: ``online`` by bot, and hosted bots for the remaining seats.

    ``here`` is the number of owners with an online remote bot of this ladder, free or not.
    """

    key: int
    seats: int
    here: int
    online: Mapping[int, Candidate]
    hosted: Sequence[Candidate] = ()

    @property
    def possible(self) -> bool:
        """Whether a table could be filled if all online bots were free."""
        return self.here + most_at_one_table(self.hosted) >= self.seats


@dataclass(frozen=True)
class SeatedTable:
    """A table: the memberships in the order of its seats. ``first`` is the membership of the bot whose turn it was."""

    ladder: int
    memberships: tuple[int, ...]
    first: int


@dataclass
class Seating:
    """The tables that can be opened, and the memberships whose turn has passed without a table.

    ``again_s`` is the number of seconds until the patience of the first waiting bot ends, or ``None``.
    """

    tables: list[SeatedTable] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)
    again_s: float | None = None


def seated(ladders: Sequence[LiveLadder], online: Collection[OnlineBot], hosted_room: int, random: Random) -> Seating:
    """Return the tables for all free bots ``online``, with hosted bots in at most ``hosted_room`` seats."""
    round_ = _Round(ladders, online, hosted_room, random)
    for one in sorted(online, key=lambda one: (-one.waited_s, one.bot)):
        while round_.free[one.bot] and one.bot not in round_.kept and round_.serve(one):
            pass
    return round_.seating


class _Round:
    """The free bots of one round, and its decisions so far."""

    def __init__(
        self, ladders: Sequence[LiveLadder], online: Collection[OnlineBot], hosted_room: int, random: Random
    ) -> None:
        self.free = {one.bot: one.free for one in online}
        self.kept: set[int] = set()
        self.seating = Seating()
        self._room, self._random = hosted_room, random
        self._since = {(ladder.key, bot): here.since for ladder in ladders for bot, here in ladder.online.items()}
        self._clock = count(max(self._since.values(), default=0) + 1)
        self._ladders = {bot: _in_turn(ladders, bot) for bot in self.free}

    def serve(self, one: OnlineBot) -> bool:
        """Find a table for one bot. Return whether there was one. If it can wait, other bots are kept free for it."""
        passed: list[LiveLadder] = []
        for ladder in sorted(self._ladders[one.bot], key=lambda ladder: self._since[ladder.key, one.bot]):
            if self._sit_down(ladder, one.bot):
                for skipped in passed:
                    self._since[skipped.key, one.bot] = next(self._clock)
                self.seating.passed += [skipped.online[one.bot].membership for skipped in passed]
                return True
            if one.waited_s < PATIENCE_S:
                self.kept |= {one.bot, *ladder.online}
                left_s = PATIENCE_S - one.waited_s
                self.seating.again_s = min(left_s, self.seating.again_s or left_s)
                return False
            passed.append(ladder)
        return False

    def _sit_down(self, ladder: LiveLadder, bot: int) -> bool:
        here = {candidate.membership: other for other, candidate in ladder.online.items() if self.free.get(other)}
        others = [ladder.online[other] for other in here.values() if other not in self.kept]
        hosted = ladder.hosted if self._room >= ladder.seats - 1 else ()
        if most_at_one_table([*others, *hosted]) < ladder.seats:
            return False
        table = Field([*others, *hosted]).table(ladder.online[bot], ladder.seats, self._random)
        memberships = tuple(candidate.membership for candidate in table)
        self.seating.tables.append(SeatedTable(ladder.key, memberships, ladder.online[bot].membership))
        now = next(self._clock)
        for other in self._bots(memberships, here):
            self.free[other] -= 1
            self._since[ladder.key, other] = now
        self._room -= sum(membership not in here for membership in memberships)
        return True

    @staticmethod
    def _bots(memberships: Sequence[int], here: Mapping[int, int]) -> Iterator[int]:
        return (here[membership] for membership in memberships if membership in here)


def _in_turn(ladders: Sequence[LiveLadder], bot: int) -> list[LiveLadder]:
    """Return the possible ladders of ``bot``. The order differs by bot, so that new bots begin on different ladders."""
    mine = [ladder for ladder in ladders if bot in ladder.online and ladder.possible]
    first = bot % max(1, len(mine))
    return mine[first:] + mine[:first]
