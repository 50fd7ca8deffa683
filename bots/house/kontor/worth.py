"""What a position is worth: the money every seat may expect from this scoring and the later ones.

A *column* is the number of gems of one colour every seat holds, a *table* the four columns R, Y, G, B. The
expected money of a table is a sum over its columns, so a column is judged once and remembered.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Document

    Column = tuple[int, ...]
    Table = tuple[Column, ...]
    Money = list[float]
    """Expected money by seat."""

COLOURS = "RYGB"
MAJORITY = (14, 12, 10, 8)
SOLE_BONUS = (8, 7, 6, 5)
GROWTH = 0.2
"""Gems of one colour a seat gains in a round, on average."""
CERTIFICATES = 0.24
"""Certificates all seats together win in a round, on average."""


def shares(column: Column | list[float], doubt: float) -> list[float]:
    """The chance of every seat to have the majority, when leads are uncertain by ``doubt`` gems."""
    most = max(column)
    if most <= 0:
        return [0.0] * len(column)
    weights = [exp((count - most) / doubt) if count > 0 else 0.0 for count in column]
    total = sum(weights)
    return [weight / total for weight in weights]


def majority(column: Column, pays: int) -> tuple[Money, list[int]]:
    """A scoring of one colour now: what every seat is paid, and what it returns."""
    most = max(column)
    winners = column.count(most) if most else 0
    paid, back = (pays, (most + 1) // 2) if winners == 1 else (pays // max(winners, 1), min(2, most))
    wins = [bool(most) and count == most for count in column]
    return [paid * float(win) for win in wins], [back * win for win in wins]


class Outlook:
    """The worth of tables in one position of the game, seen from nobody's seat in particular."""

    def __init__(self, view: Document, likes: dict[str, float]) -> None:
        self.players = view["players"]
        self.seats: int = view["seats"]
        self.left: int = view["rounds"] - view["round"]
        self.rounds: int = view["rounds"]
        self.phases: int = view["phases"] - view["phase"]
        self.likes = likes
        self.supply: list[int] = view["supply"]
        self.table: Table = tuple(tuple(p["gems"][c] for p in self.players) for c in range(4))
        self.cards: list[list[str]] = [p["cards"] for p in self.players]
        self._columns: dict[tuple[int, Column], Money] = {}
        self._certificates: dict[Column, Money] = {}
        self.doubt = (likes["doubt"] ** 2 + likes["drift"] ** 2 * self.left) ** 0.5

    def money(self, table: Table) -> Money:
        """What every seat may expect to be paid for the gems of ``table``, bonuses for held cards included."""
        return [sum(by_colour) for by_colour in zip(*map(self.column, range(4), table), strict=True)]

    def column(self, colour: int, column: Column) -> Money:
        """What one colour will pay every seat in all scorings to come."""
        known = self._columns.get((colour, column))
        if known is None:
            known = self._columns[colour, column] = self._column(colour, column)
        return known

    def _column(self, colour: int, column: Column) -> Money:
        pays = MAJORITY[colour]
        if self.left:
            chances = shares(column, self.doubt)
            paid = [pays * chance for chance in chances]
            grown = [count + GROWTH * self.left for count in column]
            kept = [count * (1 - chance / 2) for count, chance in zip(grown, chances, strict=True)]
        else:
            paid, back = majority(column, pays)
            kept = [float(count - gone) for count, gone in zip(column, back, strict=True)]
        for seat, cards in enumerate(self.cards):
            if cards:
                paid[seat] += sum(self.bonus(card, colour, seat, column) for card in cards)
        for phase in range(self.phases):
            chances = shares(kept, (self.likes["drift"] ** 2 * self.rounds) ** 0.5)
            paid = [sum_ + self.likes["later"] * pays * chance for sum_, chance in zip(paid, chances, strict=True)]
            if phase + 1 < self.phases:
                kept = [(n + GROWTH * self.rounds) * (1 - chance / 2) for n, chance in zip(kept, chances, strict=True)]
        return paid

    def bonus(self, card: str, colour: int, seat: int, column: Column) -> float:
        """What a held event card adds to the scoring of one colour."""
        kind, _, rest = card.partition(":")
        if kind == "cert" or (rest and rest != COLOURS[colour]):
            return 0.0
        if kind == "per":
            return column[seat] + GROWTH * self.left
        return (SOLE_BONUS[colour] if rest else 4) * self.sole(column, seat)

    def sole(self, column: Column, seat: int) -> float:
        """The chance of ``seat`` to have the majority alone."""
        if not self.left:
            return float(column[seat] == max(column) > 0 and column.count(column[seat]) == 1)
        behind = [count + 0.5 * (other != seat) for other, count in enumerate(column)]
        return shares(behind, self.doubt)[seat]

    def certificates(self, counts: Column) -> Money:
        """What certificates will pay when the seats hold ``counts`` of them now: 10 for most, 4 for second most."""
        known = self._certificates.get(counts)
        if known is None:
            known = self._certificates[counts] = self._certificates_paid(counts)
        return known

    def _certificates_paid(self, counts: Column) -> Money:
        more = 1 - exp(-CERTIFICATES * self.left / self.seats)
        paid = [0.0] * self.seats
        for luck in range(2**self.seats if self.left else 1):
            chance, final = 1.0, list(counts)
            for seat in range(self.seats):
                lucky = luck >> seat & 1
                chance *= more if lucky else 1 - more
                final[seat] += lucky
            for seat, amount in enumerate(pay_certificates(final)):
                paid[seat] += chance * amount
        return paid

    def held(self) -> Column:
        """How many certificates every seat holds."""
        return tuple(cards.count("cert") for cards in self.cards)


def pay_certificates(counts: list[int]) -> list[int]:
    """Ten for the most, four for the next number where the most is held alone; nobody with none is paid."""
    ranked = sorted(set(counts) - {0}, reverse=True)
    if not ranked:
        return [0] * len(counts)
    second = ranked[1] if len(ranked) > 1 and counts.count(ranked[0]) == 1 else None
    return [10 if count == ranked[0] else 4 if count == second else 0 for count in counts]


def moved(table: Table, gems: list[int], giver: int | None, taker: int | None) -> Table:
    """The table after ``gems`` have gone from one seat to another; ``None`` is the supply."""
    columns = list(table)
    for colour, count in enumerate(gems):
        if count:
            column = list(columns[colour])
            if giver is not None:
                column[giver] -= count
            if taker is not None:
                column[taker] += count
            columns[colour] = tuple(column)
    return tuple(columns)


def one(colour: str) -> list[int]:
    """A single gem of ``colour``."""
    return [int(colour == each) for each in COLOURS]


def gems_on(card: str, supply: list[int]) -> list[int]:
    """The gems of a gem card that the supply still has."""
    return [min(card.count(colour), left) for colour, left in zip(COLOURS, supply, strict=True)]
