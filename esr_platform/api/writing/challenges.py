"""Casual live games that somebody proposes: made, answered, withdrawn. Parse, one call, answer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import BOT_NAMED, player_of
from esr_platform.api.http import Refusal
from esr_platform.api.writing.documents import Name, Sent
from esr_platform.api.writing.views import Writing, person_of, refusals
from ladder.access import bot_seen_by, ladder_seen_by
from ladder.matchmaking.challenges import answer, challenge, challenges_seen_by, documents, withdraw
from ladder.models import Challenge

LISTED: Final = 100
_BOT: Final = OpenApiParameter("bot", OpenApiTypes.STR, description=BOT_NAMED)


class ChallengeForm(Sent):
    """Who is to sit at the table. One of the bots is yours, and one at least is a remote one."""

    ladder = Name(help_text="of live games: its limits hold, its ratings stay")
    bots = serializers.ListField(child=Name(), min_length=2, max_length=5, help_text="by seat, by their address names")


class ChallengedDocument(serializers.Serializer[Any]):
    bot = serializers.CharField()
    name = serializers.CharField()
    owner = serializers.CharField(allow_null=True)
    accepted = serializers.BooleanField(allow_null=True, help_text="null until somebody has said it")


class ChallengeDocument(serializers.Serializer[Any]):
    """A game that somebody proposes. It begins once every player has accepted: then ``match`` is that game."""

    id = serializers.IntegerField()
    ladder = serializers.CharField()
    game = serializers.CharField()
    seats = serializers.IntegerField()
    by = serializers.CharField(help_text="user name")
    state = serializers.ChoiceField(choices=Challenge.State.values)
    players = ChallengedDocument(many=True, help_text="by seat")
    rated = serializers.BooleanField(help_text="only with people at the table, who propose such games on the site")
    limits = serializers.DictField(child=serializers.IntegerField(), help_text="milliseconds and MiB")
    expires = serializers.DateTimeField(help_text="until then it can be accepted")
    match = serializers.IntegerField(allow_null=True)


class OpenChallenges(serializers.Serializer[Any]):
    results = ChallengeDocument(many=True)


class _Challenging(Writing):
    """What a token that may play does with challenges; one of a bot with those of this bot alone."""

    scope = Scope.PLAY

    @property
    def throttle_scope(self) -> str:
        return "play"

    @property
    def seen(self) -> QuerySet[Challenge]:
        """The challenges that the token may know of."""
        token = _token(self.request)
        mine = challenges_seen_by(token.user)
        return mine if token.bot_id is None else mine.filter(players__bot=token.bot_id)

    def found(self, challenge_id: int) -> Challenge:
        """The challenge at an address. Raises ``Http404``."""
        made = self.seen.filter(pk=challenge_id).first()
        if made is None:
            raise Http404(f"No challenge {challenge_id} was made by you, or to a bot of yours.")
        return made


class Challenges(_Challenging):
    """At ``/api/v1/challenges``."""

    @extend_schema(operation_id="challenges", summary="Open challenges of yours", responses={200: OpenChallenges})
    def get(self, _request: Request) -> Response:
        """Those that you have made and those that were made to your bots, the newest first."""
        still_open = self.seen.filter(state=Challenge.State.OPEN).order_by("-pk")
        return Response({"results": documents(still_open[:LISTED])})

    @extend_schema(
        operation_id="challenge",
        summary="Challenge somebody",
        request=ChallengeForm,
        responses={201: ChallengeDocument},
    )
    def post(self, request: Request) -> Response:
        """Propose a casual game of these bots, seated as given. Other people's remote bots are asked, and must be here.

        The same proposal while the first is open is that one.
        """
        form = ChallengeForm(data=request.data)
        form.is_valid(raise_exception=True)
        person, token = person_of(request), _token(request)
        ladder = ladder_seen_by(person, form.validated_data["ladder"])
        bots = [_bot(token, slug) for slug in form.validated_data["bots"]]
        if token.bot_id is not None and token.bot_id not in {bot.pk for bot in bots}:
            raise PermissionDenied("A token of a bot makes challenges in which this bot plays.")
        if any(bot.kind == Bot.Kind.PERSON and bot.owner_id == person.pk for bot in bots):
            raise PermissionDenied("A program seats nobody themselves. Challenge them on the site, signed in.")
        with refusals():
            made = challenge(person, ladder, bots)
        address = {"Location": reverse("api:challenge", args=(made.pk,))}
        return Response(documents([made])[0], HTTPStatus.CREATED, headers=address)


class OneChallenge(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}``."""

    @extend_schema(operation_id="challenge_state", summary="A challenge", responses={200: ChallengeDocument})
    def get(self, _request: Request, challenge_id: int) -> Response:
        return Response(documents([self.found(challenge_id)])[0])


class Acceptance(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/accept``."""

    accepted = True

    @extend_schema(
        operation_id="accept_challenge",
        summary="Accept a challenge",
        request=None,
        parameters=[_BOT],
        responses={200: ChallengeDocument},
    )
    def post(self, request: Request, challenge_id: int) -> Response:
        """For a bot of yours that was asked. The last to accept begins the game; twice is once."""
        return self.answered(request, challenge_id)

    def answered(self, request: Request, challenge_id: int) -> Response:
        """What the bot of the request says, and what became of it."""
        made = self.found(challenge_id)
        bot = player_of(_token(request), request.query_params.get("bot", ""))
        with refusals():
            return Response(documents([answer(made, bot, self.accepted)])[0])


class Refusing(Acceptance):
    """At ``/api/v1/challenges/{challenge_id}/decline``."""

    accepted = False

    @extend_schema(
        operation_id="decline_challenge",
        summary="Decline a challenge",
        request=None,
        parameters=[_BOT],
        responses={200: ChallengeDocument},
    )
    def post(self, request: Request, challenge_id: int) -> Response:
        """For a bot of yours that was asked: the game will not be played. Twice is once."""
        return self.answered(request, challenge_id)


class Withdrawal(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/withdraw``."""

    @extend_schema(
        operation_id="withdraw_challenge",
        summary="Withdraw a challenge",
        request=None,
        responses={200: ChallengeDocument},
    )
    def post(self, request: Request, challenge_id: int) -> Response:
        """One that you have made, as long as it is open. Twice is once."""
        with refusals():
            return Response(documents([withdraw(self.found(challenge_id), person_of(request))])[0])


def _token(request: Request) -> Token:
    assert isinstance(request.auth, Token)
    return request.auth


def _bot(token: Token, slug: str) -> Bot:
    try:
        return bot_seen_by(token.user, slug)
    except Http404:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", f"No bot is called {slug}.") from None
