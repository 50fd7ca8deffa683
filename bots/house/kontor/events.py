"""The value of event cards for one seat, and the best way to carry out an immediate card."""

from __future__ import annotations

from itertools import product

from worth import COLOURS, MAJORITY, SOLE_BONUS, Outlook, majority, moved, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Document, Move
    from worth import Money, Table

DECK = {
    **{f"{kind}:{colour}": 1 for kind in ("sole", "per") for colour in COLOURS},
    "sole_any": 2, "cert": 15,
    "half": 2, "adjust:RB": 1, "adjust:YG": 1, "swap": 4, "rob": 2, "three": 2, "halve_all": 2,
}  # fmt: skip


def unseen(event: Document, cards: list[list[str]]) -> dict[str, int]:
    """Return the possible cards of the next blind draw: the stack, or the discards if it is empty."""
    known = [*event["discards"], event["display"], *(card for held in cards for card in held)]
    left = {card: copies - known.count(card) for card, copies in DECK.items()}
    if not event["stack"]:
        left = {card: event["discards"].count(card) for card in DECK}
    return {card: copies for card, copies in left.items() if copies > 0}


class Events:
    """Values event cards for one seat by ``utility``, a function of the expected money of all seats."""

    def __init__(self, outlook: Outlook, seat: int, weights: list[float]) -> None:
        self.outlook = outlook
        self.seat = seat
        self.weights = weights
        """The value of one unit of money of each seat for this seat: 1 for itself, negative for the others."""

    def utility(self, money: Money) -> float:
        """Return the value for this seat of the money of all seats."""
        return sum(weight * amount for weight, amount in zip(self.weights, money, strict=True))

    def gain(self, card: str, table: Table) -> Money:
        """Return the change of the expected money of all seats if this seat gets ``card`` and uses it optimally."""
        kind, _, rest = card.partition(":")
        gain = [0.0] * self.outlook.seats
        if kind == "cert":
            return self.certificate()
        if kind == "per":
            column = table[COLOURS.index(rest)]
            gain[self.seat] = self.outlook.bonus(card, COLOURS.index(rest), self.seat, column)
        elif kind == "sole":
            colour = COLOURS.index(rest)
            gain[self.seat] = SOLE_BONUS[colour] * self.outlook.sole(table[colour], self.seat)
        elif kind == "sole_any":
            gain[self.seat] = 4 * sum(self.outlook.sole(column, self.seat) for column in table)
        else:
            before = self.outlook.money(table)
            results = [self.after(card, move, table) for move in self.ways(card, table)]
            best = max(results, key=self.utility, default=before)
            change = [now - then for now, then in zip(best, before, strict=True)]
            return change if self.utility(change) > 0 else gain
        return gain

    def certificate(self) -> Money:
        """Return the change of the expected money of all seats if this seat gets one more certificate."""
        held = self.outlook.held()
        more = tuple(count + (seat == self.seat) for seat, count in enumerate(held))
        before, after = self.outlook.certificates(held), self.outlook.certificates(more)
        return [now - then for now, then in zip(after, before, strict=True)]

    def blind(self, event: Document, table: Table) -> Money:
        """Return the mean change of the expected money of all seats if this seat draws an unknown card."""
        pool = unseen(event, self.outlook.cards)
        total = sum(pool.values()) or 1
        gain = [0.0] * self.outlook.seats
        for card, copies in pool.items():
            for seat, amount in enumerate(self.gain(card, table)):
                gain[seat] += amount * copies / total
        return gain

    # Immediate cards

    def ways(self, card: str, table: Table) -> Iterator[Move]:
        """Yield the ways to carry out an immediate card; for a rob only the best one."""
        kind = card.partition(":")[0]
        others = [seat for seat in range(self.outlook.seats) if seat != self.seat and any(c[seat] for c in table)]
        if kind in ("half", "three"):
            yield from ({"colour": colour} for colour in COLOURS)
        elif kind == "swap":
            for seat, give, take in product(others, range(4), range(4)):
                if give != take and table[give][self.seat] and table[take][seat]:
                    yield {"give": COLOURS[give], "seat": seat, "take": COLOURS[take]}
        elif kind == "rob":
            if others:
                yield {"take": {str(seat): self.loss(seat, table) for seat in others}}
        else:
            yield "apply"

    def loss(self, seat: int, table: Table) -> str:
        """Return the color whose loss by ``seat`` is best for this seat."""
        colours = [colour for colour, column in zip(COLOURS, table, strict=True) if column[seat]]
        return max(colours, key=lambda c: self.utility(self.outlook.money(moved(table, one(c), seat, None))))

    def after(self, card: str, move: Move, table: Table) -> Money:
        """Return the expected money of all seats after ``card`` is carried out by ``move``."""
        kind, _, rest = card.partition(":")
        if kind == "adjust":
            return self.outlook.money(self.adjusted(rest, table))
        if kind == "halve_all":
            return self.outlook.money(tuple(tuple(count - count // 2 for count in column) for column in table))
        assert isinstance(move, dict)
        if kind == "half":
            return self.half(COLOURS.index(move["colour"]), table)
        if kind == "three":
            colour = COLOURS.index(move["colour"])
            gems = [min(3, self.outlook.supply[colour]) * count for count in one(move["colour"])]
            return self.outlook.money(moved(table, gems, None, self.seat))
        if kind == "rob":
            for seat, lost in move["take"].items():
                table = moved(table, one(lost), int(seat), None)
            return self.outlook.money(table)
        table = moved(table, one(move["give"]), self.seat, move["seat"])
        return self.outlook.money(moved(table, one(move["take"]), move["seat"], self.seat))

    def adjusted(self, colours: str, table: Table) -> Table:
        """Return the table after this seat sets both ``colours`` to four."""
        for colour in map(COLOURS.index, colours):
            held = table[colour][self.seat]
            gain = min(4 - held, self.outlook.supply[colour])
            table = moved(table, [gain * (colour == each) for each in range(4)], None, self.seat)
        return table

    def half(self, colour: int, table: Table) -> Money:
        """Return the expected money of all seats after ``colour`` is scored at half value."""
        paid, back = majority(table[colour], MAJORITY[colour] // 2)
        column = tuple(count - gone for count, gone in zip(table[colour], back, strict=True))
        after = self.outlook.money((*table[:colour], column, *table[colour + 1 :]))
        return [now + later for now, later in zip(paid, after, strict=True)]
