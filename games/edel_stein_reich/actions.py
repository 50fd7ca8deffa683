"""Carrying out actions: money, gems, events and free choice, and the barters over them."""

from __future__ import annotations

from typing import Any

from games.edel_stein_reich.cards import (
    COLOURS,
    GEMS_ON_CARD,
    MONEY_ON_CARD,
    NO_GEMS,
    ONE,
    SCORING_CARDS,
    Gems,
    vector,
)
from games.edel_stein_reich.offers import NOTHING, Key, can_be_topped, key
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.edel_stein_reich.scoring import score_half
from games.edel_stein_reich.table import SUPPLY, Table
from games.rules import Move

ADJUSTED = 4
"""How many gems of a colour an adjustment leaves."""

FREE_CHOICE_TAKES = 2
"""How many gems a player alone on Free Choice takes."""


class Actions(Table):
    """A table on which actions are being carried out. ``standing`` is the key of the last offer."""

    __slots__ = (
        "declined",
        "free_next",
        "free_order",
        "gem_cards",
        "immediate",
        "offers",
        "opener",
        "other",
        "resolving",
        "standing",
    )

    def begin(self) -> None:
        """Nothing is being resolved yet."""
        self.resolving: str | None = None
        self.opener = -1
        self.other = -1
        self.declined: tuple[int, ...] = ()
        self.offers: tuple[tuple[int, Gems], ...] = ()
        self.standing: Key = NOTHING
        self.free_order: tuple[int, ...] = ()
        self.free_next = 0
        self.immediate: str | None = None
        self.gem_cards: tuple[str | None, ...] = (None,) * self.seats

    def used_card(self, seat: int) -> str:
        """The gem card that ``seat`` acts with."""
        card = self.gem_cards[seat]
        assert card is not None
        return card

    def perform(self, seat: int, action: str) -> None:
        """Carry out ``action`` for the one seat that is entitled to it."""
        if action == "money":
            self.pay(seat, MONEY_ON_CARD[self.used_card(seat)])
        elif action == "gems":
            self.take(seat, GEMS_ON_CARD[self.used_card(seat)], "gems")
        elif action == "event":
            self.ask(seat, "event_card")
        else:
            self.begin_free_choice([seat])

    # --- barter ---------------------------------------------------------------------------------

    def begin_barter(self, one: int, two: int) -> None:
        """Two seats want the same action: the one with fewer gems opens."""
        if self.precedence(two) < self.precedence(one):
            one, two = two, one
        self.opener = one
        self.other = two
        self.ask(one, "open_barter")

    def end_barter(self) -> None:
        """The barter is won or void."""
        self.opener = self.other = -1
        self.declined = ()
        self.offers = ()
        self.standing = NOTHING
        self.settle()

    def rival(self, seat: int) -> int:
        """The other of the two who barter."""
        return self.other if seat == self.opener else self.opener

    def win_barter(self, winner: int) -> None:
        """``winner`` performs the action that was bartered for."""
        self.end_barter()
        assert self.resolving is not None
        self.perform(winner, self.resolving)

    def offer(self, seat: int, gems: list[int]) -> None:
        """Lay an offer before the rival, who must answer it."""
        offer = (gems[0], gems[1], gems[2], gems[3])
        self.offers += ((seat, offer),)
        self.standing = key(offer)
        self.ask(self.rival(seat), "answer_offer")

    def open_barter(self, seat: int, move: Any) -> None:
        """The opener's move."""
        if move == "decline":
            self.declined = (seat,)
            self.ask(self.other, "counter_gift")
        else:
            self.offer(seat, move["offer"])

    def answer_offer(self, seat: int, move: Any) -> None:
        """Accept, or a higher offer."""
        if move == "accept":
            offerer, gems = self.offers[-1]
            self.transfer(offerer, seat, gems, "barter")
            self.win_barter(offerer)
        else:
            self.offer(seat, move["offer"])

    def counter_gift(self, seat: int, move: Any) -> None:
        """One gem for the opener who declined, or the action is void."""
        if move == "decline":
            if self.journal is not None:
                self.note_event({"type": "void", "action": self.resolving})
            self.end_barter()
        else:
            self.transfer(seat, self.opener, ONE[move["gift"]], "counter_gift")
            self.win_barter(seat)

    # --- events ---------------------------------------------------------------------------------

    def event_card(self, seat: int, move: Any) -> None:
        """Take the display or the unseen top card; a scoring card is kept, another one decided at once."""
        shown = self.display
        assert shown is not None
        if move == "face_up":
            card = shown
        else:
            card = self.draw_event()
            if self.journal is not None:
                self.note_event({"type": "drawn", "seat": seat, "card": card})
            self.discard_event(seat, shown)
        self.display = None
        if card in SCORING_CARDS:
            self.cards[seat] += (card,)
            if self.journal is not None:
                self.note_event({"type": "kept", "seat": seat, "card": card})
            self.settle()
        else:
            self.immediate = card
            self.ask(seat, "immediate")

    def decide_immediate(self, seat: int, move: Any) -> None:
        """Carry out the card in full, or not at all; either way it goes under the pile."""
        card = self.immediate
        assert card is not None
        if move != "decline":
            self.carry_out(seat, card, move)
        self.immediate = None
        self.discard_event(seat, card)
        self.settle()

    def carry_out(self, seat: int, card: str, move: Any) -> None:
        """The effect of an immediate card."""
        if card == "half":
            score_half(self, COLOURS.index(move["colour"]))
        elif card == "three":
            self.take(seat, vector(3 * move["colour"]), "three")
        elif card == "swap":
            self.transfer(seat, move["seat"], ONE[move["give"]], "swap")
            self.transfer(move["seat"], seat, ONE[move["take"]], "swap")
        elif card == "rob":
            for victim, colour in move["take"].items():
                self.transfer(int(victim), SUPPLY, ONE[colour], "rob")
        elif card == "halve_all":
            for loser in range(self.seats):
                red, yellow, green, blue = self.gems[loser]
                self.transfer(loser, SUPPLY, (red // 2, yellow // 2, green // 2, blue // 2), "halve_all")
        else:
            self.adjust(seat, vector(card.removeprefix("adjust:")))

    def adjust(self, seat: int, colours: Gems) -> None:
        """Bring the chosen colours to four gems each, as far as the supply goes."""
        beyond = [count - ADJUSTED if chosen else 0 for count, chosen in zip(self.gems[seat], colours, strict=True)]
        red, yellow, green, blue = beyond
        self.transfer(seat, SUPPLY, (max(0, red), max(0, yellow), max(0, green), max(0, blue)), "adjust")
        self.take(seat, (max(0, -red), max(0, -yellow), max(0, -green), max(0, -blue)), "adjust")

    # --- free choice ----------------------------------------------------------------------------

    def begin_free_choice(self, seats: list[int]) -> None:
        """All choosers act, in an order that is fixed now."""
        self.free_order = tuple([seat for _, seat in sorted([(self.precedence(seat), seat) for seat in seats])])
        self.free_next = 0
        self.ask(self.free_order[0], "free_choice")

    def free_choice(self, seat: int, move: Any) -> None:
        """One gem back and two taken by a player alone; one taken by each of several."""
        if move != "decline":
            if len(self.free_order) == 1:
                self.transfer(seat, SUPPLY, ONE[move["give"]], "free_choice")
            self.take(seat, vector("".join(move["take"])), "free_choice")
        self.free_next += 1
        if self.free_next < len(self.free_order):
            self.ask(self.free_order[self.free_next], "free_choice")
        else:
            self.free_order = ()
            self.free_next = 0
            self.settle()

    # --- what is forced -------------------------------------------------------------------------

    def forced_move(self) -> Move | None:
        """The move of the seat that is asked, if it is the only legal one."""
        stage, seat = self.stage, self.turn
        if stage == "answer_offer":
            more = len(self.offers) < OFFER_LIMIT and can_be_topped(self.gems[seat], self.standing)
            return None if more else "accept"
        if stage in ("open_barter", "counter_gift"):
            return "decline" if self.gems[seat] == NO_GEMS else None
        if stage == "immediate":
            return None if self.immediate_has_effect(seat) else "decline"
        if stage == "free_choice":
            source = self.gems[seat] if len(self.free_order) == 1 else self.supply
            return "decline" if source == NO_GEMS else None
        return None

    def immediate_has_effect(self, seat: int) -> bool:
        """Whether a swap or a robbery finds gems to move; other cards can always be carried out."""
        if self.immediate not in ("swap", "rob"):
            return True
        if self.immediate == "swap" and self.gems[seat] == NO_GEMS:
            return False
        return any(gems != NO_GEMS for other, gems in enumerate(self.gems) if other != seat)
