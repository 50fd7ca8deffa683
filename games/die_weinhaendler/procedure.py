"""The procedure: auction, exchange, laying, refill, and the end of the game (rules 4.2)."""

from __future__ import annotations

from typing import Any

from games.chance import Chance
from games.die_weinhaendler.cards import CODES, DISPLAY_SIZE, NUMBERS, STARS, Cards, codes, in_order
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import cell_of, place_of
from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.die_weinhaendler.table import NO_BID, Table
from games.rules import Rules
from games.stepped import NOBODY, SteppedState


class Procedure(Table):
    """A game without its documents.

    ``leader`` lays first in this round. ``passed`` and ``done`` show by seat whether it has finished bidding and
    laying.
    """

    __slots__ = ("done", "idle_rounds", "last_round", "leader", "passed", "round", "stack_before")

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(rules, seats, chance, journal)
        self.round = 0
        self.last_round = False
        self.idle_rounds = 0
        self.passed = [False] * seats
        self.done = [False] * seats
        self.begin_round()
        self.go_on()

    def proceed(self) -> None:
        """Never called: a seat always owes a decision, or the game is over."""
        raise AssertionError("a decision is always pending here")

    def apply(self, seat: int, move: Any, mark: str | bool | None) -> None:
        self.note_step(seat, self.stage, move, mark)
        if self.stage == "bid":
            if move == "pass":
                self.pass_on(seat)
            else:
                self.add_to_bid(seat, in_order([NUMBERS[code] for code in move["cards"]]))
            self.next_bidder(seat)
        elif move == "done":
            self.done[seat] = True
            self.next_layer(seat)
        else:
            place: list[int] = move["cell"]
            self.lay(seat, NUMBERS[move["card"]], cell_of(place[0], place[1]))

    # --- bidding --------------------------------------------------------------------------------

    def begin_round(self) -> None:
        """Begin a round. The start player bids first."""
        self.round += 1
        self.stack_before = self.in_stack()
        self.leader = self.start
        self.ask(self.start, "bid")

    def pass_on(self, seat: int) -> None:
        """Remove ``seat`` from the auction. Without a bid it draws a card from the stack."""
        self.passed[seat] = True
        if self.totals[seat] == NO_BID:
            self.draw_for_pass(seat)

    def draw_for_pass(self, seat: int) -> None:
        """Show two cards of the stack. The cheaper one goes to the hand, the other one under the stack."""
        shown = [self.draw() for _ in range(min(2, self.in_stack()))]
        if not shown:
            return
        kept, below = shown[0], shown[1] if len(shown) == 2 else None
        if below is not None and below < kept:
            kept, below = below, kept
        self.gain(seat, (kept,))
        if below is not None:
            self.put_below(below)
        if self.journal is not None:
            self.note_event(
                {
                    "type": "pass_draw",
                    "seat": seat,
                    "shown": [CODES[card] for card in shown],
                    "kept": CODES[kept],
                    "to_bottom": None if below is None else CODES[below],
                }
            )

    def next_bidder(self, seat: int) -> None:
        """Ask the next seat clockwise that has not passed, or begin the exchange."""
        for step in range(1, self.seats + 1):
            other = (seat + step) % self.seats
            if not self.passed[other]:
                self.ask(other, "bid")
                return
        self.exchange()

    def exchange(self) -> None:
        """Exchange the bids.

        The highest bidder takes the display, each other bidder the next higher bid. The lowest bid is the new display.
        """
        bidders = [seat for seat in range(self.seats) if self.totals[seat] != NO_BID]
        bidders.sort(key=self.totals.__getitem__, reverse=True)
        if bidders:
            self.leader = bidders[0]
            if self.journal is not None:
                self.note_exchange(bidders)
            offered = self.display
            for seat in bidders:
                self.gain(seat, offered)
                offered = self.bids[seat]
            self.display = offered
        self.bids = [()] * self.seats
        self.totals = [NO_BID] * self.seats
        self.passed = [False] * self.seats
        self.ask(self.leader, "lay")

    def note_exchange(self, bidders: list[int]) -> None:
        """Record the event of the exchange. ``bidders`` are in descending order of their bids."""
        sources: list[tuple[int | str, Cards]] = [("display", self.display)]
        sources += [(seat, self.bids[seat]) for seat in bidders]
        moves = [
            {"to": to, "from": source, "cards": codes(cards)}
            for to, (source, cards) in zip([*bidders, "display"], sources, strict=True)
        ]
        self.note_event({"type": "exchange", "moves": moves})

    # --- laying ---------------------------------------------------------------------------------

    def lay(self, seat: int, card: int, cell: int) -> None:
        """Lay a bottle and add the points for its stars and trios. The seat continues laying."""
        cellar = self.open_cellar(seat)
        points = STARS[card] + cellar.bonus(card, cell)
        self.lose(seat, card)
        self.points[seat] += points
        if self.journal is not None:
            if cellar is NEW:
                self.note_event({"type": "new_cellar", "seat": seat})
            self.note_event(
                {
                    "type": "laid",
                    "seat": seat,
                    "card": CODES[card],
                    "cell": place_of(cell),
                    "points": points,
                    "trios": [[place_of(part) for part in trio] for trio in cellar.trios(card, cell)],
                }
            )
        finished = self.cellars[seat] if cellar is NEW else self.cellars[seat][:-1]
        self.cellars[seat] = (*finished, cellar.with_bottle(card, cell))

    def next_layer(self, seat: int) -> None:
        """Ask the next seat clockwise to lay, or end the round."""
        other = (seat + 1) % self.seats
        if other != self.leader:
            self.ask(other, "lay")
            return
        self.done = [False] * self.seats
        self.end_round()

    def end_round(self) -> None:
        """Refill the display, set the start player, and determine whether the next round is the last."""
        if self.last_round:
            self.ask(NOBODY, "over")
            return
        self.refill()
        self.start = self.leader
        if self.journal is not None:
            self.note_event({"type": "start", "seat": self.start})
        left = self.in_stack()
        self.idle_rounds = 0 if left < self.stack_before else self.idle_rounds + 1
        if left == 0 or self.idle_rounds >= IDLE_LIMIT:
            self.last_round = True
            if self.journal is not None:
                self.note_event({"type": "last_round"})
        self.begin_round()

    def refill(self) -> None:
        """Draw up to four cards for the display, as far as the stack goes."""
        wanted = min(DISPLAY_SIZE - len(self.display), self.in_stack())
        if wanted <= 0:
            return
        cards = in_order([self.draw() for _ in range(wanted)])
        self.display = in_order([*self.display, *cards])
        if self.journal is not None:
            self.note_event({"type": "refill", "cards": codes(cards)})

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, Procedure)
        super().copy_to(twin)
        twin.round = self.round
        twin.last_round = self.last_round
        twin.idle_rounds = self.idle_rounds
        twin.passed = self.passed[:]
        twin.done = self.done[:]
        twin.leader = self.leader
        twin.stack_before = self.stack_before
