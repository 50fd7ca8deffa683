"""Candidates for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from ladder.pairings.candidates import Candidate

seat_counts = st.integers(2, 5)
seeds = st.integers(0, 2**32)


@st.composite
def pools(draw: st.DrawFn, least: int = 0, most: int = 14) -> list[Candidate]:
    """Candidates in any state, with owners who have several bots."""
    size = draw(st.integers(least, most))
    return [
        Candidate(
            membership=membership,
            rating=draw(st.integers(-3_000_000, 6_000_000)),
            games=draw(st.integers(0, 60)),
            owner=draw(st.none() | st.integers(1, 5)),
            version_games=draw(st.integers(0, 60)),
            width=draw(st.none() | st.integers(0, 900_000)),
            since=draw(st.integers(0, 30)),
        )
        for membership in range(1, size + 1)
    ]


def house(size: int, games: int = 0, rating: int = 1_500_000) -> list[Candidate]:
    """Bots that may all meet."""
    return [Candidate(membership, rating, games) for membership in range(1, size + 1)]
