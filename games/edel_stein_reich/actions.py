"""Carrying out actions: money, gems, events and free choice, and the barters for them."""

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
"""The number of gems of a color after an adjustment."""

FREE_CHOICE_TAKES = 2
"""The number of gems that a single chooser of Free Choice takes."""

THREE_TAKES = 3
"""The number of gems that the event ``three`` gives."""


class Actions(Table):
    """A table on which actions are carried out. ``standing`` is the key of the last offer."""

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
        """Begin without an action in progress."""
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
        """Return the gem card with which ``seat`` acts."""
        card = self.gem_cards[seat]
        assert card is not None
        return card

    def perform(self, seat: int, action: str) -> None:
        """Carry out ``action`` for the seat that won it."""
        if action == "money":
            self.pay(seat, MONEY_ON_CARD[self.used_card(seat)])
        elif action == "gems":
            self.take(seat, GEMS_ON_CARD[self.used_card(seat)], "gems")
        elif action == "event":
            self.ask(seat, "event_card")
        else:
            self.begin_free_choice([seat])

    # --- barter ---------------------------------------------------------------------------------

    def begin_barter(self, first: int, second: int) -> None:
        """Begin a barter of two seats for an action. The seat with fewer gems opens."""
        if self.precedence(second) < self.precedence(first):
            first, second = second, first
        self.opener = first
        self.other = second
        self.ask(first, "open_barter")

    def end_barter(self) -> None:
        """End a barter that is won or void."""
        self.opener = self.other = -1
        self.declined = ()
        self.offers = ()
        self.standing = NOTHING
        self.settle()

    def rival(self, seat: int) -> int:
        """Return the other seat of the barter."""
        return self.other if seat == self.opener else self.opener

    def win_barter(self, winner: int) -> None:
        """Carry out the action of the barter for ``winner``."""
        self.end_barter()
        assert self.resolving is not None
        self.perform(winner, self.resolving)

    def offer(self, seat: int, gems: list[int]) -> None:
        """Make an offer, which the other seat must answer."""
        offer = (gems[0], gems[1], gems[2], gems[3])
        self.offers += ((seat, offer),)
        self.standing = key(offer)
        self.ask(self.rival(seat), "answer_offer")

    def open_barter(self, seat: int, move: Any) -> None:
        """Carry out the move of the opener."""
        if move == "decline":
            self.declined = (seat,)
            self.ask(self.other, "counter_gift")
        else:
            self.offer(seat, move["offer"])

    def answer_offer(self, seat: int, move: Any) -> None:
        """Accept an offer or make a higher one."""
        if move == "accept":
            offerer, gems = self.offers[-1]
            self.transfer(offerer, seat, gems, "barter")
            self.win_barter(offerer)
        else:
            self.offer(seat, move["offer"])

    def counter_gift(self, seat: int, move: Any) -> None:
        """Give one gem to the opener who declined, or make the action void."""
        if move == "decline":
            if self.journal is not None:
                self.note_event({"type": "void", "action": self.resolving})
            self.end_barter()
        else:
            self.transfer(seat, self.opener, ONE[move["gift"]], "counter_gift")
            self.win_barter(seat)

    # --- events ---------------------------------------------------------------------------------

    def event_card(self, seat: int, move: Any) -> None:
        """Take the display or the top card of the stack. Keep a scoring card; ask about an immediate card."""
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
        """Carry out the card completely or not at all, and discard it."""
        card = self.immediate
        assert card is not None
        if move != "decline":
            self.carry_out(seat, card, move)
        self.immediate = None
        self.discard_event(seat, card)
        self.settle()

    def carry_out(self, seat: int, card: str, move: Any) -> None:
        """Carry out the effect of an immediate card."""
        if card == "half":
            score_half(self, COLOURS.index(move["colour"]))
        elif card == "three":
            self.take(seat, vector(THREE_TAKES * move["colour"]), "three")
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
        """Change the chosen colors to four gems each, as far as the supply allows."""
        beyond = [count - ADJUSTED if chosen else 0 for count, chosen in zip(self.gems[seat], colours, strict=True)]
        red, yellow, green, blue = beyond
        self.transfer(seat, SUPPLY, (max(0, red), max(0, yellow), max(0, green), max(0, blue)), "adjust")
        self.take(seat, (max(0, -red), max(0, -yellow), max(0, -green), max(0, -blue)), "adjust")

    # --- free choice ----------------------------------------------------------------------------

    def begin_free_choice(self, seats: list[int]) -> None:
        """Let all choosers act, in an order that is fixed now."""
        self.free_order = tuple([seat for _, seat in sorted([(self.precedence(seat), seat) for seat in seats])])
        self.free_next = 0
        self.ask(self.free_order[0], "free_choice")

    def free_choice(self, seat: int, move: Any) -> None:
        """Return one gem and take two as the only chooser, or take one gem as one of several."""
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
        """Return the only legal move of the seat that is asked, or ``None`` if it has a choice."""
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
        """Return whether a swap or a rob has gems to move. Other cards can always be carried out."""
        if self.immediate not in ("swap", "rob"):
            return True
        if self.immediate == "swap" and self.gems[seat] == NO_GEMS:
            return False
        return any(gems != NO_GEMS for other, gems in enumerate(self.gems) if other != seat)
