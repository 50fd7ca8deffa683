"""Tabs, paginated lists, and table filters and sorting in the query string."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import CombinedExpression, OrderBy
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from games.registry import GAMES
from ladder.keyset import NEWEST, OLDEST, take
from ladder.models import Ladder
from ladder.pages.components.words import players_word, seats

# --- Tabs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tab:
    """One link; ``label`` is its accessible name if ``text`` alone is too short."""

    text: str
    label: str
    address: str
    current: bool


@dataclass(frozen=True)
class Tabs:
    """A group of links with a caption."""

    caption: str
    tabs: Sequence[Tab]


def ladder_tabs(ladders: Iterable[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> list[Tabs]:
    """Tabs for the kinds of players, then one group per game with one link per ladder.

    Only ladders for the same kind of players as ``current`` are listed (without ``current``: as the first ladder).
    A number alone is the number of players; further ladders of the same format are shown with their names.
    """
    shown = list(ladders)
    players = next((ladder.players for ladder in (*([current] if current else ()), *shown)), "")
    groups: dict[str, list[Tab]] = {}
    labeled: set[tuple[str, int]] = set()
    for ladder in shown:
        if ladder.players == players:
            table = (ladder.game, ladder.seats)
            tabs = groups.setdefault(ladder.game, [])
            text = ladder.name if table in labeled else str(ladder.seats) if tabs else seats(ladder.seats)
            labeled.add(table)
            tabs.append(Tab(text, ladder.name, address(ladder), current == ladder))
    return [*_by_players(shown, current, address), *(Tabs(GAMES[game].name, tabs) for game, tabs in groups.items())]


def _by_players(shown: Sequence[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> Iterator[Tabs]:
    """Tabs for the kinds of players: the ladder of the same format, else the first; empty if there is one kind."""
    table = (current.game, current.seats) if current else None
    by_kind: dict[str, Ladder] = {}
    for ladder in sorted(shown, key=lambda ladder: (ladder != current, (ladder.game, ladder.seats) != table)):
        by_kind.setdefault(ladder.players, ladder)
    if len(by_kind) > 1:
        kinds = [kind for kind in Ladder.Players.values if kind in by_kind]
        words = {kind: capfirst(players_word(kind)) for kind in kinds}
        yield Tabs(
            gettext("Players"),
            [Tab(words[kind], words[kind], address(by_kind[kind]), current == by_kind[kind]) for kind in kinds],
        )


# --- Paginated lists -------------------------------------------------------------------------------------------------

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class KeysetPage(Generic[Row]):
    """A page of a list, newest rows first. ``before`` is the cursor of older rows, ``after`` of newer rows."""

    rows: Sequence[Row]
    before: str | None
    after: str | None

    def __bool__(self) -> bool:
        return bool(self.rows)


def whole_number(text: str | None) -> int | None:
    """The whole number in a query parameter; ``None`` for anything else, so that the page shows its default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 15 else None


def paginate(rows: QuerySet[Row, Any], parameters: Callable[[str], str | None], size: int) -> KeysetPage[Row]:
    """The ``size`` rows below ``before`` or above ``after`` of the query string; by default the newest."""
    texts = (parameters("before"), parameters("after"))
    before, after = (text if whole_number(text) is not None else None for text in texts)
    if after is not None and before is None:
        part, newer = take(rows, OLDEST, after, size)
        return KeysetPage(part[::-1], OLDEST.cursor(part[0]) if part else None, newer)
    part, older = take(rows, NEWEST, before, size)
    return KeysetPage(part, older, NEWEST.cursor(part[0]) if part and before is not None else None)


# --- Filters and order -----------------------------------------------------------------------------------------------

MOST_CHARACTERS: Final = 60
"""The maximum length of a search text, as of a name."""

Parameters = Callable[[str], str | None]
"""Returns a query parameter, or ``None``."""


