"""Offers of a barter: vectors of gems, compared by number, then red, yellow, green, blue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Offer = tuple[int, int, int, int]
Key = tuple[int, int, int, int, int]

NOTHING: Key = (0, 0, 0, 0, 0)


def key(offer: Sequence[int]) -> Key:
    """What two offers are compared by: (number, R, Y, G, B); the greater key is the higher offer."""
    red, yellow, green, blue = offer
    return (red + yellow + green + blue, red, yellow, green, blue)


def can_be_topped(holdings: Sequence[int], standing: Key) -> bool:
    """Whether some offer from ``holdings`` is higher; offering everything is the highest of them."""
    return key(holdings) > standing


def surely_above(holdings: Sequence[int], standing: Key) -> int:
    """So many offers from ``holdings`` are higher than ``standing`` at least, found without listing any.

    What a hand can offer lies symmetrically around half of its gems: if fewer are standing, half of it is more.
    """
    reds, yellows, greens, blues = holdings
    fewer = 2 * standing[0] < reds + yellows + greens + blues
    return (reds + 1) * (yellows + 1) * (greens + 1) * (blues + 1) // 2 if fewer else 0


def above(holdings: Sequence[int], standing: Key = NOTHING) -> Iterator[Offer]:
    """Every offer from ``holdings`` that is higher than ``standing``, ascending."""
    reds, yellows, greens, blues = holdings
    for count in range(max(1, standing[0]), reds + yellows + greens + blues + 1):
        for red in range(max(0, count - yellows - greens - blues), min(reds, count) + 1):
            after_red = count - red
            for yellow in range(max(0, after_red - greens - blues), min(yellows, after_red) + 1):
                rest = after_red - yellow
                for green in range(max(0, rest - blues), min(greens, rest) + 1):
                    if (count, red, yellow, green, rest - green) > standing:
                        yield (red, yellow, green, rest - green)
