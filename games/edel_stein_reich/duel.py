"""The alternating version for two players: one hides an action, the other guesses it."""

from __future__ import annotations

from games.edel_stein_reich.cards import GEM_CARDS
from games.edel_stein_reich.scoring import rank_keys
from games.edel_stein_reich.state import EdelSteinReichState
from games.rules import Document
from games.stepped import NOBODY, STEP, SteppedState

GUESSES = 2


class DuelState(EdelSteinReichState):
    """One game for two. It has turns instead of rounds, and all 30 gem cards are dealt once, ten per phase."""

    __slots__ = ("active", "guesses", "hidden", "starter")

    def set_up(self) -> None:
        """Shuffle all 30 gem cards and draw the start player."""
        self.active = -1
        self.hidden = -1
        self.guesses: tuple[str, ...] = ()
        deck = self.chance.shuffle("gem_deck", list(GEM_CARDS))
        self.note_chance("gem_deck", deck)
        self.gem_pile = tuple(deck)
        self.starter = self.chance.below("starter", self.seats)
        self.note_step(NOBODY, "starter", self.starter, None)

    def deal_phase(self) -> None:
        """Do nothing: the cards of all three phases are already dealt."""

    def begin_round(self) -> None:
        """Turn up a gem card and an event for the active seat, which then hides an action."""
        if self.phase > 1 and self.round == 0:
            self.starter = self.richer()
        self.discard_display()
        self.active = (self.starter + self.round) % self.seats
        card = self.gem_pile[(self.phase - 1) * self.rounds + self.round]
        self.round += 1
        self.gem_cards = (card, None) if self.active == 0 else (None, card)
        if self.journal is not None:
            self.note_event({"type": "deal", "round": self.round, "seat": self.active, "gem_card": card})
        self.turn_up_event()
        self.ask(self.active, "action")

    def richer(self) -> int:
        """Return the start player of phases 2 and 3: most money, gems, red, yellow, green, blue; then younger."""
        keys = rank_keys(self)
        return max(range(self.seats), key=lambda seat: (keys[seat], -self.age[seat]))

    def end_round(self) -> None:
        """Remove the gem card permanently. The event stays on display until the next turn or the scoring."""
        card = self.used_card(self.active)
        self.gem_discards += (card,)
        self.gem_cards = (None, None)
        self.revealed = False
        self.choices = [None] * self.seats
        self.guesses = ()
        self.active = -1
        if self.round < self.rounds:
            self.begin_round()
        else:
            self.discard_display()
            self.end_phase()

    def used_card(self, seat: int) -> str:  # noqa: ARG002
        """Return the gem card of this turn, which both seats can use."""
        return super().used_card(self.active)

    def choose(self, seat: int, move: str, mark: str | None) -> None:
        """Record the choice as a step, but not in the journal until it is revealed."""
        self.choices[seat] = move
        self.hidden = len(self.steps)
        self.steps.append((seat, "action", move, mark))
        self.ask(1 - seat, "guess")

    def guess(self, seat: int, move: str) -> None:
        """Show a card of the opponent. A first hit cancels the action, a second one begins a barter."""
        action = self.choices[self.active]
        assert action is not None
        self.guesses += (move,)
        hit = move == action
        if self.journal is not None:
            caught = {"type": "caught", "guess": move, "action": action}
            self.note_event(caught if hit else {"type": "missed", "guess": move})
        if not hit and len(self.guesses) < GUESSES:
            return
        self.turn_over()
        if hit and len(self.guesses) == 1:
            self.settle()
            return
        self.resolving = action
        self.settle()
        if hit:
            self.begin_barter(self.active, seat)
        else:
            self.perform(self.active, action)

    def turn_over(self) -> None:
        """Reveal the hidden action."""
        self.revealed = True
        if self.journal is not None:
            self.journal.append((self.hidden, STEP, self.steps[self.hidden]))

    def proceed(self) -> None:
        """Continue after the single action of the turn."""
        self.resolving = None
        self.end_round()

    def gem_stack(self) -> int:
        return self.rounds - self.round

    def aside(self) -> Document | None:
        return None

    def has_chosen(self, seat: int) -> bool:
        return self.choices[seat] is not None

    def shown(self) -> tuple[str, ...]:
        return self.guesses

    def active_seat(self) -> int | None:
        return self.active if self.active >= 0 else None

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, DuelState)
        super().copy_to(twin)
        twin.active = self.active
        twin.guesses = self.guesses
        twin.hidden = self.hidden
        twin.starter = self.starter
