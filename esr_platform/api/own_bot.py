"""A remote bot and its token, for the bot's own program."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots import remote
from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import BOT_NAMED, player_of
from esr_platform.api.http import JsonParser
from esr_platform.api.streams.presence import asked_of
from esr_platform.api.writing.documents import Sent, Whole, Word, tables
from esr_platform.api.writing.views import refusals
from ladder.matches import pauses
from ladder.members import memberships
from ladder.pages.remote_bots import answering

# --- The token -------------------------------------------------------------------------------------------------------


class TokenDocument(serializers.Serializer[Any]):
    """A token, as its bearer may know it. The secret itself is nowhere."""

    owner = serializers.CharField(help_text="user name")
    name = serializers.CharField(help_text="what its owner calls it")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.choices))
    bot = serializers.CharField(allow_null=True, help_text="the one remote bot that it plays; else any of its owner's")
    created = serializers.DateTimeField()
    expires = serializers.DateTimeField(allow_null=True)


class HasToken(BasePermission):
    """Lets in whoever has a token, whatever it may do."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        return isinstance(request.auth, Token)


class OwnToken(APIView):
    """At ``/api/v1/token``."""

    permission_classes = [HasToken]

    @extend_schema(operation_id="own_token", summary="What the token may do", responses=TokenDocument)
    def get(self, request: Request) -> Response:
        """The token with which it is asked."""
        token = request.auth
        assert isinstance(token, Token)
        return Response(
            {
                "owner": token.user.username,
                "name": token.name,
                "scopes": token.scopes,
                "bot": token.bot.slug if token.bot else None,
                "created": token.created,
                "expires": token.expires,
            },
            headers={"Cache-Control": "private, no-store"},
        )


# --- The bot ---------------------------------------------------------------------------------------------------------

_BOT = OpenApiParameter("bot", OpenApiTypes.STR, description=BOT_NAMED)


class DeclarationForm(Sent):
    """What the program declares; what is left out stays as it is."""

    games_at_once = Whole(
        required=False, min_value=0, max_value=remote.MOST_GAMES, help_text="0: no new games; those that run go on"
    )
    label = Word(  # type: ignore[assignment]
        required=False, max_length=remote.MOST_LABEL, help_text="the name of this state; a new one is a new version"
    )
    games = tables(required=False, help_text="seat counts by game")
    available = serializers.ChoiceField(
        choices=[True], required=False, help_text="true ends the leave that lost games have brought"
    )


class RunningGame(serializers.Serializer[Any]):
    game = serializers.IntegerField()
    decision = serializers.IntegerField(allow_null=True, help_text="the one that is owed now")


class OwnBotDocument(serializers.Serializer[Any]):
    """A remote bot for its own program. Times are of its last games, in ms."""

    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    games = serializers.DictField(help_text="the tables it plays: seat counts by game")
    games_at_once = serializers.IntegerField()
    here = serializers.BooleanField(help_text="whether it held a stream, or asked for a decision, a moment ago")
    available = serializers.BooleanField(help_text="whether it is given games: it is here, and nothing else is wrong")
    paused = serializers.DateTimeField(allow_null=True)
    pause_reason = serializers.CharField()
    running = RunningGame(many=True)
    answer_ms = serializers.IntegerField(allow_null=True, help_text="median, measured here; null without any")
    network_ms = serializers.IntegerField(allow_null=True, help_text="median of what its own thinking leaves of that")


class OwnBot(APIView):
    """At ``/api/v1/bot``."""

    scope = Scope.PLAY
    parser_classes = [JsonParser]

    @property
    def throttle_scope(self) -> str:
        """What is declared makes versions and moves memberships: nobody needs that as often as answers."""
        return "manage" if self.request.method == "PATCH" else "play"

    @extend_schema(
        operation_id="own_bot", summary="The remote bot of the token", parameters=[_BOT], responses=OwnBotDocument
    )
    def get(self, request: Request) -> Response:
        """What it declares, whether it is here, and what it plays."""
        return Response(_document(_bot(request)))

    @extend_schema(
        operation_id="declare",
        summary="Declare what a remote bot plays",
        parameters=[_BOT],
        request=DeclarationForm,
        responses=OwnBotDocument,
    )
    def patch(self, request: Request) -> Response:
        """Another label or other games are another version of it; it stands on ladders as its games say."""
        bot = _bot(request)
        form = DeclarationForm(data=request.data)
        form.is_valid(raise_exception=True)
        declared = dict(form.validated_data)
        if declared.pop("available", False):
            pauses.put_back(bot)
        with refusals():
            memberships.declare(bot, **declared)
        return Response(_document(_bot(request)))


def _bot(request: Request) -> Bot:
    token = request.auth
    assert isinstance(token, Token)
    return player_of(token, request.query_params.get("bot", ""))


def _document(bot: Bot) -> dict[str, Any]:
    version, lately = bot.active_version, answering(bot)
    running = asked_of([bot.pk]).get(bot.pk, {})
    return {
        "slug": bot.slug,
        "name": bot.name,
        "version": version.number if version else None,
        "label": version.label if version else "",
        "games": version.claims if version else {},
        "games_at_once": bot.remote.games_at_once,
        "here": remote.here().filter(pk=bot.pk).exists(),
        "available": remote.available().filter(pk=bot.pk).exists(),
        "paused": bot.paused,
        "pause_reason": bot.pause_reason,
        "running": [{"game": game, "decision": decision or None} for game, decision in sorted(running.items())],
        "answer_ms": lately.middle if lately.answers else None,
        "network_ms": lately.network,
    }
