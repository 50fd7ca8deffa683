"""The knowledge contract: what one seat knows of a game, and the complete states that agree with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from games.chance import SEED_BYTES, ScriptedChance, SeededChance
from games.rules import Document, Move, Rules, State
from games.stepped import SteppedState

Policy = Callable[[State, int, Random], Move]
"""``policy(state, seat, random)`` returns a legal move of ``seat``. It must not change ``state``."""

TRIES: Final = 100
"""The number of moves of a policy that are rejected before a possible move is drawn without the policy."""


class Knowledge(ABC):
    """The knowledge of one seat in a game whose state is a ``SteppedState``.

    ``base`` is the game with one of the possible deals, up to the first secret choice of the running round that the
    log does not show. ``later`` are the steps of the log after that choice. ``choices`` contains the secret choices: by
    seat, the moves that it can have made.

    A game implements :meth:`redeal`, and extends ``__init__`` to read the chance outcomes from the log.
    """

    __slots__ = ("base", "choices", "later", "seat")

    def __init__(
        self, rules: Rules, view: Document, entries: Sequence[Document], script: Sequence[tuple[str, Any]]
    ) -> None:
        """Replay the log. ``script`` contains all chance outcomes so far, with any of the possible hidden orders."""
        self.seat: int = view["seat"]
        self.later: list[Document] = []
        state = rules.start(view["seats"], ScriptedChance(bytes(SEED_BYTES), script))
        assert isinstance(state, SteppedState)
        self.base: SteppedState = state
        steps = {entry["ply"]: entry["step"] for entry in entries if "step" in entry}
        for ply in sorted(steps):  # a hidden action appears in the log later than the guesses
            step = steps[ply]
            if "chance" in step:
                continue
            if self.later or (state.turn >= 0 and ply > len(state.steps)):
                self.later.append(step)
            else:
                self._play(ply, step)
        self.choices: Mapping[int, list[Move]] = self.secret_choices(view)

    def _play(self, ply: int, step: Document) -> None:
        """Play one step of the log. Forced moves are steps, so the state plays none by itself."""
        state, seat = self.base, step["seat"]
        if ply < len(state.steps) or seat not in state.pending or step["decision"] != state.decision_kind:
            raise ValueError(f"step {ply} is not possible there: {step}")
        move = state.check(seat, step["move"])
        default = step.get("default")
        if default is not None:
            state.require_default(seat, move, default)
        state.apply(seat, move, True if self.is_forced(ply, step) else default)
        while not state.stage:
            state.proceed()

    def is_forced(self, ply: int, step: Document) -> bool:  # noqa: ARG002
        """Return whether ``step``, which is made now, is the only legal move."""
        return self.base.turn == step["seat"] and self.base.forced_move() is not None

    def secret_choices(self, view: Document) -> Mapping[int, list[Move]]:  # noqa: ARG002
        """Return the secret choices of the running round as ``choices``. Games without such choices have none."""
        return {}

    @abstractmethod
    def redeal(self, state: SteppedState, random: Random) -> None:
        """Replace the deal of ``state``, a copy of ``base``, by a random deal that agrees with the knowledge."""

    def draw(self, random: Random, policy: Policy) -> SteppedState:
        """Return a new state with a random deal, and secret choices by ``policy``."""
        state = self.base.copy()
        self.redeal(state, random)
        state.chance = SeededChance(random.randbytes(SEED_BYTES))
        for seat, possible in self.choices.items():
            move = possible[0] if seat == self.seat else _drawn(possible, state, seat, random, policy)
            state.play(seat, move)
        for step in self.later:
            state.play(step["seat"], step["move"], default=step.get("default"))
        return state


def _drawn(possible: list[Move], state: State, seat: int, random: Random, policy: Policy) -> Move:
    """Return a move of ``policy`` that is possible."""
    for _ in range(TRIES):
        move = state.check(seat, policy(state, seat, random))
        if move in possible:
            return move
    return random.choice(possible)
