"""The worked examples of the rule sheets (rules.md 6.1, 6.2), played and scored."""

from __future__ import annotations

import pytest

from games.rules import IllegalMove
from tests.games.edel_stein_reich.tables import answer, asked, choose, events, holdings, offer, purses, scored, table

ANNE, MARC = 0, 1
OFFERS = ["R", "BB", "YG", "RB", "GGG", "RBB"]


def test_the_barter_of_the_rule_sheets_is_played_offer_by_offer() -> None:
    state = table(3, {ANNE: (3, 3, 3, 3), MARC: (3, 3, 4, 3)}, gem_cards={ANNE: "7BB", MARC: "5RRB"})
    choose(state, "money", "money", "event")
    assert asked(state) == ((ANNE,), "open_barter")
    answer(state, *map(offer, OFFERS))
    assert asked(state) == ((ANNE,), "answer_offer")
    answer(state, "accept")
    assert holdings(state)[:2] == [[4, 3, 3, 5], [2, 3, 4, 1]]
    assert purses(state) == [0, 5, 0]
    assert events(state, "gems_moved", "money") == [
        {"type": "gems_moved", "from": MARC, "to": ANNE, "gems": [1, 0, 0, 2], "why": "barter"},
        {"type": "money", "seat": MARC, "amount": 5},
    ]


@pytest.mark.parametrize("reached", range(1, len(OFFERS)))
def test_in_that_barter_no_offer_tops_a_later_one(reached: int) -> None:
    state = table(3, {ANNE: (3, 3, 3, 3), MARC: (3, 3, 4, 3)})
    choose(state, "money", "money", "event")
    answer(state, *map(offer, OFFERS[: reached + 1]))
    for earlier in OFFERS[:reached]:
        with pytest.raises(IllegalMove, match="higher"):
            state.check(state.pending[0], offer(earlier))


def test_the_scoring_table_of_the_rule_sheets_is_reproduced() -> None:
    marc, anne, maria, herman = range(4)
    state = table(
        4,
        {marc: (2, 2, 7, 1), anne: (2, 7, 3, 1), maria: (2, 3, 7, 0), herman: (2, 4, 2, 2)},
        cards={
            marc: ["per:R", "cert", "cert"],
            anne: ["cert"],
            maria: ["sole:R", "cert"],
            herman: ["per:Y", "sole:B"],
        },
        display="rob",
        phase=1,
        round_=7,
    )
    assert state.view(None)["supply"] == [14, 6, 3, 18]
    choose(state, "money", "money", "money", "money")
    assert purses(state) == [20, 19, 12, 20]
    assert holdings(state) == [[0, 2, 5, 1], [0, 3, 3, 1], [0, 3, 5, 0], [0, 4, 2, 1]]
    assert state.view(None)["supply"] == [22, 10, 7, 19]
    assert [player["cards"] for player in state.view(None)["players"]] == [[], [], [], []]
    assert events(state, "supply_rule") == []
    nothing = [0, 0, 0, 0]
    assert list(scored(state).values()) == [
        {
            "of": "R",
            "share": [3, 3, 3, 3],
            "sole_bonus": nothing,
            "per_gem": [2, 0, 0, 0],
            "returned": [2, 2, 2, 2],
        },
        {"of": "Y", "share": [0, 12, 0, 0], "sole_bonus": nothing, "per_gem": [0, 0, 0, 4], "returned": [0, 4, 0, 0]},
        {"of": "G", "share": [5, 0, 5, 0], "sole_bonus": nothing, "per_gem": nothing, "returned": [2, 0, 2, 0]},
        {"of": "B", "share": [0, 0, 0, 8], "sole_bonus": [0, 0, 0, 5], "per_gem": nothing, "returned": [0, 0, 0, 1]},
        {"of": "cert", "share": [10, 4, 4, 0], "sole_bonus": nothing, "per_gem": nothing, "returned": nothing},
    ]
