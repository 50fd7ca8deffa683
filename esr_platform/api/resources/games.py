"""The games that can be played here, and what their documents look like. No query."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.resources.documents import GameDocument
from esr_platform.api.resources.views import HEADERS, One, Reading, Whole
from games.registry import GAMES
from games.schemas import DOCUMENTS


class Games(Whole):
    """All games."""

    document = GameDocument
    always = ("slug",)

    @extend_schema(operation_id="games", summary="Games")
    def get(self, _request: Request) -> Response:
        return self.answer([_document(slug) for slug in GAMES])


class OneGame(One):
    """One game, with its guide."""

    document = GameDocument
    always = ("slug",)

    @extend_schema(operation_id="game", summary="A game")
    def get(self, _request: Request, slug: str) -> Response:
        if slug not in GAMES:
            raise Http404(f"No game is called {slug}.")
        return self.answer(_document(slug))


class GameSchema(Reading):
    """JSON Schema (2020-12) of a document of a game: its records, logs, views, and what a bot is told and answers."""

    @extend_schema(operation_id="game_schema", summary="What a document of a game looks like", responses=dict[str, Any])
    def get(self, _request: Request, slug: str, document: str) -> Response:
        if slug not in GAMES or document not in DOCUMENTS:
            known = f"games are {', '.join(GAMES)}, documents {', '.join(DOCUMENTS)}"
            raise Http404(f"There is no schema of {document} for {slug}: {known}.")
        return Response(GAMES[slug].schema(document), headers=HEADERS)


@cache
def _document(slug: str) -> dict[str, Any]:
    game = GAMES[slug]
    return {
        "slug": slug,
        "name": game.name,
        "rules": game.rules.version,
        "seats": list(game.seat_counts),
        "scores": [column.heading for column in game.presentation.score_columns],
        "documents": list(DOCUMENTS),
        "guide": game.presentation.guide,
    }
