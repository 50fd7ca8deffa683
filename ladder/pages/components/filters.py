"""Filters, columns and order of a table in a URL, tabs, and lists in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.utils.translation import gettext, gettext_lazy

from games.registry import GAMES
from ladder.keyset import NEWEST, OLDEST, take
from ladder.models import Ladder
from ladder.pages.components.words import players_word, seats

# --- Tabs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tab:
    """One link; ``label`` is what it says where ``text`` alone would be too short."""

    text: str
    label: str
    address: str
    current: bool


@dataclass(frozen=True)
class Tabs:
    """Links that belong together, with what they have in common in front."""

    caption: str
    tabs: Sequence[Tab]


def ladder_tabs(ladders: Iterable[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> list[Tabs]:
    """Who plays, then of the ladders for the players of ``current`` a group a game, a link a number of seats.

    Without ``current`` the players are those of the first. Other ladders for so many are called by their names.
    """
    shown = list(ladders)
    players = next((one.players for one in (*([current] if current else ()), *shown)), "")
    groups: dict[str, list[Tab]] = {}
    said: set[tuple[str, int]] = set()
    for ladder in shown:
        if ladder.players == players:
            table = (ladder.game, ladder.seats)
            text = ladder.name if table in said else seats(ladder.seats)
            said.add(table)
            groups.setdefault(ladder.game, []).append(Tab(text, ladder.name, address(ladder), current == ladder))
    return [*_by_players(shown, current, address), *(Tabs(GAMES[game].name, tabs) for game, tabs in groups.items())]


def _by_players(shown: Sequence[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> Iterator[Tabs]:
    """The same table for other players, or their first one; nothing where all ladders are for the same."""
    table = (current.game, current.seats) if current else None
    its: dict[str, Ladder] = {}
    for ladder in sorted(shown, key=lambda one: (one != current, (one.game, one.seats) != table)):
        its.setdefault(ladder.players, ladder)
    if len(its) > 1:
        kinds = [kind for kind in Ladder.Players.values if kind in its]
        words = {kind: players_word(kind) for kind in kinds}
        yield Tabs(
            gettext("players"),
            [Tab(words[kind], words[kind], address(its[kind]), current == its[kind]) for kind in kinds],
        )


# --- Lists in parts --------------------------------------------------------------------------------------------------

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Part(Generic[Row]):
    """Some rows of a list, newest first. ``before`` is the cursor of the older ones, ``after`` of the newer ones."""

    rows: Sequence[Row]
    before: str | None
    after: str | None

    def __bool__(self) -> bool:
        return bool(self.rows)


def whole_number(text: str | None) -> int | None:
    """A whole number in a URL; ``None`` for anything else, so that the page shows its default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 15 else None


def part(rows: QuerySet[Row, Any], parameters: Callable[[str], str | None], size: int) -> Part[Row]:
    """The ``size`` rows below ``before`` or above ``after``, as the URL says; the newest otherwise."""
    texts = (parameters("before"), parameters("after"))
    before, after = (text if whole_number(text) is not None else None for text in texts)
    if after is not None and before is None:
        found, newer = take(rows, OLDEST, after, size)
        return Part(found[::-1], OLDEST.cursor(found[0]) if found else None, newer)
    found, older = take(rows, NEWEST, before, size)
    return Part(found, older, NEWEST.cursor(found[0]) if found and before is not None else None)


# --- Filters and order -----------------------------------------------------------------------------------------------

MOST_CHARACTERS: Final = 60
"""What is looked for has as many at most, as names have."""

Parameters = Callable[[str], str | None]
"""Gives a parameter of an address, ``None`` without it."""


@dataclass(frozen=True)
class Option:
    """One of the values of a choice; the empty one asks for nothing."""

    value: str
    text: Any
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """A name in the address and the values that it may have, the empty one first, with what they say."""

    name: str
    label: Any
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column by which a table can be put in order; ``falling``: the greatest first, unless asked the other way."""

    key: str
    text: Any
    falling: bool = True
    numeric: bool = True


@dataclass(frozen=True)
class Heading:
    """The head of a column: where its link leads, and the table's order by it, empty where it is another one."""

    column: Column
    address: str
    order: str


