"""What holds at every moment of every game of Die Weinhändler: no card is lost or doubled, no two bids are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.rules import State


def faults(state: State) -> Iterator[str]:
    """What does not hold now; empty when the table is sound."""
    view, deck = state.view(None), Counter(state.record["steps"][1]["cards"])
    hands = [Counter(state.view(seat)["you"]["hand"]) for seat in range(state.seats)]
    seen: Counter[str] = Counter(view["display"])
    for seat, player in enumerate(view["players"]):
        seen += hands[seat] + Counter(player["bid"])
        for cell in (cell for cellar in player["cellars"] for cell in cellar):
            seen += Counter([cell["card"]] + [cell["under"]] * (cell["under"] is not None))
        if player["hand"] != hands[seat].total() or not Counter(player["known"]) <= hands[seat]:
            yield f"the hand of {seat} is not what is said of it"
        if any(len(cellar) > 15 for cellar in player["cellars"]):
            yield f"{seat} has a cellar of more than 15 cells"
    if not seen <= deck or (deck - seen).total() != view["stack"]:
        yield f"cards lost or doubled: {deck - seen}, {seen - deck}"
    totals = [player["total"] for player in view["players"] if player["total"] is not None]
    if len(set(totals)) < len(totals):
        yield "two bids are equal"
