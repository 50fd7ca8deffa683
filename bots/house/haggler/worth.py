"""The value of gems and event cards for one seat, in money of the next scoring."""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Document, Move

    Table = list[list[int]]
    """The gems of every seat, ``[R, Y, G, B]`` each."""

COLOURS = "RYGB"
MAJORITY = (14, 12, 10, 8)
SOLE_BONUS = (8, 7, 6, 5)
LATER = 1.2
"""The value of a gem in each later phase."""


def one(colour: str) -> list[int]:
    """Return a single gem of ``colour``."""
    return [int(colour == each) for each in COLOURS]


def moved(table: Table, gems: list[int], giver: int | None, taker: int | None) -> Table:
    """Return the table after a transfer of ``gems`` between seats; ``None`` is the supply."""
    after = [list(own) for own in table]
    for i, count in enumerate(gems):
        if giver is not None:
            after[giver][i] -= count
        if taker is not None:
            after[taker][i] += count
    return after


class SeatWorth:
    """The value of a position for one seat."""

    def __init__(self, view: Document) -> None:
        self.view = view
        self.seat: int = view["seat"]
        self.players = view["players"]
        self.table: Table = [player["gems"] for player in self.players]
        self.later: float = LATER * (view["phases"] - view["phase"])
        self.doubt = 0.4 + 0.25 * (view["rounds"] - view["round"]) ** 0.5

    def of(self, table: Table) -> float:
        """Return the expected money from gems at the next scoring, plus a small value for later scorings."""
        coming = sum(pays * self.share(table, i) for i, pays in enumerate(MAJORITY))
        return coming + self.later * sum(table[self.seat])

    def share(self, table: Table, colour: int) -> float:
        """Return the probability that I get the majority in ``colour``. Many rounds left make a lead less certain."""
        weights = [exp((own[colour] - table[self.seat][colour]) / self.doubt) for own in table]
        return 1 / sum(weights) if table[self.seat][colour] else 0.0

    def certificate(self) -> float:
        """Return the value of one more certificate: 10 for the most certificates, 4 for the second most."""
        counts = [player["cards"].count("cert") for player in self.players]
        mine = counts.pop(self.seat)
        lead = mine + 1 - max(counts)
        return 9.0 if lead == 1 else 6.0 if lead == 0 else 2.5 if lead < 0 else 1.5

    def event(self, card: str) -> float:
        """Return the value of an event card if I get it."""
        kind, _, rest = card.partition(":")
        before = self.of(self.table)
        if kind == "cert":
            return self.certificate()
        if kind == "sole":
            colour = COLOURS.index(rest)
            return SOLE_BONUS[colour] * self.share(self.table, colour)
        if kind == "sole_any":
            return 4 * sum(self.share(self.table, colour) for colour in range(4))
        if kind == "per":
            return self.table[self.seat][COLOURS.index(rest)] + 0.5
        if kind == "three":
            return max(self.of(self.three(colour)) for colour in range(4)) - before
        if kind == "half":
            return max(pays / 2 * self.share(self.table, colour) for colour, pays in enumerate(MAJORITY))
        if kind == "adjust":
            return max(0.0, self.of(self.adjusted(rest)) - before)
        return 2.5

    def gems_of(self, seat: int) -> list[int]:
        """Return the gems on the gem card of ``seat`` that the supply still contains."""
        card = self.players[seat]["gem_card"]
        return [min(card.count(colour), left) for colour, left in zip(COLOURS, self.view["supply"], strict=True)]

    def three(self, colour: int) -> Table:
        """Return the table after I take three gems of ``colour``."""
        gems = [0, 0, 0, 0]
        gems[colour] = min(3, self.view["supply"][colour])
        return moved(self.table, gems, None, self.seat)

    def adjusted(self, colours: str) -> Table:
        """Return the table after I set both ``colours`` to four."""
        after = [list(own) for own in self.table]
        for colour in map(COLOURS.index, colours):
            after[self.seat][colour] = min(4, self.table[self.seat][colour] + self.view["supply"][colour])
        return after

    def dearest(self, seat: int, colours: list[str]) -> str:
        """Return the color whose loss by ``seat`` helps me most."""
        gems = {colour: one(colour) for colour in colours}
        return max(colours, key=lambda colour: self.of(moved(self.table, gems[colour], seat, None)))

    def judge(self, card: str, move: Move) -> float:
        """Return my value after ``card`` is carried out by ``move``."""
        kind, _, rest = card.partition(":")
        if kind == "adjust":
            return self.of(self.adjusted(rest))
        if kind == "halve_all":
            return self.of([[count - count // 2 for count in own] for own in self.table])
        assert isinstance(move, dict)
        if kind == "three":
            return self.of(self.three(COLOURS.index(move["colour"])))
        if kind == "half":
            return self.half(COLOURS.index(move["colour"]))
        if kind == "rob":
            table = self.table
            for seat, colour in move["take"].items():
                table = moved(table, one(colour), int(seat), None)
            return self.of(table)
        table = moved(self.table, one(move["give"]), self.seat, move["seat"])
        return self.of(moved(table, one(move["take"]), move["seat"], self.seat))

    def half(self, colour: int) -> float:
        """Return my value after ``colour`` is scored at half value now, when its winners return gems."""
        most = max(own[colour] for own in self.table)
        winners = [seat for seat, own in enumerate(self.table) if own[colour] == most > 0]
        after = [list(own) for own in self.table]
        for seat in winners:
            after[seat][colour] -= (most + 1) // 2 if len(winners) == 1 else min(2, most)
        paid = MAJORITY[colour] // 2 // len(winners) if self.seat in winners else 0
        return paid + self.of(after)
