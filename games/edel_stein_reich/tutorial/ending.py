"""Explanations of the scoring of the phase: payments, receivers and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.edel_stein_reich.cards import COLOURS, GEMS_AT_START, MAJORITY_VALUES
from games.rules import Document
from games.tutorial import Grid, Sentence, Value

ScoringRow = Mapping[str, Any]
CERTIFICATES: Final = "cert"


def scored(entries: Sequence[Document]) -> tuple[list[Document], list[list[int]]]:
    """Return the rows of the first scoring, and the gems of each color that every seat had before it."""
    held: dict[int, list[int]] = {}
    for entry in entries:
        event = entry.get("event", {})
        if event.get("type") == "gems_moved":
            for place, sign in ((event["from"], -1), (event["to"], 1)):
                if place != "supply":
                    _add(held, place, event["gems"], sign)
        elif event.get("type") == "scored":
            rows = event["rows"]
            seats = range(len(rows[0]["share"]))
            if event["phase"] is not None:
                return rows, [held.get(seat, [GEMS_AT_START] * 4) for seat in seats]
            for seat in seats:
                _add(held, seat, [row_of(rows[0], colour, seat) for colour in COLOURS], -1)
    raise ValueError("the phase has not been scored yet")


def _add(held: dict[int, list[int]], seat: int, gems: Sequence[int], sign: int) -> None:
    now = held.get(seat, [GEMS_AT_START] * 4)
    held[seat] = [have + sign * count for have, count in zip(now, gems, strict=True)]


def row_of(row: ScoringRow, colour: str, seat: int) -> int:
    """Return the number of gems of ``colour`` that ``seat`` returned in a row."""
    returned: int = row["returned"][seat] if row["of"] == colour else 0
    return returned


def paid(row: ScoringRow, seat: int) -> int:
    """Return the total payment of a row to ``seat``."""
    amount: int = row["share"][seat] + row["sole_bonus"][seat] + row["per_gem"][seat]
    return amount


def grid(rows: Sequence[ScoringRow], held: Sequence[Sequence[int]], names: Sequence[str]) -> Grid:
    """Return the payments by row and seat, with the sum in the last row."""
    seats = range(len(names))
    lines = [[_head(row), *(_cell(row, held, seat) for seat in seats)] for row in rows]
    sums = [Sentence("%(paid)s", {"paid": sum(paid(row, seat) for row in rows)}) for seat in seats]
    heads = [Sentence("Gems: paid, returned"), *(Sentence("%(name)s", {"name": name}) for name in names)]
    return Grid(heads, [*lines, [Sentence("Total"), *sums]])


def _head(row: ScoringRow) -> Sentence:
    if row["of"] == CERTIFICATES:
        return Sentence("Certificates")
    value = MAJORITY_VALUES[COLOURS.index(row["of"])]
    return Sentence("{%(colour)s} %(value)s", {"colour": row["of"], "value": value})


def _cell(row: ScoringRow, held: Sequence[Sequence[int]], seat: int) -> Sentence:
    amount = paid(row, seat)
    if row["of"] == CERTIFICATES:
        return Sentence("+%(paid)s", {"paid": amount}) if amount else Sentence("–")
    values = {"pile": held[seat][COLOURS.index(row["of"])], "paid": amount, "returned": row["returned"][seat]}
    if values["returned"]:
        return Sentence("%(pile)s: +%(paid)s −%(returned)s", values)
    return Sentence("%(pile)s: +%(paid)s", values) if amount else Sentence("%(pile)s", values)


def why(row: ScoringRow, held: Sequence[Sequence[int]], seat: int, names: Sequence[str]) -> Sentence:
    """Explain what a row meant for ``seat``."""
    if row["of"] == CERTIFICATES:
        return _why_certificates(row, seat)
    at = COLOURS.index(row["of"])
    counts = [gems[at] for gems in held]
    leaders = [other for other, count in enumerate(counts) if count == max(counts)]
    values: dict[str, Value] = {
        "colour": row["of"],
        "name": names[leaders[0]],
        "most": max(counts),
        "own": counts[seat],
        "share": row["share"][leaders[0]],
        "returned": row["returned"][leaders[0]],
        "more": paid(row, seat) - row["share"][seat],
    }
    return Sentence(_why(leaders, seat, bool(values["more"])).text, values)


def _why(leaders: Sequence[int], seat: int, more: bool) -> Sentence:
    if leaders == [seat] and more:
        return Sentence(
            "{%(colour)s}: you alone have the most and get the full value of %(share)s, plus %(more)s for your cards. "
            "You return half of these gems, rounded up: %(returned)s."
        )
    if leaders == [seat]:
        return Sentence(
            "{%(colour)s}: you alone have the most and get the full value of %(share)s. You return half of these gems, "
            "rounded up: %(returned)s."
        )
    if seat in leaders:
        return Sentence(
            "{%(colour)s}: you are tied for the most. Each of you gets %(share)s and returns %(returned)s. With one "
            "more gem you would have won the full value."
        )
    if len(leaders) == 1:
        return Sentence(
            "{%(colour)s}: %(name)s has the most (%(most)s), you have %(own)s. The second most is not paid."
        )
    return Sentence("{%(colour)s}: other players are tied with %(most)s gems and get %(share)s each. You have %(own)s.")


def _why_certificates(row: ScoringRow, seat: int) -> Sentence:
    own = row["share"][seat]
    if not any(row["share"]):
        return Sentence("Certificates: no player has one, so nothing is paid.")
    if own == max(row["share"]):
        return Sentence("Certificates: no player has more than you, so you get %(paid)s.", {"paid": own})
    if own:
        return Sentence("Certificates: you have the second most, so you get %(paid)s.", {"paid": own})
    return Sentence("Certificates: other players have more, so you get nothing.")


def standing(money: Sequence[int], seat: int, names: Sequence[str]) -> Sentence:
    """Compare the money of all seats from the point of view of ``seat``."""
    order = sorted(range(len(names)), key=lambda seat: -money[seat])
    listed = ", ".join(f"{names[seat]} {money[seat]}" for seat in order)
    if money[seat] == max(money):
        return Sentence("You are in the lead after the first phase: %(listed)s.", {"listed": listed})
    return Sentence("Another player leads after the first phase: %(listed)s.", {"listed": listed})
