"""A sequential probability ratio test whether one version is better than another, in as few blocks as possible.

The data are differences, one per block: both versions play the same deal in all seatings against the same opponents,
and the mean score of one is subtracted from that of the other. A score is the share of opponents beaten (0 to 1), so a
difference is from −1 to 1.

Two hypotheses are compared: the mean difference is 0, or it is ``margin``. After every block, the logarithm of their
likelihood ratio is compared with two bounds. Between them, another block is played (A. Wald, *Sequential Tests of
Statistical Hypotheses*, Annals of Mathematical Statistics 16, 1945). The spread of the differences is unknown and is
replaced by that of the sample. This is the generalized test in its normal approximation (M. Van den Bergh, *A Practical
Introduction to the GSPRT*, 2020; Stockfish's fishtest uses it for chess engines):

    LLR = N · margin · (mean − margin/2) / variance

The sample underestimates the spread after few blocks. So the test adds a prior of eight blocks at ``margin/2 ± ½`` to
the sample; they favor neither hypothesis. The prior fades with new differences: after n blocks in which the versions
scored differently, it has 16/(16 + n) of its weight. For versions that mostly play alike it keeps its weight, because
little is known about the rare blocks that decide. ``bench/comparisons.py`` measures error rates and blocks until a
decision; docs/internals/statistics-math.md contains the results.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

ERROR = 0.05
"""The default probability of either error."""

_PRIOR_BLOCKS = 8
_PRIOR_SPREAD = 0.5
_FADING = 16
"""The number of blocks with different scores after which the prior has half of its weight."""


class TestVerdict(Enum):
    """The result of a test. ``NOT_BETTER`` means not better by the margin. Smaller differences are possible."""

    BETTER = "better"
    NOT_BETTER = "not better"
    OPEN = "open"


@dataclass(frozen=True)
class Hypotheses:
    """A mean difference of 0 against one of ``margin``.

    ``alpha`` is the probability to call an equal version better, ``beta`` the probability to miss one that is better by
    ``margin``. Raises ``ValueError`` for a margin that is not between 0 and 1, or probabilities not between 0 and ½.
    """

    margin: float
    alpha: float = ERROR
    beta: float = ERROR

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1 or not all(0 < chance < 0.5 for chance in (self.alpha, self.beta)):
            raise ValueError(f"the margin must be between 0 and 1, and the error rates between 0 and ½: {self}")

    @property
    def lower(self) -> float:
        """The bound at which the test decides for a difference of 0."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The bound at which the test decides for a difference of ``margin``."""
        return math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class LikelihoodWalk:
    """The log-likelihood ratio after each block up to the deciding one. ``verdict`` is the decision."""

    ratios: Sequence[float]
    verdict: TestVerdict

    @property
    def ratio(self) -> float:
        """The current value; 0 before the first block."""
        return self.ratios[-1] if self.ratios else 0.0


def walk(differences: Iterable[float], hypotheses: Hypotheses) -> LikelihoodWalk:
    """Process ``differences`` in order until the test decides. Ignore later ones."""
    margin = hypotheses.margin
    differing = 0
    total = squares = 0.0
    ratios: list[float] = []
    for blocks, difference in enumerate(differences, 1):
        differing += difference != 0
        total += difference
        squares += difference**2
        prior = _PRIOR_BLOCKS * _FADING / (_FADING + differing)
        count = prior + blocks
        mean = (prior * margin / 2 + total) / count
        variance = (prior * ((margin / 2) ** 2 + _PRIOR_SPREAD**2) + squares) / count - mean**2
        ratios.append(count * margin * (mean - margin / 2) / variance)
        verdict = _verdict(ratios[-1], hypotheses)
        if verdict is not TestVerdict.OPEN:
            return LikelihoodWalk(ratios, verdict)
    return LikelihoodWalk(ratios, TestVerdict.OPEN)


def _verdict(ratio: float, hypotheses: Hypotheses) -> TestVerdict:
    if ratio >= hypotheses.upper:
        return TestVerdict.BETTER
    return TestVerdict.NOT_BETTER if ratio <= hypotheses.lower else TestVerdict.OPEN
