"""Level: plays with a network that was trained by self-play, as well as its setting ``level`` says, from 1 to 6.

The network gives a probability to each action (``games.network``). Level 6 nearly always takes the most probable ones.
A lower level draws from a flatter distribution, so it makes small mistakes often and large ones rarely.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from temperatures import TEMPERATURES
from wire import Dice, Document, play, settings

from games.network import Network
from games.registry import GAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move


@cache
def network(game: str) -> Network:
    """Return the network of ``game``, which all games of this process share. Raises ``BadNetwork``."""
    return Network.load(Path(__file__).with_name(f"{game}.safetensors"), game)


class Level:
    """One seat of one game."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        game = hello["game"]
        self.dice = Dice(hello["seed"])
        self.network = network(game)
        self.encoding = GAMES[game].encoding(hello["seats"])
        self.temperature = TEMPERATURES[game][int(settings(args, level=6)["level"]) - 1]

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move of the chosen actions, one after the other."""
        chosen: tuple[int, ...] = ()
        while options := self.encoding.options(decision, chosen):
            chosen = (*chosen, options[0] if len(options) == 1 else self.action(decision, view, chosen))
        move: Move = self.encoding.compose(decision, chosen)
        return move

    def action(self, decision: Document, view: Document, chosen: tuple[int, ...]) -> int:
        """Draw the next action."""
        evaluation = self.network.evaluate(view, decision, chosen)
        highest = max(evaluation.policy)
        weights = [(chance / highest) ** (1 / self.temperature) for chance in evaluation.policy]
        drawn = self.dice.fraction() * sum(weights)
        for action, weight in zip(evaluation.options, weights, strict=True):
            drawn -= weight
            if drawn < 0:
                return action
        return evaluation.options[-1]


if __name__ == "__main__":
    play(Level)
