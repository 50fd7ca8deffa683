"""The accelerator and the reference play the same games: states, legal actions and outcomes after every action."""

from __future__ import annotations

from typing import Any

import pytest

from games.die_weinhaendler.cards import CODES
from games.die_weinhaendler.grid import cell_of
from games.fast.gems import EVENTS, GEM_CARDS, GemRules
from games.fast.wine import WineRules
from tests.games.fast.differential import FORMATS, first_difference

AT_ONCE = 40
"""Games per batch."""


def assert_equal_games(slug: str, seats: int, count: int, name: str) -> None:
    for start in range(0, count, AT_ONCE):
        part = f"{name}/{slug}/{seats}/{start}"
        assert first_difference(slug, seats, part, min(AT_ONCE, count - start)) is None, part


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_thirty_games_are_equal(slug: str, seats: int) -> None:
    assert_equal_games(slug, seats, 30, "fast")


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_three_hundred_games_are_equal(slug: str, seats: int) -> None:
    assert_equal_games(slug, seats, 300, "slow")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_twenty_thousand_games_are_equal(slug: str, seats: int) -> None:
    assert_equal_games(slug, seats, 20_000, "nightly")


# --- Changed rules ---------------------------------------------------------------------------------------------------


def changed(name: str, place: int | None, difference: int) -> Any:
    def change(rules: GemRules | WineRules) -> None:
        if place is None:
            setattr(rules, name, getattr(rules, name) + difference)
        else:
            getattr(rules, name)[place] += difference

    return change


def changed_gem_card(rules: GemRules) -> None:
    rules.gem_card_gems[GEM_CARDS - 1][0] += 1


def swap_for_a_rob(rules: GemRules) -> None:
    rules.event_cards[list(rules.event_cards).index(EVENTS.index("swap"))] = EVENTS.index("rob")


def exchanged_cards(rules: WineRules) -> None:
    rules.deck[0], rules.deck[3] = rules.deck[3], rules.deck[0]


def without_lowest_trio(level: int) -> Any:
    """Removes the trio of a cell whose other cells are the lowest."""
    cell = cell_of(level, 0 if level else 2)  # the first bottle of a cellar completes nothing

    def change(rules: WineRules) -> None:
        rules.partners[cell][0][:] = cell, cell  # these cells cannot be occupied now

    return change


FIVE, DUEL, WINE = ("edel-stein-reich", 5), ("edel-stein-reich-duel", 2), ("die-weinhaendler", 4)
MUTATIONS: dict[str, tuple[Any, tuple[str, int], tuple[str, ...]]] = {
    **{
        f"{name} {difference:+}": (changed(name, None, difference), FIVE, ())
        for name, difference in (
            ("phases", -1),
            ("rounds", -1),
            ("actions", -1),
            ("gems_at_start", -1),
            ("tie_return", -1),
            ("tie_return", 1),
            ("adjusted", -1),
            ("adjusted", 1),
            ("free_choice_takes", -1),
            ("three_takes", -1),
            ("three_takes", 1),
            ("sole_any_bonus", 1),
        )
    },
    **{
        f"{name} {place} +1": (changed(name, place, 1), FIVE, ())
        for name, places in (("majority_values", 4), ("half_values", 4), ("sole_bonus", 4), ("certificate_values", 2))
        for place in range(places)
    },
    "offer_limit -1": (changed("offer_limit", None, -1), DUEL, ("lowest raises",)),
    "offer_limit +1": (changed("offer_limit", None, 1), DUEL, ("lowest raises",)),
    "low_supply -1": (changed("low_supply", None, -1), FIVE, ("empty supplies",)),
    "low_supply +1": (changed("low_supply", None, 1), FIVE, ("empty supplies",)),
    "guesses -1": (changed("guesses", None, -1), DUEL, ()),
    "money on the first gem card": (changed("gem_card_money", 0, 1), DUEL, ()),
    "money on the last gem card": (changed("gem_card_money", GEM_CARDS - 1, -1), DUEL, ()),
    "gems on the last gem card": (changed_gem_card, DUEL, ()),
    "an event card": (swap_for_a_rob, DUEL, ()),
    **{
        f"{name} {difference:+}": (changed(name, None, difference), WINE, ())
        for name, difference in (
            ("hand_size", -1),
            ("display_size", -1),
            ("display_size", 1),
            ("hand_limit", -1),
            ("hand_limit", 1),
            ("same_bonus", -1),
            ("same_bonus", 1),
            ("mixed_bonus", -1),
            ("mixed_bonus", 1),
            ("deck_size", -1),
        )
    },
    **{
        f"{name} of {CODES[kind]} +1": (changed(name, kind, 1), WINE, ())
        for name, kind in (("tenths", 0), ("tenths", 8), ("tenths", 21), ("stars", 1), ("stars", 20), ("varieties", 2))
    },
    **{
        f"a trio less at level {level}": (without_lowest_trio(level), ("die-weinhaendler", 3), ("full cellars",))
        for level in range(4)
    },
    "idle_limit -1": (changed("idle_limit", None, -1), WINE, ("idle rounds",)),
    "idle_limit +1": (changed("idle_limit", None, 1), WINE, ("idle rounds",)),
    "a card of the deck": (exchanged_cards, WINE, ()),
}
"""Changed numbers of the rules, and the games that must notice them: a format and styles, by default all."""


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_changed_rule_is_noticed_within_300_games(mutation: str) -> None:
    change, (slug, seats), styles = MUTATIONS[mutation]
    assert any(
        first_difference(slug, seats, f"{mutation}/{part}", AT_ONCE, styles, change, observed=False)
        for part in range(300 // AT_ONCE)
    )


@pytest.mark.slow
def test_a_changed_number_of_cards_set_aside_is_observed() -> None:
    change = changed("aside", None, -1)  # no rule depends on it, because the rounds of a phase are also given
    assert first_difference("edel-stein-reich", 4, "aside", AT_ONCE, change=change)
