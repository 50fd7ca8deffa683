"""The observation of a seat as sections of numbers. "By seat" begins with the seat itself and continues clockwise."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.cards import (
    CODES,
    COPIES,
    DISPLAY_SIZE,
    EMPTY,
    EMPTY_CODE,
    HAND_LIMIT,
    HAND_SIZE,
    NUMBERS,
    STAR_GRADES,
    STARS,
    VARIETIES,
    VARIETY,
    deck,
)
from games.die_weinhaendler.cellar import NEW, VACANT, Cellar
from games.die_weinhaendler.encoding.moves import PLACES, cards_chosen
from games.die_weinhaendler.grid import BOTTLES, CELLS, cell_of
from games.die_weinhaendler.outline import outline_of
from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.learning import Section, Seen, Shares, one_hot
from games.rules import Document

STAGES: Final = ("bid", "lay")
ROUNDS_UNIT: Final = 20
POINTS_UNIT: Final = 100
TENTHS_UNIT: Final = 1000
CELLARS_UNIT: Final = 4
BONUS_UNIT: Final = 4
CAP: Final = 10.0
"""Limit of numbers that the rules do not bound. Games never come near ten of their units."""

_SHARES: Final = Shares(dict.fromkeys(CODES, COPIES))
_CARDS: Final = len(CODES)
_CELL: Final = {
    code: [*one_hot(VARIETY[card] if card else None, len(VARIETIES)), STARS[card] / STAR_GRADES, float(not card)]
    for card, code in enumerate(CODES)
}
"""The numbers of an occupied cell."""

_CELL_SIZE: Final = len(_CELL[EMPTY_CODE])
_CELLAR_SIZE: Final = _CELL_SIZE * len(PLACES)
_PLACE: Final = {cell_of(level, x): number for number, (level, x) in enumerate(PLACES)}
"""The index of a cell among those of a cellar."""


def sections(seats: int) -> tuple[Section, ...]:
    """Return the sections of the observation with ``seats`` seats."""
    return (*_table(seats), *_players(seats), *_asked())


def _table(seats: int) -> tuple[Section, ...]:
    stack = len(deck(seats)) - HAND_SIZE * seats - DISPLAY_SIZE
    return (
        Section("round", 1, "÷ 20, at most 10", lambda seen: _capped(seen.view["round"] / ROUNDS_UNIT), CAP),
        Section("last round", 1, "1: this is the last round", lambda seen: [float(seen.view["last_round"])]),
        Section("idle rounds", 1, "÷ 20", lambda seen: [seen.view["idle_rounds"] / IDLE_LIMIT]),
        Section("stage", 2, "one-hot: bid, lay", lambda seen: _stage(seen.view["stage"])),
        Section("display", _CARDS, "by card, the share of its copies", lambda seen: _bottles(seen.view["display"])),
        Section("stack", 1, "face-down cards ÷ those at the start", lambda seen: [seen.view["stack"] / stack]),
        Section(
            "stack bottom", _CARDS, "by card, the share of its copies", lambda seen: _bottles(seen.view["stack_bottom"])
        ),
        Section("laid", _CARDS, "by card, the share of its copies in cellars", _laid),
        Section(
            "own hand", _CARDS, "by card, the share of its copies", lambda seen: _bottles(seen.view["you"]["hand"])
        ),
    )


def _players(seats: int) -> tuple[Section, ...]:
    return (
        Section("start", seats, "by seat, 1: is this round's start player", lambda seen: _at(seen, seen.view["start"])),
        Section("turn", seats, "by seat, 1: is asked", lambda seen: _at(seen, seen.view["turn"])),
        Section("hand", seats, "by seat, cards ÷ 6, at most 10", _hands, CAP),
        Section("known", _CARDS * seats, "by seat, by card, the share of its copies", _known),
        Section("bid", _CARDS * seats, "by seat, by card, the share of its copies", _bids),
        Section("total", seats, "by seat, value of the bid ÷ 100, at most 10", _totals, CAP),
        Section("passed", seats, "by seat, 1: has passed", lambda seen: _flags(seen, "passed")),
        Section("done", seats, "by seat, 1: has finished laying", lambda seen: _flags(seen, "done")),
        Section("points", seats, "by seat ÷ 100, at most 10", _points, CAP),
        Section("full cellars", seats, "by seat ÷ 4, at most 10", _full_cellars, CAP),
        Section(
            "cellar", _CELLAR_SIZE * seats, "by seat, by cell: variety one-hot, stars ÷ 3, 1: empty bottle", _cellars
        ),
        Section(
            "trios",
            _CARDS * seats,
            "by seat, by card, the most points for trios that it would bring the open cellar now ÷ 4, at most 10",
            _trios,
            CAP,
        ),
    )


def _asked() -> tuple[Section, ...]:
    return (
        Section("decision", 2, "one-hot: bid, lay; all 0: not asked", _decision),
        Section("must lay", 1, "bottles ÷ 6, at most 10", _must_lay, CAP),
        Section("cards chosen", _CARDS, "so far, by card, the share of its copies", _chosen),
        Section(
            "trios of chosen",
            len(PLACES),
            "by cell, points for trios of a bottle to lay ÷ 4, at most 10",
            _trios_of_chosen,
            CAP,
        ),
    )


# --- the table ----------------------------------------------------------------------------------


def _capped(*numbers: float) -> list[float]:
    return [min(number, CAP) for number in numbers]


def _stage(stage: str | None) -> list[float]:
    return one_hot(None if stage is None else STAGES.index(stage), len(STAGES))


def _bottles(codes: list[str]) -> list[float]:
    return _SHARES.of(codes)


def _laid(seen: Seen) -> list[float]:
    """Return the laid bottles. A covered empty bottle is out of play and also counts as laid."""
    cells = [cell for player in seen.players for cellar in player["cellars"] for cell in cellar]
    return _bottles([code for cell in cells for code in (cell["card"], cell["under"]) if code])


# --- the players --------------------------------------------------------------------------------


def _at(seen: Seen, seat: int | None) -> list[float]:
    return one_hot(None if seat is None else seen.clockwise(seat), len(seen.players))


def _flags(seen: Seen, key: str) -> list[float]:
    return [float(player[key]) for player in seen.players]


def _hands(seen: Seen) -> list[float]:
    return _capped(*(player["hand"] / HAND_LIMIT for player in seen.players))


def _known(seen: Seen) -> list[float]:
    return [share for player in seen.players for share in _bottles(player["known"])]


def _bids(seen: Seen) -> list[float]:
    return [share for player in seen.players for share in _bottles(player["bid"])]


def _totals(seen: Seen) -> list[float]:
    return _capped(*((player["total"] or 0) / TENTHS_UNIT for player in seen.players))


def _points(seen: Seen) -> list[float]:
    return _capped(*(player["points"] / POINTS_UNIT for player in seen.players))


def _is_full(cellar: list[Document]) -> bool:
    return len(cellar) == BOTTLES and all(cell["card"] != EMPTY_CODE for cell in cellar)


def _full_cellars(seen: Seen) -> list[float]:
    return _capped(*(sum(map(_is_full, player["cellars"])) / CELLARS_UNIT for player in seen.players))


def _cellars(seen: Seen) -> list[float]:
    """Return the open cellar of every seat; a seat without one has only vacant cells."""
    numbers = [0.0] * (_CELLAR_SIZE * len(seen.players))
    for place, player in enumerate(seen.players):
        if player["cellars"] and not _is_full(player["cellars"][-1]):
            for cell in player["cellars"][-1]:
                start = _CELLAR_SIZE * place + _CELL_SIZE * _PLACE[cell_of(cell["level"], cell["x"])]
                numbers[start : start + _CELL_SIZE] = _CELL[cell["card"]]
    return numbers


def _open_cellar(player: Document) -> Cellar:
    """Return the cellar for the next bottle."""
    if not player["cellars"] or _is_full(player["cellars"][-1]):
        return NEW
    bottles = {cell_of(cell["level"], cell["x"]): NUMBERS[cell["card"]] for cell in player["cellars"][-1]}
    cells = [bottles.get(cell, VACANT) for cell in range(CELLS)]
    empties = tuple(sorted(cell for cell, card in bottles.items() if card == EMPTY))
    return Cellar(cells, outline_of(frozenset(bottles)), empties, ())


def _trios(seen: Seen) -> list[float]:
    numbers = []
    for player in seen.players:
        cellar, most = _open_cellar(player), [0] * _CARDS
        for cell in cellar.for_full:
            for card, points in cellar.bonuses(cell).items():
                most[card] = max(most[card], points)
        numbers += _capped(*(points / BONUS_UNIT for points in most))
    return numbers


# --- what this seat is asked --------------------------------------------------------------------


def _decision(seen: Seen) -> list[float]:
    return _stage(None if seen.decision is None else seen.decision["kind"])


def _must_lay(seen: Seen) -> list[float]:
    return _capped(0.0 if seen.decision is None else seen.decision.get("must_lay", 0) / HAND_LIMIT)


def _chosen(seen: Seen) -> list[float]:
    return _bottles(cards_chosen(seen.chosen))


def _trios_of_chosen(seen: Seen) -> list[float]:
    numbers = [0.0] * len(PLACES)
    if seen.decision is not None and seen.decision["kind"] == "lay" and len(seen.chosen) == 1:
        cellar = _open_cellar(seen.players[0])
        for card in map(NUMBERS.__getitem__, cards_chosen(seen.chosen)):
            for cell in cellar.cells_for(card):
                numbers[_PLACE[cell]] = min(cellar.bonus(card, cell) / BONUS_UNIT, CAP)
    return numbers
