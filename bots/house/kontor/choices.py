"""Secret choices: a prediction of the other players' choices, and the best answer.

Both models use ``gains[i][j][a]``: the value for seat ``i`` if seat ``j`` carries out action ``a``.
"""

from __future__ import annotations

from itertools import permutations
from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Gains = list[list[dict[str, float]]]
    Mix = dict[str, float]
    """How likely each action is chosen."""


def softmax(worths: Mix, temperature: float) -> Mix:
    """Return probabilities that increase with the value of an action."""
    most = max(worths.values())
    weights = {action: exp((worth - most) / temperature) for action, worth in worths.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def prospects(gains: Gains, seat: int, mixes: Sequence[Mix], action: str) -> float:
    """Return the expected gain of ``seat`` from ``action``: one chooser acts, two barter, three or more get nothing."""
    mine = gains[seat][seat][action]
    others = [(mix[action], gains[seat][j][action]) for j, mix in enumerate(mixes) if j != seat]
    nobody = 1.0
    for chance, _ in others:
        nobody *= 1 - chance
    worth = nobody * mine
    for j, (chance, theirs) in enumerate(others):
        if action == "free_choice":  # never bartered for or canceled, but a single chooser gets twice as much
            worth += chance * 0.5 * mine * nobody / max(1 - chance, 1e-9)
            continue
        rest = nobody / max(1 - chance, 1e-9)
        worth += chance * rest * 0.5 * (mine - theirs)
        for second, also in others[j + 1 :]:
            worth -= chance * second * rest / max(1 - second, 1e-9) * 0.5 * (theirs + also)
    return worth


def expected_mixes(gains: Gains, actions: Sequence[str], temperature: float, turns: int = 6) -> list[Mix]:
    """Return a logit equilibrium after some ``turns``: each seat prefers better answers to the other choices."""
    seats = range(len(gains))
    mixes = [softmax({a: gains[i][i][a] for a in actions}, 2 * temperature) for i in seats]
    for _ in range(turns):
        answers = [softmax({a: prospects(gains, i, mixes, a) for a in actions}, temperature) for i in seats]
        mixes = [{a: 0.5 * old[a] + 0.5 * new[a] for a in actions} for old, new in zip(mixes, answers, strict=True)]
    return mixes


class Habits:
    """A model of one seat: naive (considers only its own gain) or wary (considers the others).

    Before every choice, both kinds of player are predicted. The model learns which prediction fits better.
    """

    def __init__(self) -> None:
        self.naivety = 0.5
        self.naive: Mix = {}
        self.wary: Mix = {}

    def expect(self, naive: Mix, wary: Mix) -> Mix:
        """Return the probabilities of the next choice from both predictions."""
        self.naive, self.wary = naive, wary
        return {a: self.naivety * naive[a] + (1 - self.naivety) * wary[a] for a in naive}

    def learn(self, chosen: str) -> None:
        """Update the belief in both kinds of player after a choice (Bayes)."""
        naive, wary = self.naivety * self.naive[chosen], (1 - self.naivety) * self.wary[chosen]
        if naive + wary > 0:
            self.naivety = min(0.95, max(0.05, naive / (naive + wary)))
        self.naive, self.wary = {}, {}


def left_to(acts: Mix, shared: Mix, action: str, pair: tuple[str, str]) -> float:
    """Two players: return what the active seat gets for ``action`` if the guesses are ``pair``."""
    return 0.0 if action == pair[0] else shared[action] if action == pair[1] else acts[action]


def hiding(acts: Mix, shared: Mix, turns: int = 150) -> tuple[Mix, dict[tuple[str, str], float]]:
    """Two players: return how often to hide each action and to guess each pair, by fictitious play.

    ``acts`` is the gain of the active seat from an action that no guess hits, ``shared`` if the second guess hits it.
    If the first guess hits it, the gain is zero. The other seat loses what the active seat gains.
    """
    pairs = list(permutations(acts, 2))
    payoff = {(action, pair): left_to(acts, shared, action, pair) for action in acts for pair in pairs}
    hidden, guessed = dict.fromkeys(acts, 0), dict.fromkeys(pairs, 0)
    brings, costs = dict.fromkeys(acts, 0.0), dict.fromkeys(pairs, 0.0)
    for _ in range(turns):
        action = max(brings, key=brings.__getitem__)
        pair = min(costs, key=costs.__getitem__)
        hidden[action] += 1
        guessed[pair] += 1
        for each in brings:
            brings[each] += payoff[each, pair]
        for two in costs:
            costs[two] += payoff[action, two]
    return {a: n / turns for a, n in hidden.items()}, {p: n / turns for p, n in guessed.items()}


def in_order(mix: Mix) -> dict[tuple[str, str], float]:
    """Return the probability of each pair of different actions that are drawn from ``mix`` in turn."""
    return {(a, b): mix[a] * mix[b] / max(1 - mix[a], 1e-9) for a, b in permutations(mix, 2)}
