"""The procedure with three to five players: phases, rounds, secret choices, and their consequences."""

from __future__ import annotations

from typing import Any

from games.chance import Chance
from games.edel_stein_reich.actions import Actions
from games.edel_stein_reich.cards import GEM_CARDS, PHASES, TABLES, Gems
from games.edel_stein_reich.rulings import LOW_SUPPLY
from games.edel_stein_reich.scoring import score_phase
from games.edel_stein_reich.table import ALL_EVENTS, together, without
from games.rules import Document, Rules
from games.stepped import NOBODY


class Procedure(Actions):
    """A game without its documents. The version for two overrides its turns.

    ``scored`` contains for each finished phase the money by seat after its scoring, and the certificates that counted.
    """

    __slots__ = (
        "action_index",
        "choices",
        "gem_discards",
        "gem_pile",
        "marks",
        "phase",
        "revealed",
        "round",
        "scored",
    )

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(rules, seats, chance, journal)
        self.phase = 0
        self.round = 0
        self.scored: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
        self.revealed = False
        self.choices: list[str | None] = [None] * seats
        self.marks: dict[int, str] = {}
        self.action_index = 0
        self.gem_pile: tuple[str, ...] = ()
        self.gem_discards: tuple[str, ...] = ()
        self.begin()
        self.draw_age_order()
        self.shuffle_events(ALL_EVENTS)
        self.set_up()
        self.begin_phase()
        self.go_on()

    # --- phases and rounds ----------------------------------------------------------------------

    def set_up(self) -> None:
        """Do what else is necessary before phase 1."""

    def deal_phase(self) -> None:
        """Shuffle the gem cards and set some aside, the last one face up."""
        deck = self.chance.shuffle("gem_deck", list(GEM_CARDS))
        self.note_chance("gem_deck", deck)
        self.gem_pile = tuple(deck)
        self.gem_discards = ()

    def begin_phase(self) -> None:
        """Deal the gem cards of the next phase, refill a low supply, and begin the first round."""
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
        """Refill a low supply: every seat returns one gem of each low color. All colors are checked together."""
        low = [count <= LOW_SUPPLY for count in self.supply]
        if True not in low:
            return
        returned = [_one_of_each(low, gems) for gems in self.gems]
        for seat, back in enumerate(returned):
            self.gems[seat] = without(self.gems[seat], back)
            self.supply = together(self.supply, back)
        if self.journal is not None and any(any(back) for back in returned):
            self.note_event({"type": "supply_rule", "returned": [list(back) for back in returned]})

    def begin_round(self) -> None:
        """Deal a gem card to each seat and turn up an event. All seats then choose."""
        first = self.round * self.seats
        self.round += 1
        self.gem_cards = self.gem_pile[first : first + self.seats]
        if self.journal is not None:
            self.note_event({"type": "deal", "round": self.round, "gem_cards": list(self.gem_cards)})
        self.turn_up_event()
        self.ask(NOBODY, "action")

    def end_round(self) -> None:
        """Clear the table. After the last round of a phase, begin the scoring."""
        first = (self.round - 1) * self.seats
        self.gem_discards += self.gem_pile[first : first + self.seats]
        self.gem_cards = (None,) * self.seats
        self.discard_display()
        self.revealed = False
        self.choices = [None] * self.seats
        if self.round < self.rounds:
            self.begin_round()
        else:
            self.end_phase()

    def end_phase(self) -> None:
        """Score, then begin the next phase or end the game."""
        certificates = tuple([cards.count("cert") for cards in self.cards])
        score_phase(self, self.phase)
        self.scored += ((tuple(self.money), certificates),)
        if self.phase < PHASES:
            self.begin_phase()
        else:
            self.ask(NOBODY, "over")

    def choose(self, seat: int, move: str, mark: str | None) -> None:
        """Keep a choice secret. The last one reveals all of them, in seat order."""
        self.choices[seat] = move
        if mark is not None:
            self.marks = {**self.marks, seat: mark}
        if None not in self.choices:
            self.reveal()

    def reveal(self) -> None:
        """Reveal all choices and begin with the first action."""
        marks = self.marks
        for seat, choice in enumerate(self.choices):
            assert choice is not None
            self.note_step(seat, "action", choice, marks.get(seat))
        self.marks = {}
        self.revealed = True
        self.action_index = 0
        self.settle()

    def proceed(self) -> None:
        """Continue with the actions of this round up to the next decision, or end the round."""
        while self.action_index < len(self.actions):
            action = self.actions[self.action_index]
            self.action_index += 1
            wanted = self.choices.count(action)
            if wanted:
                self.resolving = action
                self.resolve(action, wanted)
                if self.stage:
                    return
        self.resolving = None
        self.end_round()

    def resolve(self, action: str, wanted: int) -> None:
        """Let the ``wanted`` seats that chose ``action`` carry it out, barter for it, or find it canceled."""
        first = self.choices.index(action)
        if wanted == 1:
            self.perform(first, action)
        elif action == "free_choice":
            self.begin_free_choice([seat for seat, choice in enumerate(self.choices) if choice == action])
        elif wanted == 2:
            self.begin_barter(first, self.choices.index(action, first + 1))
        elif self.journal is not None:
            seats = [seat for seat, choice in enumerate(self.choices) if choice == action]
            self.note_event({"type": "cancelled", "action": action, "seats": seats})

    def apply(self, seat: int, move: Any, mark: str | bool | None) -> None:
        """Record a legal move and carry it out."""
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
        """Never called: only the version for two has guesses."""
        raise AssertionError("guesses exist only in the game for two players")

    # --- what views ask for ---------------------------------------------------------------------

    def gem_stack(self) -> int:
        """The number of face-down gem cards left in this phase."""
        return len(self.gem_pile) - TABLES[self.seats].aside - self.round * self.seats

    def aside(self) -> Document | None:
        """The gem cards set aside in this phase. Only the top one is visible."""
        count = TABLES[self.seats].aside
        return {"count": count, "top": self.gem_pile[-1] if count else None}

    def has_chosen(self, seat: int) -> bool:  # noqa: ARG002
        """Return whether the choice of ``seat`` is public. With several seats, this is only after all have chosen."""
        return self.revealed

    def shown(self) -> tuple[str, ...]:
        """The cards guessed in this turn so far."""
        return ()

    def active_seat(self) -> int | None:
        """The active seat, or ``None`` in games without turns."""
        return None


def _one_of_each(low: list[bool], gems: Gems) -> Gems:
    """Return one gem of each low color that ``gems`` contains."""
    red, yellow, green, blue = gems
    return (
        1 if red and low[0] else 0,
        1 if yellow and low[1] else 0,
        1 if green and low[2] else 0,
        1 if blue and low[3] else 0,
    )
