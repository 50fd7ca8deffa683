"""Games and the JSON Schemas of their documents."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.documents import Document, about, operation
from esr_platform.api.resources.views import HEADERS, One, Reading, Whole
from games.registry import GAMES
from games.schemas import DOCUMENTS


class GameDocument(Document):
    """A game."""

    always = ("slug",)

    slug: Annotated[str, about("Slug, the name in URLs and documents.", "die-weinhaendler")]
    name: Annotated[str, about("Display name.", "Die Weinhändler")]
    rules: Annotated[str, about("Version of the rules.", "1")]
    seats: Annotated[list[int], about("Supported numbers of players.", [3, 4, 5])]
    scores: Annotated[list[str], about("Headings of the score columns, from left to right.", ["Points"])]
    documents: Annotated[list[str], about("Names of the documents with a JSON Schema.", ["record", "view"])]
    guide: Annotated[str, about("Rules for beginners in Markdown.", "# Die Weinhändler\n…")]


class Games(Whole):
    """Returns all games with their rules."""

    document = GameDocument

    @operation("games", "List games")
    def get(self, _request: Request) -> Response:
        return self.answer([_document(slug) for slug in GAMES])


class OneGame(One):
    """Returns one game with its rules."""

    document = GameDocument

    @operation("game", "Get a game")
    def get(self, _request: Request, slug: str) -> Response:
        if slug not in GAMES:
            raise Http404(f"Game not found. Known games: {', '.join(GAMES)}.")
        return self.answer(_document(slug))


class GameSchema(Reading):
    """Returns the JSON Schema (2020-12) of a game document: record, log, view, or a message of the bot protocol."""

    @operation(
        "game_schema",
        "Get the JSON Schema of a game document",
        example={"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
    )
    def get(self, _request: Request, slug: str, document: str) -> Response:
        if slug not in GAMES or document not in DOCUMENTS:
            raise Http404(
                f"Schema not found. Known games: {', '.join(GAMES)}. Known documents: {', '.join(DOCUMENTS)}."
            )
        return Response(GAMES[slug].schema(document), headers=HEADERS)


@cache
def _document(slug: str) -> GameDocument:
    game = GAMES[slug]
    return GameDocument(
        slug=slug,
        name=game.name,
        rules=game.rules.version,
        seats=list(game.seat_counts),
        scores=[column.heading for column in game.presentation.score_columns],
        documents=list(DOCUMENTS),
        guide=game.presentation.guide,
    )
