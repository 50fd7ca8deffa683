"""The part of a rating that a new season keeps."""

from __future__ import annotations

from ladder.ratings.elo import START_RATING


def regressed(rating: int, num: int, den: int) -> int:
    """Keep ``num/den`` of the distance of ``rating`` from the start, rounded toward the start to 1/1000 point.

    Raises ``ValueError`` unless 0 ≤ num ≤ den and den ≥ 1.
    """
    if not 0 <= num <= den or den < 1:
        raise ValueError(f"a season keeps a fraction of the ratings from 0 to 1, not {num}/{den}")
    distance = rating - START_RATING
    kept = abs(distance) * num // den
    return START_RATING + (kept if distance > 0 else -kept)
