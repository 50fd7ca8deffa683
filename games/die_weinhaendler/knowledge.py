"""What one seat knows of the hands of others and of the stack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from random import Random
from typing import Final

from games.die_weinhaendler import moves
from games.die_weinhaendler.cards import CODES, DISPLAY_SIZE, HAND_SIZE, NUMBERS, Cards, deck, in_order, without
from games.die_weinhaendler.state import WeinhaendlerState
from games.knowledge import Knowledge
from games.rules import Document, Rules
from games.stepped import NOBODY, SteppedState

TRIES: Final = 1_000_000
"""The number of deals that are rejected before the view and the log are considered contradictory."""

DECK_PLY: Final = 1
"""The step of the deck, which follows the step of the start player."""


class WineKnowledge(Knowledge):
    """The knowledge of one seat of Die Weinhändler.

    Everything is public except the cards that were dealt to other hands and the order of the stack. A deal agrees with
    the log if the deal of every other seat contains its ``required`` cards: those that it bid or laid although it had
    not been seen to take them. This is also sufficient, because a seat can always pass, and whether it can stop laying
    depends only on the number of its cards. Moreover, another seat that is asked now must have a choice, because forced
    moves are played immediately.

    The remaining cards, ``pool``, are shuffled and dealt to the free places. If a hand has ``r`` required copies of a
    card and gets ``f`` more, it arises in ``comb(r + f, r)`` ways, because any of the copies can be the required ones.
    It is accepted with a probability of one in this number. So all orders of the deck that agree have the same
    probability. The real deal is one of them and can always be drawn and accepted, so drawing ends.
    """

    __slots__ = ("asked", "display", "drawn", "free", "hidden", "on_stack", "pool", "required", "start", "watched")

    def __init__(self, rules: Rules, view: Document, entries: Sequence[Document]) -> None:
        seats, own = view["seats"], view["seat"]
        starter, hand, display = entries[:3]
        in_play = [NUMBERS[code] for code in deck(seats)]
        self.on_stack = len(in_play) - seats * HAND_SIZE - DISPLAY_SIZE
        self.start: int = starter["step"]["seat"]
        self.display = [NUMBERS[code] for code in display["event"]["cards"]]
        self.drawn: list[int] = []
        self.required: list[list[int]] = [[] for _ in range(seats)]
        self._read(entries[3:])
        self.required[own] = [NUMBERS[code] for code in hand["event"]["cards"]]
        self.free = [HAND_SIZE - len(cards) for cards in self.required]
        self.pool = sorted(in_play)
        for card in [*self.display, *self.drawn, *[card for cards in self.required for card in cards]]:
            self.pool.remove(card)
        self.watched: list[tuple[int, WeinhaendlerState, int, Cards]] = []
        self.hidden, stack = self._dealt(self.pool)
        super().__init__(rules, view, entries, [("starter", self.start), ("deck", self._deck(self.hidden, stack))])
        turn = self.base.turn
        self.asked = self._watch(turn) if turn not in (own, NOBODY) else None

    # --- the log ----------------------------------------------------------------------------------------------

    def _read(self, entries: Sequence[Document]) -> None:
        """Read which cards each seat must have been dealt, and which cards were drawn from the stack."""
        known: list[list[int]] = [[] for _ in self.required]
        below: list[int] = []
        for entry in entries:
            if "step" in entry:
                move = entry["step"]["move"]
                if move not in ("pass", "done"):
                    self._use(entry["step"]["seat"], move["cards"] if "cards" in move else [move["card"]], known)
                continue
            event = entry["event"]
            if event["type"] == "exchange":
                for part in event["moves"]:
                    if part["to"] != "display":
                        known[part["to"]] += [NUMBERS[code] for code in part["cards"]]
            elif event["type"] == "pass_draw":
                known[event["seat"]].append(NUMBERS[event["kept"]])
                self._draw(event["shown"], below)
                if event["to_bottom"] is not None:
                    below.append(NUMBERS[event["to_bottom"]])
            elif event["type"] == "refill":
                self._draw(event["cards"], below)

    def _use(self, seat: int, codes: Iterable[str], known: list[list[int]]) -> None:
        """Note that ``seat`` has had the cards that it bids or lays."""
        for code in codes:
            card = NUMBERS[code]
            if card in known[seat]:
                known[seat].remove(card)
            else:
                self.required[seat].append(card)

    def _draw(self, codes: Iterable[str], below: list[int]) -> None:
        """Note the drawn cards, except those that come from ``below`` the stack because the others are used up."""
        cards = [NUMBERS[code] for code in codes]
        for _ in range(len(self.drawn) + len(cards) - self.on_stack):
            cards.remove(below.pop(0))
        self.drawn += cards

    # --- deals ------------------------------------------------------------------------------------------------

    def _dealt(self, cards: list[int]) -> tuple[list[Cards], list[int]]:
        """Deal ``cards`` to the free places of the hands, by seat, and the rest to the stack."""
        hands, first = [], 0
        for free in self.free:
            hands.append(in_order(cards[first : first + free]))
            first += free
        return hands, cards[first:]

    def _deck(self, hands: list[Cards], stack: list[int]) -> list[str]:
        """Return the deck of a deal in its order. The order inside a hand has no meaning."""
        dealt = [[*required, *hidden] for required, hidden in zip(self.required, hands, strict=True)]
        clockwise = dealt[self.start :] + dealt[: self.start]
        cards = [card for cards in zip(*clockwise, strict=True) for card in cards]
        return [CODES[card] for card in [*cards, *self.display, *self.drawn, *stack]]

    def _ways(self, hands: list[Cards]) -> int:
        """Return in how many ways the hands arise from required and other copies of their cards."""
        ways = 1
        for required, hidden in zip(self.required, hands, strict=True):
            for card in set(hidden):
                copies = required.count(card)
                if copies:
                    ways *= comb(copies + hidden.count(card), copies)
        return ways

    def redeal(self, state: SteppedState, random: Random) -> None:
        assert isinstance(state, WeinhaendlerState)
        hands, stack = self._drawn_deal(random)
        for seat, hidden in enumerate(hands):
            if hidden:
                state.hands[seat] = in_order(state.known[seat] + hidden)
        state.stack = (*state.stack[: len(self.drawn)], *stack, *state.stack[self.on_stack :])
        state.steps[DECK_PLY] = (NOBODY, "deck", self._deck(hands, stack), None)
        for ply, moment, seat, certain in self.watched:
            _, kind, move, _ = state.steps[ply]
            state.steps[ply] = (seat, kind, move, True if _is_forced(moment, seat, certain + hands[seat]) else None)

    def _drawn_deal(self, random: Random) -> tuple[list[Cards], list[int]]:
        for _ in range(TRIES):
            cards = self.pool[:]
            random.shuffle(cards)
            hands, stack = self._dealt(cards)
            ways = self._ways(hands)
            if ways > 1 and random.randrange(ways):
                continue
            if self.asked is None or not _is_forced(
                self.asked[0], self.base.turn, self.asked[1] + hands[self.base.turn]
            ):
                return hands, stack
        raise ValueError("no deal agrees with the view and the log")

    # --- forced moves -----------------------------------------------------------------------------------------

    def is_forced(self, ply: int, step: Document) -> bool:
        """Return whether ``step``, which is made now, is the only legal move. Watch it if this depends on the deal."""
        seat = step["seat"]
        if step["move"] not in ("pass", "done"):
            return False
        watch = self._watch(seat)
        if watch is not None:
            self.watched.append((ply, watch[0], seat, watch[1]))
        return super().is_forced(ply, step)

    def _watch(self, seat: int) -> tuple[WeinhaendlerState, Cards] | None:
        """Return the state and the certain cards of the hand of ``seat`` if only its hidden cards can give a choice."""
        state = self.base
        assert isinstance(state, WeinhaendlerState)
        certain = state.hands[seat]
        for card in self.hidden[seat]:
            certain = without(certain, card)
        moment = state.copy()
        return (moment, certain) if self.hidden[seat] and _is_forced(moment, seat, certain) else None


def _is_forced(state: WeinhaendlerState, seat: int, hand: Cards) -> bool:
    """Return whether ``seat``, with this ``hand``, would have only one legal move. Changes the hand in ``state``."""
    state.hands[seat] = in_order(hand)
    return moves.forced(state, seat) is not None
