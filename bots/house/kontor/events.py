"""What an event card is worth to a seat, and the best way to carry out a sofort card."""

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
    """The cards the next blind draw can be: the stack, or the discards that a reshuffle would make it from."""
    known = [*event["discards"], event["display"], *(card for held in cards for card in held)]
    left = {card: copies - known.count(card) for card, copies in DECK.items()}
    if not event["stack"]:
        left = {card: event["discards"].count(card) for card in DECK}
    return {card: copies for card, copies in left.items() if copies > 0}


class Events:
    """Judges event cards for one seat by ``utility``, a function of everybody's expected money."""

    def __init__(self, outlook: Outlook, seat: int, weights: list[float]) -> None:
        self.outlook = outlook
        self.seat = seat
        self.weights = weights
        """What one unit of money of every seat is worth to this one: 1 for its own, less than 0 for the others'."""

    def utility(self, money: Money) -> float:
        """What everybody's money is worth to this seat."""
        return sum(weight * amount for weight, amount in zip(self.weights, money, strict=True))

    def gain(self, card: str, table: Table) -> Money:
        """How everybody's expected money changes when this seat gets ``card`` and makes the best of it."""
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
        """How everybody's expected money changes with one more certificate for this seat."""
        held = self.outlook.held()
        more = tuple(count + (seat == self.seat) for seat, count in enumerate(held))
        before, after = self.outlook.certificates(held), self.outlook.certificates(more)
        return [now - then for now, then in zip(after, before, strict=True)]

    def blind(self, event: Document, table: Table) -> Money:
        """How everybody's expected money changes on average when this seat draws a card nobody has seen."""
        pool = unseen(event, self.outlook.cards)
        total = sum(pool.values()) or 1
        gain = [0.0] * self.outlook.seats
        for card, copies in pool.items():
            for seat, amount in enumerate(self.gain(card, table)):
                gain[seat] += amount * copies / total
        return gain

    # Sofort cards

    def ways(self, card: str, table: Table) -> Iterator[Move]:
        """The ways to carry out a sofort card; of those for a rob only the best."""
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
        """The colour whose loss by ``seat`` is worth most to this seat."""
        colours = [colour for colour, column in zip(COLOURS, table, strict=True) if column[seat]]
        return max(colours, key=lambda c: self.utility(self.outlook.money(moved(table, one(c), seat, None))))

    def after(self, card: str, move: Move, table: Table) -> Money:
        """Everybody's expected money once ``card`` has been carried out by ``move``."""
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
        """The table after this seat has set both ``colours`` to four."""
        for colour in map(COLOURS.index, colours):
            held = table[colour][self.seat]
            gain = min(4 - held, self.outlook.supply[colour])
            table = moved(table, [gain * (colour == each) for each in range(4)], None, self.seat)
        return table

    def half(self, colour: int, table: Table) -> Money:
        """Everybody's expected money after a scoring of ``colour`` at half value."""
        paid, back = majority(table[colour], MAJORITY[colour] // 2)
        column = tuple(count - gone for count, gone in zip(table[colour], back, strict=True))
        after = self.outlook.money((*table[:colour], column, *table[colour + 1 :]))
        return [now + later for now, later in zip(paid, after, strict=True)]
