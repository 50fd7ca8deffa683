"""The value of a position: the expected money of every seat from this scoring and later ones.

A *column* contains the number of gems of one color by seat. A *table* is the four columns R, Y, G, B. The expected
money of a table is a sum over its columns, so each column is computed once and cached.
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
"""The average number of gems of one color that a seat gains per round."""
CERTIFICATES = 0.24
"""The average number of certificates that all seats together win per round."""


def shares(column: Column | list[float], doubt: float) -> list[float]:
    """Return the probability of each seat to get the majority, if leads are uncertain by ``doubt`` gems."""
    most = max(column)
    if most <= 0:
        return [0.0] * len(column)
    weights = [exp((count - most) / doubt) if count > 0 else 0.0 for count in column]
    total = sum(weights)
    return [weight / total for weight in weights]


def majority(column: Column, pays: int) -> tuple[Money, list[int]]:
    """Return the payments and the returned gems of every seat if one color is scored now."""
    most = max(column)
    winners = column.count(most) if most else 0
    paid, back = (pays, (most + 1) // 2) if winners == 1 else (pays // max(winners, 1), min(2, most))
    wins = [bool(most) and count == most for count in column]
    return [paid * float(win) for win in wins], [back * win for win in wins]


class Outlook:
    """The expected money of tables in one position, independent of the seat."""

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
        """Return the expected money of every seat from the gems of ``table``, including bonuses of held cards."""
        return [sum(by_colour) for by_colour in zip(*map(self.column, range(4), table), strict=True)]

    def column(self, colour: int, column: Column) -> Money:
        """Return the expected money of every seat from one color in this scoring and all later ones."""
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
        """Return what a held event card adds to the scoring of one color."""
        kind, _, rest = card.partition(":")
        if kind == "cert" or (rest and rest != COLOURS[colour]):
            return 0.0
        if kind == "per":
            return column[seat] + GROWTH * self.left
        return (SOLE_BONUS[colour] if rest else 4) * self.sole(column, seat)

    def sole(self, column: Column, seat: int) -> float:
        """Return the probability that ``seat`` alone gets the majority."""
        if not self.left:
            return float(column[seat] == max(column) > 0 and column.count(column[seat]) == 1)
        behind = [count + 0.5 * (other != seat) for other, count in enumerate(column)]
        return shares(behind, self.doubt)[seat]

    def certificates(self, counts: Column) -> Money:
        """Return the expected money from certificates: 10 for the most, 4 for the second most."""
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
        """Return the number of certificates by seat."""
        return tuple(cards.count("cert") for cards in self.cards)


def pay_certificates(counts: list[int]) -> list[int]:
    """Return the payments for certificates: 10 for the most, 4 for the second most if only one seat has the most."""
    ranked = sorted(set(counts) - {0}, reverse=True)
    if not ranked:
        return [0] * len(counts)
    second = ranked[1] if len(ranked) > 1 and counts.count(ranked[0]) == 1 else None
    return [10 if count == ranked[0] else 4 if count == second else 0 for count in counts]


def moved(table: Table, gems: list[int], giver: int | None, taker: int | None) -> Table:
    """Return the table after a transfer of ``gems`` between seats; ``None`` is the supply."""
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
    """Return a single gem of ``colour``."""
    return [int(colour == each) for each in COLOURS]


def gems_on(card: str, supply: list[int]) -> list[int]:
    """Return the gems of a gem card that the supply still contains."""
    return [min(card.count(colour), left) for colour, left in zip(COLOURS, supply, strict=True)]
