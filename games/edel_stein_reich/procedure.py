"""The procedure with three to five players: phases, rounds, secret choices, and what follows from them."""

from __future__ import annotations

from typing import Any

from games.base import Document, Game
from games.chance import Chance
from games.edel_stein_reich.cards import GEM_CARDS, PHASES, TABLES
from games.edel_stein_reich.resolving import Resolving
from games.edel_stein_reich.rulings import LOW_SUPPLY
from games.edel_stein_reich.scoring import score_phase
from games.edel_stein_reich.table import ALL_EVENTS
from games.stepped import NOBODY, SteppedState


class Procedure(Resolving):
    """A whole game without its public face; the two-player variant overrides its turns."""

    __slots__ = (
        "action_index",
        "choices",
        "gem_discards",
        "gem_pile",
        "marks",
        "phase",
        "revealed",
        "round",
    )

    def __init__(self, game: Game, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(game, seats, chance, journal)
        self.phase = 0
        self.round = 0
        self.revealed = False
        self.choices: list[str | None] = [None] * seats
        self.marks: list[str | None] = [None] * seats
        self.action_index = 0
        self.gem_pile: list[str] = []
        self.gem_discards: list[str] = []
        self.begin()
        self.draw_age_order()
        self.shuffle_events(ALL_EVENTS)
        self.set_up()
        self.begin_phase()
        self.go_on()

    # --- phases and rounds ----------------------------------------------------------------------

    def set_up(self) -> None:
        """What else is settled before phase 1."""

    def deal_phase(self) -> None:
        """Shuffle the gem cards and set some aside, the last one face up."""
        deck = self.chance.shuffle("gem_deck", list(GEM_CARDS))
        self.note_chance("gem_deck", deck)
        self.gem_pile = deck
        self.gem_discards = []

    def begin_phase(self) -> None:
        """Deal the gem cards of the next phase, let a low supply be replenished, begin the first round."""
        self.phase += 1
        self.round = 0
        self.deal_phase()
        if self.journal is not None:
            self.note_event({"type": "phase", "phase": self.phase})
            aside = TABLES[self.seats].aside
            if aside:
                self.note_event({"type": "aside", "count": aside, "top": self.gem_pile[-1]})
        if self.phase > 1:
            self.replenish()
        self.begin_round()

    def replenish(self) -> None:
        """Everybody returns one gem of each colour that is low in the supply; all colours judged together."""
        low = [count <= LOW_SUPPLY for count in self.supply]
        returned = [[int(low[c] and gems[c] > 0) for c in range(4)] for gems in self.gems]
        for gems, back in zip(self.gems, returned, strict=True):
            for colour in range(4):
                gems[colour] -= back[colour]
                self.supply[colour] += back[colour]
        if self.journal is not None and any(any(back) for back in returned):
            self.note_event({"type": "supply_rule", "returned": returned})

    def begin_round(self) -> None:
        """A gem card for every seat, an event face up, and everybody chooses."""
        first = self.round * self.seats
        self.round += 1
        self.gem_cards = list(self.gem_pile[first : first + self.seats])
        if self.journal is not None:
            self.note_event({"type": "deal", "round": self.round, "gem_cards": self.gem_cards[:]})
        self.turn_up_event()
        self.revealed = False
        self.choices = [None] * self.seats
        self.ask(NOBODY, "action")

    def end_round(self) -> None:
        """Clear the table; the last round of a phase is followed by a scoring."""
        self.gem_discards += [card for card in self.gem_cards if card is not None]
        self.gem_cards = [None] * self.seats
        self.discard_display()
        self.revealed = False
        self.choices = [None] * self.seats
        if self.round < self.rounds:
            self.begin_round()
        else:
            self.end_phase()

    def end_phase(self) -> None:
        """Score, then the next phase or the end."""
        score_phase(self, self.phase)
        if self.phase < PHASES:
            self.begin_phase()
        else:
            self.ask(NOBODY, "over")

    def choose(self, seat: int, move: str, mark: str | None) -> None:
        """Keep a choice in secret; the last one reveals them all, in seat order."""
        self.choices[seat] = move
        self.marks[seat] = mark
        if None in self.choices:
            return
        for chooser, choice in enumerate(self.choices):
            assert choice is not None
            self.note_step(chooser, "action", choice, self.marks[chooser])
        self.marks = [None] * self.seats
        self.revealed = True
        self.action_index = 0
        self.settle()

    def proceed(self) -> None:
        """Go on with the next action of this round, or end the round."""
        if self.action_index == len(self.actions):
            self.resolving = None
            self.end_round()
            return
        action = self.actions[self.action_index]
        self.action_index += 1
        if action not in self.choices:
            return
        seats = [seat for seat, choice in enumerate(self.choices) if choice == action]
        self.resolving = action
        if len(seats) == 1:
            self.perform(seats[0], action)
        elif action == "free_choice":
            self.begin_free_choice(seats)
        elif len(seats) == 2:
            self.begin_barter(seats[0], seats[1])
        elif self.journal is not None:
            self.note_event({"type": "cancelled", "action": action, "seats": seats})

    def apply(self, seat: int, move: Any, mark: str | bool | None) -> None:
        """Write a legal move down and do it."""
        stage = self.stage
        if stage == "action":
            self.choose(seat, move, mark if isinstance(mark, str) else None)
            return
        self.note_step(seat, stage, move, mark)
        if stage == "open_barter":
            self.open_barter(seat, move)
        elif stage == "answer_offer":
            self.answer_offer(seat, move)
        elif stage == "counter_gift":
            self.counter_gift(seat, move)
        elif stage == "event_card":
            self.event_card(seat, move)
        elif stage == "immediate":
            self.decide_immediate(seat, move)
        elif stage == "free_choice":
            self.free_choice(seat, move)
        else:
            self.guess(seat, move)

    def guess(self, seat: int, move: str) -> None:  # noqa: ARG002
        """Only the two-player variant guesses."""
        raise AssertionError("nobody guesses with three to five players")

    # --- what views ask for ---------------------------------------------------------------------

    def gem_stack(self) -> int:
        """Face-down gem cards left for this phase."""
        return len(self.gem_pile) - TABLES[self.seats].aside - self.round * self.seats

    def aside(self) -> Document | None:
        """The gem cards set aside in this phase, of which only the top one is seen."""
        count = TABLES[self.seats].aside
        return {"count": count, "top": self.gem_pile[-1] if count else None}

    def has_chosen(self, seat: int) -> bool:  # noqa: ARG002
        """Whether it is known that ``seat`` has chosen; nobody is seen to be ready before all are."""
        return self.revealed

    def shown(self) -> list[str]:
        """The cards guessed so far in this turn."""
        return []

    def active_seat(self) -> int | None:
        """Whose turn it is, where there are turns."""
        return None

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, Procedure)
        super().copy_to(twin)
        twin.phase = self.phase
        twin.round = self.round
        twin.revealed = self.revealed
        twin.choices = self.choices[:]
        twin.marks = self.marks[:]
        twin.action_index = self.action_index
        twin.gem_pile = self.gem_pile
        twin.gem_discards = self.gem_discards[:]
