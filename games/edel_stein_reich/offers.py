"""Offers in a barter: gems, compared by number, then red, yellow, green, blue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from games.edel_stein_reich.cards import Gems

Key = tuple[int, int, int, int, int]

NOTHING: Key = (0, 0, 0, 0, 0)


def key(offer: Gems) -> Key:
    """Return the sort key of an offer: (number, R, Y, G, B). The greater key is the higher offer."""
    red, yellow, green, blue = offer
    return (red + yellow + green + blue, red, yellow, green, blue)


def can_be_topped(holdings: Gems, standing: Key) -> bool:
    """Return whether an offer from ``holdings`` can be higher. The highest possible offer is all gems."""
    red, yellow, green, blue = holdings
    count = red + yellow + green + blue
    return count > standing[0] or (count == standing[0] and (count, red, yellow, green, blue) > standing)


def surely_above(holdings: Gems, standing: Key) -> int:
    """Return a lower bound of the number of offers from ``holdings`` above ``standing``, without listing them.

    The possible offers are symmetric around half of the gems. So if ``standing`` has fewer gems, half of them are
    higher.
    """
    reds, yellows, greens, blues = holdings
    fewer = 2 * standing[0] < reds + yellows + greens + blues
    return (reds + 1) * (yellows + 1) * (greens + 1) * (blues + 1) // 2 if fewer else 0


def above(holdings: Gems, standing: Key = NOTHING) -> Iterator[Gems]:
    """Yield every offer from ``holdings`` that is higher than ``standing``, ascending."""
    reds, yellows, greens, blues = holdings
    for count in range(max(1, standing[0]), reds + yellows + greens + blues + 1):
        for red in range(max(0, count - yellows - greens - blues), min(reds, count) + 1):
            after_red = count - red
            for yellow in range(max(0, after_red - greens - blues), min(yellows, after_red) + 1):
                rest = after_red - yellow
                for green in range(max(0, rest - blues), min(greens, rest) + 1):
                    if (count, red, yellow, green, rest - green) > standing:
                        yield (red, yellow, green, rest - green)


def drawn_above(holdings: Gems, standing: Key, random: Random) -> Gems | None:
    """Return a random offer from ``holdings`` above ``standing``, or ``None``. All have the same probability.

    The offers are not listed. Instead, the gems to keep are drawn, at most as many of each color as could be kept in
    total. This is repeated until the offer is higher.
    """
    reds, yellows, greens, blues = holdings
    most = reds + yellows + greens + blues - standing[0]
    red_kept = 1 + (reds if reds < most else most)
    yellow_kept = 1 + (yellows if yellows < most else most)
    green_kept = 1 + (greens if greens < most else most)
    pairs = red_kept * yellow_kept
    triples = pairs * green_kept
    vectors = triples * (1 + (blues if blues < most else most))
    while True:
        index = int(random.random() * (vectors + 1))
        if index == vectors:
            return None
        red = index % red_kept
        yellow = index % pairs // red_kept
        green = index % triples // pairs
        blue = index // triples
        kept = red + yellow + green + blue
        if kept < most:
            return (reds - red, yellows - yellow, greens - green, blues - blue)
        if kept == most:
            offer = (reds - red, yellows - yellow, greens - green, blues - blue)
            if key(offer) > standing:
                return offer


def count_above(holdings: Gems, standing: Key) -> int:
    """Return the number of offers from ``holdings`` above ``standing``, which can come from other holdings."""
    reds, yellows, greens, blues = holdings
    count, red, yellow, green, _ = standing
    total = reds + yellows + greens + blues
    if count > total:
        return 0
    three = _of_three(yellows, greens, blues)
    above = _of_four(holdings)[count + 1] + sum(three[max(0, count - reds) : max(0, count - red)])
    if red > reds:
        return above
    after_red = count - red
    above += sum([_of_two(greens, blues, after_red - more) for more in range(yellow + 1, min(yellows, after_red) + 1)])
    if yellow > yellows:
        return above
    rest = after_red - yellow
    return above + max(0, min(greens, rest) - max(green, rest - blues - 1))


def nth_above(holdings: Gems, standing: Key, place: int) -> Gems:
    """Return the offer at position ``place``, from 0, of the offers from ``holdings`` above ``standing``, ascending.

    Raises ``IndexError`` if there are not enough offers.
    """
    reds, yellows, greens, blues = holdings
    left = count_above(holdings, standing) - 1 - place  # how many are higher than the one that is looked for
    if place < 0 or left < 0:
        raise IndexError(f"offer number {place} above {standing} does not exist")
    at_least, three = _of_four(holdings), _of_three(yellows, greens, blues)
    count = reds + yellows + greens + blues
    while left >= at_least[count]:
        count -= 1
    left -= at_least[count + 1]
    red = min(reds, count)
    while left >= three[count - red]:
        left -= three[count - red]
        red -= 1
    yellow = min(yellows, count - red)
    while left >= (ways := _of_two(greens, blues, count - red - yellow)):
        left -= ways
        yellow -= 1
    rest = count - red - yellow
    green = min(greens, rest) - left
    return (red, yellow, green, rest - green)


@lru_cache(maxsize=1 << 14)
def _of_three(yellows: int, greens: int, blues: int) -> tuple[int, ...]:
    """Return the number of offers of three colors, by their number of gems."""
    return tuple(
        [
            sum([_of_two(greens, blues, count - yellow) for yellow in range(min(yellows, count) + 1)])
            for count in range(yellows + greens + blues + 1)
        ]
    )


@lru_cache(maxsize=1 << 14)
def _of_four(holdings: Gems) -> tuple[int, ...]:
    """Return the number of offers with at least this number of gems, by number of gems. The last number is 0."""
    reds, yellows, greens, blues = holdings
    three = _of_three(yellows, greens, blues)
    at_least = [0]
    for count in range(sum(holdings), -1, -1):
        at_least.append(at_least[-1] + sum(three[max(0, count - reds) : count + 1]))
    return tuple(at_least[::-1])


def _of_two(greens: int, blues: int, count: int) -> int:
    return max(0, min(greens, count) - max(0, count - blues) + 1)
