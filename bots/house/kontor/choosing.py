"""Secret choices: what the others will probably choose, and the best answer to that.

Both models start from the same table, ``gains[i][j][a]``: what it is worth to seat ``i`` when seat ``j`` carries
out action ``a``.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Gains = list[list[dict[str, float]]]
    Mix = dict[str, float]
    """How likely each action is chosen."""


def softmax(worths: Mix, temperature: float) -> Mix:
    """Better actions more often, by how much better they are."""
    most = max(worths.values())
    weights = {action: exp((worth - most) / temperature) for action, worth in worths.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def prospects(gains: Gains, seat: int, mixes: Sequence[Mix], action: str) -> float:
    """What choosing ``action`` changes for ``seat``: alone it acts, two share, three or more get nothing."""
    mine = gains[seat][seat][action]
    others = [(mix[action], gains[seat][j][action]) for j, mix in enumerate(mixes) if j != seat]
    nobody = 1.0
    for chance, _ in others:
        nobody *= 1 - chance
    worth = nobody * mine
    for j, (chance, theirs) in enumerate(others):
        if action == "free_choice":  # nobody is in the way of anybody, but alone it is worth twice as much
            worth += chance * 0.5 * mine * nobody / max(1 - chance, 1e-9)
            continue
        rest = nobody / max(1 - chance, 1e-9)
        worth += chance * rest * 0.5 * (mine - theirs)
        for second, also in others[j + 1 :]:
            worth -= chance * second * rest / max(1 - second, 1e-9) * 0.5 * (theirs + also)
    return worth


def expected_mixes(gains: Gains, actions: Sequence[str], temperature: float, turns: int = 6) -> list[Mix]:
    """Everybody answers everybody, better answers more often: a logit equilibrium after some ``turns``."""
    seats = range(len(gains))
    mixes = [softmax({a: gains[i][i][a] for a in actions}, 2 * temperature) for i in seats]
    for _ in range(turns):
        answers = [softmax({a: prospects(gains, i, mixes, a) for a in actions}, temperature) for i in seats]
        mixes = [{a: 0.5 * old[a] + 0.5 * new[a] for a in actions} for old, new in zip(mixes, answers, strict=True)]
    return mixes


def hiding(acts: Mix, shared: Mix, turns: int = 200) -> tuple[Mix, dict[tuple[str, str], float]]:
    """Two players: how often to hide each action, and how often to guess each pair in order, by fictitious play.

    ``acts`` is what an action brings the active seat when nobody guesses it, ``shared`` when the second guess
    hits; the first guess leaves it nothing, and the other seat loses what the active one gains.
    """
    actions = list(acts)
    pairs = [(first, second) for first in actions for second in actions if first != second]
    hidden, guessed = dict.fromkeys(actions, 0), dict.fromkeys(pairs, 0)
    brings, costs = dict.fromkeys(actions, 0.0), dict.fromkeys(pairs, 0.0)
    for _ in range(turns):
        action = max(actions, key=brings.__getitem__)
        pair = min(pairs, key=costs.__getitem__)
        hidden[action] += 1
        guessed[pair] += 1
        for each in actions:
            brings[each] += 0.0 if each == pair[0] else shared[each] if each == pair[1] else acts[each]
        for two in pairs:
            costs[two] += 0.0 if action == two[0] else shared[action] if action == two[1] else acts[action]
    return {a: n / turns for a, n in hidden.items()}, {p: n / turns for p, n in guessed.items()}
