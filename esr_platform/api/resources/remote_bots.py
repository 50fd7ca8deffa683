"""The token of a request, and the remote bot that plays with it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots import remote
from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import BOT_PARAMETER, player_of
from esr_platform.api.documents import Document, Form, Moment, about, operation, read_body
from esr_platform.api.endpoint import Endpoint
from esr_platform.api.http import JsonParser, refusals
from esr_platform.api.resources.uploads import Formats, Label
from esr_platform.api.resources.views import token_of
from esr_platform.api.streams.presence import asked_of
from ladder.live.answer_times import answer_times, latest_decisions
from ladder.matches import pauses
from ladder.members import memberships

# --- The token -------------------------------------------------------------------------------------------------------


class TokenDocument(Document):
    """A token without its secret."""

    owner: Annotated[str, about("Username of the owner.", "miriam")]
    name: Annotated[str, about("Name of the token.", "laptop")]
    scopes: Annotated[
        list[Annotated[str, Meta(extra_json_schema={"enum": Scope.values})]],
        about("Scopes of the token.", ["play", "read"]),
    ]
    bot: Annotated[
        str | None, about("Slug of the remote bot to which the token belongs; null if it belongs to the account.", None)
    ]
    created: Annotated[Moment, about("Time of creation.")]
    expires: Annotated[Moment | None, about("Time at which the token expires, or null.", None)]


class HasToken(BasePermission):
    """Allow all valid tokens, whatever their scopes are."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        return isinstance(request.auth, Token)


class OwnToken(Endpoint):
    """At ``/api/v1/token``."""

    permission_classes = [HasToken]

    @operation("own_token", "Get your token", TokenDocument)
    def get(self, request: Request) -> Response:
        """Returns the scopes, owner and expiry of the token that you use."""
        token = token_of(request)
        document = TokenDocument(
            owner=token.user.username,
            name=token.name,
            scopes=token.scopes,
            bot=token.bot.slug if token.bot else None,
            created=token.created,
            expires=token.expires,
        )
        return Response(document, headers={"Cache-Control": "private, no-store"})


# --- The bot ---------------------------------------------------------------------------------------------------------


class DeclarationForm(Form):
    """Changes to a remote bot. Fields that are not sent do not change."""

    games_at_once: (
        Annotated[int, about("Maximum number of simultaneous games. 0 stops new games.", 4, ge=0, le=remote.MOST_GAMES)]
        | UnsetType
    ) = UNSET
    label: Label | UnsetType = UNSET
    games: Annotated[
        Formats | UnsetType, about("Supported formats: seat counts by game.", {"edel-stein-reich": [4]})
    ] = UNSET
    available: Annotated[
        bool | UnsetType,
        about("`true` resumes a bot that was paused after lost games.", True, extra_json_schema={"const": True}),
    ] = UNSET


class RunningGame(Document):
    """A running game of a remote bot."""

    game: Annotated[int, about("Id of the match.", 4711)]
    decision: Annotated[int | None, about("Number of the open decision, or null.", 3)]


class OwnBotDocument(Document):
    """The state of a remote bot. Times are medians over the latest games, in ms."""

    slug: Annotated[str, about("Slug, the name in URLs.", "garnet")]
    name: Annotated[str, about("Display name.", "Garnet")]
    version: Annotated[int | None, about("Number of the active version, or null.", 2)]
    label: Annotated[str, about("Label of the active version, or empty.", "epoch-40")]
    games: Annotated[dict[str, Any], about("Supported formats: seat counts by game.", {"edel-stein-reich": [4]})]
    games_at_once: Annotated[int, about("Maximum number of simultaneous games.", 4)]
    here: Annotated[bool, about("Whether the bot is online: it has an open stream, or polled recently.", True)]
    available: Annotated[bool, about("Whether the bot gets new games.", True)]
    paused: Annotated[Moment | None, about("Time at which the bot was paused, or null.", None)]
    pause_reason: Annotated[str, about("Reason for the pause, or empty.", "")]
    running: Annotated[list[RunningGame], about("Running games of the bot.")]
    answer_ms: Annotated[int | None, about("Response time as measured by the site; null without answers.", 812)]
    network_ms: Annotated[int | None, about("Network share of the response time; null if unknown.", 31)]


class OwnBotView(Endpoint):
    """At ``/api/v1/bot``."""

    scope = Scope.PLAY
    parser_classes = [JsonParser]

    @property
    def throttle_scope(self) -> str:
        """Changes can create versions and memberships, so they are counted separately from answers."""
        return "manage" if self.request.method == "PATCH" else "play"

    @operation("own_bot", "Get the state of a remote bot", OwnBotDocument, query=(BOT_PARAMETER,))
    def get(self, request: Request) -> Response:
        """Returns the formats of the bot, whether it is online, and its running games."""
        return Response(_document(_bot(request)))

    @operation("declare", "Change a remote bot", OwnBotDocument, body=DeclarationForm, query=(BOT_PARAMETER,))
    def patch(self, request: Request) -> Response:
        """Changes the number of simultaneous games, the label or the formats, or resumes a paused bot.

        A new label or new formats create a new version. The bot joins and leaves ladders to match its formats.
        """
        bot = _bot(request)
        form = read_body(request.data, DeclarationForm)
        if form.available is False:
            raise ValidationError({"available": ["Must be true. Omit the field if you do not want to resume the bot."]})
        if form.available is True:
            pauses.resume(bot)
        with refusals():
            memberships.declare(
                bot,
                label=None if form.label is UNSET else form.label,
                formats=None if form.games is UNSET else form.games,
                games_at_once=None if form.games_at_once is UNSET else form.games_at_once,
            )
        return Response(_document(_bot(request)))


def _bot(request: Request) -> Bot:
    return player_of(token_of(request), request.query_params.get("bot", ""))


def _document(bot: Bot) -> OwnBotDocument:
    version, times = bot.active_version, answer_times(latest_decisions(bot))
    running = asked_of([bot.pk]).get(bot.pk, {})
    return OwnBotDocument(
        slug=bot.slug,
        name=bot.name,
        version=version.number if version else None,
        label=version.label if version else "",
        games=version.formats if version else {},
        games_at_once=bot.remote.games_at_once,
        here=remote.here().filter(pk=bot.pk).exists(),
        available=remote.available().filter(pk=bot.pk).exists(),
        paused=bot.paused,
        pause_reason=bot.pause_reason,
        running=[RunningGame(game=game, decision=decision or None) for game, decision in sorted(running.items())],
        answer_ms=times.middle if times.answers else None,
        network_ms=times.network,
    )