@dataclass(frozen=True)
class Option:
    """One value of a filter; the empty value does not filter."""

    value: str
    text: Any
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """A filter: a query parameter with its possible values and their labels, the empty value first."""

    name: str
    label: Any
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A sortable column; ``falling``: descending by default."""

    key: str
    text: Any
    falling: bool = True
    numeric: bool = True


@dataclass(frozen=True)
class ColumnHeading:
    """The head of a column: its link, and ``ascending``, ``descending`` or nothing as the current order."""

    column: Column
    address: str
    order: str


Fields = Mapping[str, str | CombinedExpression]
"""The field or expression by which each column sorts, by its key."""


@dataclass(frozen=True)
class TableQuery:
    """The known query parameters of a table, without empty values.

    ``fixed`` are parameters that are not filters but must be kept, such as a season.
    """

    columns: Sequence[Column]
    choices: Sequence[Choice]
    values: Mapping[str, str]
    fixed: Mapping[str, str]

    @property
    def looked_for(self) -> str:
        """The search text."""
        return self.values.get("q", "")

    def search(self, rows: QuerySet[Any, Any], bot: str = "") -> Any:
        """The ``rows`` whose bot, at the path ``bot``, or its owner has the search text in its name."""
        text = self.looked_for
        named = Q(**{f"{bot}name__icontains": text}) | Q(**{f"{bot}owner__username__icontains": text})
        return rows.filter(named) if text else rows

    def order(self, fields: Fields) -> OrderBy:
        """The order by the field of the current column. If that is an expression, missing values come last."""
        field = fields[self.column.key]
        last = None if isinstance(field, str) else True
        return OrderBy(F(field) if isinstance(field, str) else field, descending=self.falling, nulls_last=last)

    @property
    def column(self) -> Column:
        """The column by which the table is sorted: by default the first. Only for tables with columns."""
        key = self.values.get("sort", "").removeprefix("-")
        return next((column for column in self.columns if column.key == key), self.columns[0])

    @property
    def turned(self) -> bool:
        """Whether the order is the reverse of the column's default."""
        return self.values.get("sort", "").startswith("-")

    @property
    def falling(self) -> bool:
        """Whether the order is descending."""
        return self.column.falling != self.turned

    @property
    def filtered(self) -> bool:
        """Whether a filter may hide rows."""
        return bool(set(self.values) - {"sort"})

    @property
    def usual(self) -> bool:
        """Whether the table has its default filters and order."""
        return not self.values

    @property
    def headings(self) -> list[ColumnHeading]:
        """The heads of all columns; the link of the current column reverses the order."""
        return [self._heading(column) for column in self.columns]

    @property
    def head(self) -> dict[str, ColumnHeading]:
        """The heads by the keys of their columns."""
        return {heading.column.key: heading for heading in self.headings}

    @property
    def active(self) -> int:
        """The number of filters that are set besides the search text."""
        return len(set(self.values) - {"q", "sort"})

    @property
    def orders(self) -> list[Option]:
        """The options of the field that sorts: each column in its default order, the current one as it is."""
        return [self._order(column) for column in self.columns] if len(self.columns) > 1 else []

    @property
    def selects(self) -> list[tuple[Choice, list[Option]]]:
        """The choices with their options."""
        return [
            (choice, [Option(v, text, v == self.values.get(choice.name, "")) for v, text in choice.values.items()])
            for choice in self.choices
        ]

    @property
    def keep(self) -> str:
        """The beginning of the query string of another page of the same table."""
        asked = urlencode({**self.fixed, **self.values})
        return f"{asked}&" if asked else ""

    @property
    def plain_address(self) -> str:
        """The URL of the table without filters."""
        return self._address({})

    @property
    def hidden(self) -> dict[str, str]:
        """The parameters that the form sends in hidden fields."""
        shown = {"q", "sort", *(choice.name for choice in self.choices)}
        return {**self.fixed, **{name: value for name, value in self.values.items() if name not in shown}}

    def without(self, *names: str) -> str:
        """The URL without some of the filters."""
        return self._address({key: value for key, value in self.values.items() if key not in names})

    def _order(self, column: Column) -> Option:
        here = column == self.column
        return Option(self.values.get("sort", "") if here else self._usual(column), column.text, here)

    def _usual(self, column: Column) -> str:
        return "" if column == self.columns[0] else column.key

    def _heading(self, column: Column) -> ColumnHeading:
        here = column == self.column
        sort = f"-{column.key}" if here and not self.turned else self._usual(column)
        others = {name: value for name, value in self.values.items() if name != "sort"}
        order = ("descending" if self.falling else "ascending") if here else ""
        return ColumnHeading(column, self._address({**others, "sort": sort}), order)

    def _address(self, values: Mapping[str, str]) -> str:
        return "?" + urlencode({name: value for name, value in {**self.fixed, **values}.items() if value})


def table_query(
    parameters: Parameters,
    columns: Sequence[Column],
    choices: Sequence[Choice] = (),
    words: Sequence[str] = ("q",),
    fixed: Mapping[str, str] | None = None,
) -> TableQuery:
    """Read the query string of a table. Unknown parameters and values are ignored.

    ``words`` are the names of free-text parameters.
    """
    values = {name: word(parameters(name)) for name in words}
    values |= {choice.name: _known(parameters(choice.name), choice.values) for choice in choices}
    values["sort"] = _known(parameters("sort"), [f"{sign}{column.key}" for column in columns for sign in ("", "-")])
    if columns and values["sort"] == columns[0].key:
        values["sort"] = ""
    return TableQuery(columns, choices, {name: value for name, value in values.items() if value}, fixed or {})


OF: Final = Choice(
    "of",
    gettext_lazy("Owner"),
    {"": gettext_lazy("All owners"), "people": gettext_lazy("Users' bots"), "house": gettext_lazy("House bots")},
)
"""The owners of the listed bots."""


def word(text: str | None) -> str:
    """Clean a search text: without invisible characters and not longer than a name."""
    return " ".join("".join(char for char in text or "" if char.isprintable()).split())[:MOST_CHARACTERS]


def _known(text: str | None, known: Any) -> str:
    return text if text and text in known else ""
