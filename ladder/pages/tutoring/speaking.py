"""The sentences of a tutorial in the reader's language, with its tokens drawn."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from games.base import Game
from games.tutoring import Grid, Sentence, Term, Value
from ladder.pages.markup import drawn


def spoken(sentence: Sentence, game: Game) -> SafeString:
    """One sentence."""
    text = gettext(sentence.text)
    values = {name: _said(value) for name, value in sentence.values.items()}
    return drawn(text % values if values else text, game)


def _said(value: Value) -> int | str:
    if isinstance(value, tuple):
        return " · ".join(gettext(term) for term in value)
    return gettext(value) if isinstance(value, Term) else value


def spoken_grid(grid: Grid, game: Game) -> tuple[list[SafeString], list[list[SafeString]]]:
    """The heads and the rows of a table."""
    heads = [spoken(head, game) for head in grid.heads]
    return heads, [[spoken(cell, game) for cell in row] for row in grid.rows]
