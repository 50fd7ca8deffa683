"""The rules page of Die Weinhändler: what it says in numbers is what the engine does."""

from __future__ import annotations

import re

from games.die_weinhaendler.cards import (
    CODES,
    DISPLAY_SIZE,
    EMPTY_CODE,
    HAND_LIMIT,
    HAND_SIZE,
    LEFT_OUT,
    NUMBERS,
    STARS,
    VARIETIES,
    deck,
    in_order,
    total,
)
from games.die_weinhaendler.cellar import NEW, Cellar
from games.die_weinhaendler.grid import TRIOS, cell_of
from games.die_weinhaendler.rulings import IDLE_LIMIT, INVERTED_TRIANGLES
from games.die_weinhaendler.story.words import VARIETIES as COLOURS
from games.die_weinhaendler.story.words import euros
from games.registry import GAMES
from tests.games.readers import Row, drawings, section, table_after, tables

GUIDE = GAMES["die-weinhaendler"].presentation.guide
COUNTED = {3: "three", 4: "four", 5: "five", 6: "six", 20: "twenty"}


def tokens(cell: str) -> list[str]:
    words: list[str] = re.findall(r"\{(\w+)\}", cell)
    return words


def bottles(rows: list[Row], column: int, to: int | None = None) -> list[str]:
    return [code for row in rows for cell in row[column:to] for code in tokens(cell)]


def test_every_bottle_is_listed_under_its_stars_and_wine() -> None:
    rows = table_after(GUIDE, "## The bottles")
    assert [re.findall(r"(\d) star", heading) for heading in rows[0][1:]] == [["1"], ["2"], ["3"]]
    listed = bottles(rows[1:], 1)
    assert sorted([*listed, EMPTY_CODE]) == sorted(CODES)
    for row, letter in zip(rows[1:], VARIETIES, strict=True):
        assert row[0].endswith(f", {COLOURS[letter]} ({letter})")
        assert [code[0] for code in bottles([row], 1)] == [letter] * 3
        assert [STARS[NUMBERS[code]] for code in bottles([row], 1)] == [1, 2, 3]


def test_each_number_of_players_has_its_deck() -> None:
    for row in table_after(GUIDE, "## The bottles", 1)[1:]:
        seats = int(row[0])
        left_out = [letter for letter in VARIETIES if COLOURS[letter] in row[1]]
        assert sorted(left_out) == sorted(LEFT_OUT[seats])
        assert int(row[2]) == len(deck(seats))
        assert int(row[3]) == len(deck(seats)) - HAND_SIZE * seats - DISPLAY_SIZE


def test_the_worked_bidding_adds_up_and_no_two_bids_are_ever_equal() -> None:
    bids: dict[str, list[str]] = {}
    for _turn, player, laid, report, _note in table_after(GUIDE, "## 1. The bidding")[1:]:
        bids.setdefault(player, []).extend(tokens(laid))
        totals = [total(in_order([NUMBERS[code] for code in codes])) for codes in bids.values()]
        assert len(set(totals)) == len(totals)
        assert report == euros(totals[list(bids).index(player)])
    order = sorted(bids, key=lambda name: -total(in_order([NUMBERS[code] for code in bids[name]])))
    rows = table_after(GUIDE, "## 2. The exchange")[1:]
    assert [row[1] for row in rows] == order
    assert [tokens(row[2]) for row in rows] == [sorted(bids[name], key=NUMBERS.get, reverse=True) for name in order]
    assert [tokens(row[3]) for row in rows[1:]] == [tokens(row[2]) for row in rows[:-1]]


def test_the_drawn_chain_is_the_worked_exchange() -> None:
    (chain,) = drawings(GUIDE, "chain")
    rows = table_after(GUIDE, "## 2. The exchange")[1:]
    assert chain[0][0] == "The display"
    assert [(name, tokens(cards), bid) for name, cards, bid in chain[1:]] == [
        (name, tokens(gives), bid) for bid, name, gives, _takes in rows
    ]


def test_the_four_drawn_trios_are_all_the_shapes_the_engine_knows() -> None:
    text = GUIDE.split("```pyramid Four places for a trio\n")[1].split("\n```")[0]
    for block in text.split("\n\n"):
        rows = [re.split(r" {2,}", line) for line in block.splitlines()[1:]]
        places = sorted(
            cell_of(level, x) for level, row in enumerate(reversed(rows)) for x, c in enumerate(row) if "*" in c
        )
        assert tuple(places) in TRIOS[places[0]], block


def cellar_of(rows: list[Row]) -> dict[str, tuple[int, int]]:
    """The cells of the bottles drawn in a pyramid, from its highest row down, by code and place in the row."""
    drawn = {}
    for level, row in enumerate(reversed(rows)):
        for place, cell in enumerate(row):
            for code in tokens(cell):
                drawn[f"{code}@{place}"] = (level, place)
    return drawn


def laid(cellar: Cellar, code: str, place: tuple[int, int]) -> tuple[Cellar, int]:
    card, cell = NUMBERS[code.split("@")[0]], cell_of(*place)
    assert cellar.allows(card, cell), code
    return cellar.with_bottle(card, cell), STARS[card] + cellar.bonus(card, cell)


def test_the_small_example_earns_what_the_engine_pays() -> None:
    part = section(GUIDE, "3. Laying bottles").split("### A small example")[1]
    places = {code.split("@")[0]: place for code, place in cellar_of(drawings(part, "pyramid")[0]).items()}
    cellar, in_all = NEW, 0
    for row in tables(part)[0][1:]:
        (code,) = tokens(row[0])
        cellar, earned = laid(cellar, code, places[code])
        assert (row[1], row[3]) == (str(STARS[NUMBERS[code]]), str(earned))
        in_all += earned
    assert f"That is {in_all} points." in GUIDE


def test_the_better_example_earns_what_the_engine_pays() -> None:
    part = section(GUIDE, "3. Laying bottles").split("### A better one")[1]
    places = cellar_of(drawings(part, "pyramid")[0])
    last = next(code for code, place in places.items() if place == (1, 0))
    cellar, earned = NEW, 0
    for code in [*(c for c in places if places[c][0] == 0), *(c for c in places if places[c][0] and c != last), last]:
        cellar, earned = laid(cellar, code, places[code])
    assert len(places) == 7
    assert f"{earned} points for one bottle" in part


def test_the_guide_names_the_limits_of_the_house() -> None:
    assert INVERTED_TRIANGLES
    assert "may be on its base or on its tip" in GUIDE
    assert f"**{COUNTED[IDLE_LIMIT].capitalize()} rounds in a row" in GUIDE
    assert f"more than {COUNTED[HAND_LIMIT]}" in GUIDE
    assert f"dealt **{COUNTED[HAND_SIZE]}**" in GUIDE
    assert f"**{COUNTED[DISPLAY_SIZE].capitalize()}** more are laid out" in GUIDE
