"""What one seat knows of the piles and of the secret choices, for both games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from games.edel_stein_reich.cards import EVENT_CARDS, GEM_CARDS
from games.edel_stein_reich.state import EdelSteinReichState
from games.knowledge import Knowledge
from games.rules import Document, Move, Rules
from games.stepped import NOBODY, SteppedState


class _Deck:
    """One shuffle of cards: those that were ``shown`` from its top, and the ``last`` one if it is visible."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shown: list[str] = []
        self.last: list[str] = []
        self.hidden: list[str] = []

    @property
    def cards(self) -> list[str]:
        """All cards, the hidden ones in any order."""
        return self.shown + self.hidden + self.last


class GemKnowledge(Knowledge):
    """The knowledge of one seat of Edel, Stein & Reich, or of the game for two.

    A shuffle has no influence on the moves but by the cards that it shows. So all orders of the cards that a seat has
    not seen have the same probability, which one shuffle of these cards realizes. Only the latest shuffle of the events
    has hidden cards: its cards are all that no seat has seen since. The gem cards that earlier phases set aside stay
    hidden.
    """

    __slots__ = ("events", "gems", "hidden")

    def __init__(self, rules: Rules, view: Document, entries: Sequence[Document]) -> None:
        public = {step["chance"]: step for step in _parts(entries, "step") if "chance" in step}
        decks = _decks(view["seats"], _parts(entries, "event"))
        _hide(decks, view)
        script = [("age_order", public["age_order"]["seats"]), *[(deck.name, deck.cards) for deck in decks]]
        if view["seats"] == 2:
            script.insert(3, ("starter", public["starter"]["seat"]))
        super().__init__(rules, view, entries, script)
        places = [
            ply for ply, step in enumerate(self.base.steps) if step[0] < 0 and step[1] in ("event_deck", "gem_deck")
        ]
        self.hidden = [
            (ply, len(deck.shown), len(deck.shown) + len(deck.hidden)) for ply, deck in zip(places, decks, strict=True)
        ]
        self.events = max(place for place, deck in enumerate(decks) if deck.name == "event_deck")
        self.gems = max(place for place, deck in enumerate(decks) if deck.name == "gem_deck")

    def secret_choices(self, view: Document) -> Mapping[int, list[Move]]:
        state = self.base
        assert isinstance(state, EdelSteinReichState)
        own = view["you"]["action"]
        if state.stage != "action":
            return {}
        if state.turn < 0:
            others: Mapping[int, list[Move]] = {
                seat: list(state.actions) for seat in state.pending if seat != self.seat
            }
            return others if own is None else {self.seat: [own]}
        if not view["players"][state.turn]["chosen"]:
            return {}
        missed = view["guesses"]
        return {
            state.turn: [own] if state.turn == self.seat else [move for move in state.actions if move not in missed]
        }

    def redeal(self, state: SteppedState, random: Random) -> None:
        assert isinstance(state, EdelSteinReichState)
        for ply, start, stop in self.hidden:
            _, name, deck, _ = state.steps[ply]
            cards = deck[start:stop]
            random.shuffle(cards)
            state.steps[ply] = (NOBODY, name, [*deck[:start], *cards, *deck[stop:]], None)
        state.gem_pile = tuple(state.steps[self.hidden[self.gems][0]][2])
        ply, start, _ = self.hidden[self.events]
        state.event_pile = tuple(state.steps[ply][2][start:][::-1])


def _parts(entries: Iterable[Document], part: str) -> list[Document]:
    return [entry[part] for entry in entries if part in entry]


def _decks(seats: int, events: Iterable[Document]) -> list[_Deck]:
    """Return the decks of all shuffles in order, with the cards that they have shown."""
    pile, gems = _Deck("event_deck"), _Deck("gem_deck")
    decks = [pile, gems]
    for event in events:
        kind = event["type"]
        if kind == "phase" and event["phase"] > 1 and seats > 2:
            gems = _Deck("gem_deck")
            decks.append(gems)
        elif kind == "aside":
            gems.last = [event["top"]]
        elif kind == "deal":
            gems.shown += event["gem_cards"] if seats > 2 else [event["gem_card"]]
        elif kind == "reshuffle":
            pile = _Deck("event_deck")
            decks.append(pile)
        elif kind in ("event_up", "drawn"):
            pile.shown.append(event["card"])
    return decks


def _hide(decks: list[_Deck], view: Document) -> None:
    """Fill in the hidden cards in the order of the components."""
    event, immediate = view["event"], view["immediate"]
    elsewhere = [*event["discards"], *[card for player in view["players"] for card in player["cards"]]]
    elsewhere += [card for card in (event["display"], immediate and immediate["card"]) if card is not None]
    for deck in decks:
        if deck.name == "gem_deck":
            deck.hidden = _left(GEM_CARDS, deck.shown + deck.last)
    [*_, pile] = [deck for deck in decks if deck.name == "event_deck"]
    pile.hidden = _left(EVENT_CARDS, elsewhere)


def _left(cards: Iterable[str], gone: Iterable[str]) -> list[str]:
    """Return ``cards`` without those that are ``gone``. Raises ``ValueError`` if they do not contain these."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left
