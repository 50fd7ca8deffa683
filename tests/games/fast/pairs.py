"""A game that the reference and the accelerator play together, and ways to choose actions that suit every game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from games.learning import Encoding
from games.rules import Document


@dataclass
class Pair:
    """One game of the reference, the decision that its seat to play owes, and the actions of the move so far."""

    state: Any
    encoding: Encoding
    random: Random
    decision: Document = field(default_factory=dict)
    chosen: tuple[int, ...] = ()
    options: list[int] = field(default_factory=list)
    plan: tuple[int, ...] = ()

    def ask(self) -> None:
        """Note the decision of the seat that acts next. No options mean that the game is over."""
        self.options = []
        if self.state.pending:
            self.decision = self.state.decision(self.state.pending[0])
            self.options = self.encoding.options(self.decision, ())

    def observation(self, seat: int) -> npt.NDArray[np.float32]:
        asked = bool(self.options) and seat == self.decision["seat"]
        decision, chosen = (self.decision, self.chosen) if asked else (None, ())
        return np.array(self.encoding.observation(self.state.view(seat), decision, chosen), dtype=np.float32)

    def take(self, action: int) -> None:
        """Add the action and all actions without an alternative to the move. Play it if it is complete."""
        following = [action]
        while len(following) == 1:
            self.chosen = (*self.chosen, *following)
            following = self.encoding.options(self.decision, self.chosen)
        self.options = following
        if not following:
            self.state.play(self.decision["seat"], self.encoding.compose(self.decision, self.chosen))
            self.chosen = ()
            self.ask()


Style = Callable[[Pair], int]
"""A way to choose an action of the seat to play."""


def any_action(pair: Pair) -> int:
    return pair.random.choice(pair.options)


def any_move(pair: Pair) -> int:
    """All moves have the same probability, unlike actions drawn from masks."""
    if not pair.chosen:
        move = pair.state.random_move(pair.decision["seat"], pair.random)
        pair.plan = pair.encoding.sequence(pair.decision, move)
    return pair.plan[len(pair.chosen)]


def prefers(*words: str, share: float = 0.8) -> Style:
    """Chooses an action whose name begins with one of these words, in this share of cases."""

    def choose(pair: Pair) -> int:
        wanted = [option for option in pair.options if pair.encoding.actions[option].startswith(words)]
        return pair.random.choice(wanted if wanted and pair.random.random() < share else pair.options)

    return choose


def first_action(pair: Pair) -> int:
    """Plays defaults most of the time."""
    return pair.options[0] if pair.random.random() < 0.8 else any_action(pair)
