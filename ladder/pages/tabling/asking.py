"""What an address asks of a table, and the addresses that ask for a bit more or less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

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


OF: Final = Choice("of", _("Whose bots"), {"": _("All owners"), "people": _("People’s bots"), "house": _("House bots")})
"""Whose bots a table shows."""


def word(text: str | None) -> str:
    """What somebody has typed, without what cannot be seen, and not longer than a name."""
    return " ".join("".join(char for char in text or "" if char.isprintable()).split())[:MOST_CHARACTERS]


def _known(text: str | None, known: Any) -> str:
    return text if text and text in known else ""