@dataclass(frozen=True)
class Asked:
    """The part of an address that is known here; what asks for nothing is left out.

    ``fixed`` are parameters that are no filter and yet have to stay, such as a season.
    """

    columns: Sequence[Column]
    choices: Sequence[Choice]
    values: Mapping[str, str]
    fixed: Mapping[str, str]

    @property
    def looked_for(self) -> str:
        """What a name has to contain."""
        return self.values.get("q", "")

    @property
    def column(self) -> Column:
        """The column that gives the order: the first one, unless another is asked for."""
        key = self.values.get("sort", "").removeprefix("-")
        return next((column for column in self.columns if column.key == key), self.columns[0])

    @property
    def turned(self) -> bool:
        """Whether the order is the unusual one of its column."""
        return self.values.get("sort", "").startswith("-")

    @property
    def falling(self) -> bool:
        """Whether the greatest comes first."""
        return self.column.falling != self.turned

    @property
    def filtered(self) -> bool:
        """Whether rows may be missing."""
        return bool(set(self.values) - {"sort"})

    @property
    def usual(self) -> bool:
        """Whether this is the table as it is without being asked for anything."""
        return not self.values

    @property
    def headings(self) -> list[Heading]:
        """The heads of all columns; a link to the order that is there turns it round."""
        return [self._heading(column) for column in self.columns]

    @property
    def head(self) -> dict[str, Heading]:
        """The heads by the keys of their columns."""
        return {heading.column.key: heading for heading in self.headings}

    @property
    def selects(self) -> list[tuple[Choice, list[Option]]]:
        """The choices with their options."""
        return [
            (choice, [Option(v, text, v == self.values.get(choice.name, "")) for v, text in choice.values.items()])
            for choice in self.choices
        ]

    @property
    def keep(self) -> str:
        """What the address of another page of the same table begins with."""
        asked = urlencode({**self.fixed, **self.values})
        return f"{asked}&" if asked else ""

    @property
    def plain_address(self) -> str:
        """The address of the whole table."""
        return self._address({})

    @property
    def hidden(self) -> dict[str, str]:
        """What a form has to send along that has no field for it."""
        shown = {"q", *(choice.name for choice in self.choices)}
        return {**self.fixed, **{name: value for name, value in self.values.items() if name not in shown}}

    def without(self, name: str) -> str:
        """The address without one of the filters."""
        return self._address({key: value for key, value in self.values.items() if key != name})

    def _heading(self, column: Column) -> Heading:
        here = column == self.column
        usual = "" if column == self.columns[0] else column.key
        sort = f"-{column.key}" if here and not self.turned else usual
        others = {name: value for name, value in self.values.items() if name != "sort"}
        order = ("descending" if self.falling else "ascending") if here else ""
        return Heading(column, self._address({**others, "sort": sort}), order)

    def _address(self, values: Mapping[str, str]) -> str:
        return "?" + urlencode({name: value for name, value in {**self.fixed, **values}.items() if value})


def asked_of(
    parameters: Parameters,
    columns: Sequence[Column],
    choices: Sequence[Choice] = (),
    words: Sequence[str] = ("q",),
    fixed: Mapping[str, str] | None = None,
) -> Asked:
    """What an address asks for. What it asks for and is not known is as if it had not been asked for.

    ``words`` are names of free texts.
    """
    values = {name: word(parameters(name)) for name in words}
    values |= {choice.name: _known(parameters(choice.name), choice.values) for choice in choices}
    values["sort"] = _known(parameters("sort"), [f"{sign}{column.key}" for column in columns for sign in ("", "-")])
    if values["sort"] == columns[0].key:
        values["sort"] = ""
    return Asked(columns, choices, {name: value for name, value in values.items() if value}, fixed or {})


OF: Final = Choice(
    "of",
    gettext_lazy("Whose bots"),
    {"": gettext_lazy("All owners"), "people": gettext_lazy("People’s bots"), "house": gettext_lazy("House bots")},
)
"""Whose bots a table shows."""


def word(text: str | None) -> str:
    """What somebody has typed, without what cannot be seen, and not longer than a name."""
    return " ".join("".join(char for char in text or "" if char.isprintable()).split())[:MOST_CHARACTERS]


def _known(text: str | None, known: Any) -> str:
    return text if text and text in known else ""
