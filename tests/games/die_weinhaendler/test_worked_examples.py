"""The worked examples of the rule sheet (rules.md 6.3-6.5), bid, exchanged and laid."""

from __future__ import annotations

import pytest

from games.rules import IllegalMove
from tests.games.die_weinhaendler.tables import add, answer, events, hand, laid, lay, player, table

MARC, ANNE, HERMAN, CARL = range(4)
HANDS = ("G14 Y5 empty S10 S17", "G7 R6 R13 P11 P18", "R20 Y12 B9 S24 P25", "B23 R20 G21 Y19 B16")
BIDS = [add("G14", "Y5"), add("G7"), add("R20", "Y12", "B9"), add("B23"), add("empty"), "pass", "pass", add("R20")]


def test_the_bidding_and_the_exchange_of_the_rule_sheet_come_out() -> None:
    state = table(*HANDS, display="S10 S17 S24 P11", draws="P18 P25 R6")
    totals = []
    for bid in BIDS:
        (seat,) = state.pending
        answer(state, bid)
        totals.append((seat, player(state, seat)["total"]))
    assert totals == [
        (MARC, 190), (ANNE, 70), (HERMAN, 410), (CARL, 230), (MARC, 192), (ANNE, 70), (HERMAN, 410), (CARL, 430),
    ]  # fmt: skip
    answer(state, "pass", "pass")
    assert events(state, "exchange")[0]["moves"] == [
        {"to": CARL, "from": "display", "cards": ["S24", "S17", "P11", "S10"]},
        {"to": HERMAN, "from": CARL, "cards": ["B23", "R20"]},
        {"to": MARC, "from": HERMAN, "cards": ["R20", "Y12", "B9"]},
        {"to": ANNE, "from": MARC, "cards": ["G14", "Y5", "empty"]},
        {"to": "display", "from": ANNE, "cards": ["G7"]},
    ]
    assert [len(hand(state, seat)) for seat in range(4)] == [5, 7, 4, 7]
    assert state.pending == (CARL,)
    assert state.decision(CARL)["must_lay"] == 1
    answer(state, lay("Y19", 0, 0), "done", "done")
    assert state.pending == (ANNE,)
    with pytest.raises(IllegalMove):
        state.play(ANNE, "done")
    answer(state, lay("R6", 0, 0), "done", "done")
    assert events(state, "refill", "start") == [
        {"type": "refill", "cards": ["P25", "P18", "R6"]},
        {"type": "start", "seat": CARL},
    ]


def test_carl_earns_ten_points_with_four_bottles() -> None:
    state = table("", "", "", "P25 G14 G7 G21 R6 S10 S17", display="", stage="lay", start=CARL)
    answer(state, lay("P25", 0, 0), lay("G14", 0, 1), lay("G7", 0, 2), lay("G21", 1, 1))
    assert [event["points"] for event in events(state, "laid")] == [3, 2, 1, 4]
    assert laid(state)["trios"] == [[[0, 1], [0, 2], [1, 1]]]
    assert player(state, CARL)["points"] == 10
    assert len(hand(state, CARL)) == 3


@pytest.mark.parametrize("base", [["B9", "B23"], ["B23", "B9"]])
def test_anne_earns_seven_points_with_one_bottle(base: list[str]) -> None:
    row = {(0, x): code for x, code in enumerate([*base, "R6", "S17", "G7"])}
    cellar = {**row, (1, 1): "B16", (1, 2): "B16"}
    state = table("", "B16 R13", "", "", display="", stage="lay", start=ANNE, cellars={ANNE: [cellar]})
    answer(state, lay("B16", 1, 0))
    assert laid(state)["points"] == 7
    assert laid(state)["trios"] == [[[0, 0], [0, 1], [1, 0]], [[1, 0], [1, 1], [1, 2]]]
