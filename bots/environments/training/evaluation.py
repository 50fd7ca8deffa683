"""How strong a network is against house bots: blocks, in which it plays one deal in each seat in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

from bots.environments.vector import Numbers
from bots.house.catalogue import HOUSE
from bots.house.inside import HousePlayer, load, player
from bots.intervals import Mean, bounded, unbounded
from games.learning import Chosen
from games.network import TENSORS, inputs, read
from games.registry import GAMES
from games.rules import Document, Move, State

MIXTURES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "edel-stein-reich-duel": (("greedy",), ("haggler",), ("kontor",)),
    "edel-stein-reich": (
        ("greedy", "haggler"),
        ("miser", "stickler"),
        ("haggler", "kontor"),
        ("kontor", "kontor"),
        ("greedy", "haggler", "kontor"),
        ("kontor", "kontor", "kontor"),
        ("greedy", "haggler", "stickler", "kontor"),
        ("kontor", "kontor", "kontor", "kontor"),
    ),
    "die-weinhaendler": (
        ("vintner", "gleaner"),
        ("squire", "abstainer"),
        ("vintner", "sommelier"),
        ("sommelier", "sommelier"),
        ("vintner", "cellarman", "sommelier"),
        ("sommelier", "sommelier", "sommelier"),
        ("vintner", "squire", "dreamer", "sommelier"),
        ("sommelier", "sommelier", "sommelier", "sommelier"),
    ),
}
"""Opponents in clockwise order, by game."""


class BatchNetwork:
    """The policy of a network (``games.network``) for many decisions at once, in NumPy.

    It draws each action with its probability to the power of 1/``temperature``; 0 takes the most probable one.
    """

    def __init__(self, game: str, tensors: dict[str, Numbers], temperature: float = 1.0) -> None:
        self.game, self.temperature = game, temperature
        self._tensors: dict[str, Numbers] = {name: tensors[name].astype(np.float32) for name in TENSORS}
        self._random = np.random.default_rng(1)

    @classmethod
    def load(cls, path: Path, game: str, temperature: float = 1.0) -> BatchNetwork:
        """Read a file of weights. Raises ``BadNetwork`` and ``OSError``."""
        tensors = {
            name: np.array(numbers, np.float32).reshape(shape) for name, (shape, numbers) in read(path, game).items()
        }
        return cls(game, tensors, temperature)

    def logits(self, seats: int, observations: Numbers | Sequence[Sequence[float]]) -> Numbers:
        """Return the logits of all actions with shape (rows, actions)."""
        weights = self._tensors
        rows = np.zeros((len(observations), len(weights["first"])), np.float32)
        rows[:, inputs(self.game, seats)] = observations
        hidden = np.maximum(rows @ weights["first"] + weights["first_bias"], 0)
        hidden = np.maximum(hidden @ weights["second"].T + weights["second_bias"], 0)
        logits: Numbers = hidden @ weights["policy"].T + weights["policy_bias"]
        return logits

    def choose(self, seats: int, asked: Sequence[tuple[Document, Document]]) -> list[Move]:
        """Return a move for each pair of view and decision."""
        encoding = GAMES[self.game].encoding(seats)
        chosen: list[Chosen] = [()] * len(asked)
        waiting = list(range(len(asked)))
        while waiting:
            options = {place: encoding.options(asked[place][1], chosen[place]) for place in waiting}
            waiting = [place for place in waiting if options[place]]
            if waiting:
                rows = self.logits(seats, [encoding.observation(*asked[place], chosen[place]) for place in waiting])
                for place, logits in zip(waiting, rows, strict=True):
                    chosen[place] += (self._drawn(options[place], logits[options[place]]),)
        return [encoding.compose(decision, actions) for (_, decision), actions in zip(asked, chosen, strict=True)]

    def _drawn(self, options: Sequence[int], logits: Numbers) -> int:
        if self.temperature:
            noise = self.temperature * self._random.gumbel(size=len(logits))
            return options[int((logits + noise).argmax())]
        return options[int(logits.argmax())]


class Strength(NamedTuple):
    """The results of blocks, as means with 95% confidence intervals.

    ``wins`` is the share of the win: 1/*k* for a win that *k* seats share. ``lead`` is the difference from the mean
    score of the other seats, in the unit of the game.
    """

    wins: Mean
    lead: Mean


@dataclass
class _Game:
    block: int
    own: int
    state: State
    others: dict[int, HousePlayer]
    read: list[int] = field(default_factory=lambda: [0] * 9)

    def advance(self) -> bool:
        """Let the others play until the network is to play. Return whether it is; otherwise the game is over."""
        while self.state.pending and (seat := self.state.pending[0]) != self.own:
            log = self.state.entries(seat, self.read[seat])
            self.read[seat] += len(log)
            move = self.others[seat].choose(self.state.decision(seat), self.state.view(seat), log)
            self.state.play(seat, move)
        return bool(self.state.pending)


Watch = Callable[[str, int, HousePlayer], HousePlayer]


def evaluate(
    network: BatchNetwork,
    seats: int,
    opponents: Sequence[str],
    blocks: int,
    seed: int = 1,
    watch: Watch = lambda _name, _seats, house_player: house_player,
) -> Strength:
    """Play ``blocks`` blocks against house bots.

    ``opponents`` are their names in clockwise order after the network. They take turns if there are too few.
    ``watch`` gets the name, the number of seats and the player of each house bot in a game, and returns who plays.
    """
    bots = [(HOUSE[name], load(HOUSE[name])) for name in opponents]
    games = []
    for block in range(blocks):
        deal = sha256(f"evaluate/{seed}/{block}".encode()).digest()
        for own in range(seats):
            places = {(own + distance) % seats: bots[(distance - 1) % len(bots)] for distance in range(1, seats)}
            others = {
                seat: watch(bot[0].name, seats, player(network.game, bot, seats, seat, deal))
                for seat, bot in places.items()
            }
            games.append(_Game(block, own, GAMES[network.game].new(seats, deal), others))
    playing = games
    while playing := [game for game in playing if game.advance()]:
        asked = [(game.state.view(game.own), game.state.decision(game.own)) for game in playing]
        for game, move in zip(playing, network.choose(seats, asked), strict=True):
            game.state.play(game.own, move)
    results = np.array([_result(game) for game in games]).reshape(blocks, seats, 2).mean(axis=1)
    return Strength(bounded(results[:, 0].tolist()), unbounded(results[:, 1].tolist()))


def _result(game: _Game) -> tuple[float, float]:
    outcome: Any = game.state.outcome
    encoding = GAMES[game.state.rules.slug].encoding(len(outcome["ranks"]))
    ranks, scores = outcome["ranks"], [encoding.score(score) for score in outcome["scores"]]
    own = scores.pop(game.own)
    return (ranks[game.own] == 1) / ranks.count(1), own - fmean(scores)
