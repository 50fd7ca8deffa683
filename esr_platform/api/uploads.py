"""Bringing bots from programs: code, or remote ones, and which version plays. Parse, one call, answer."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Final, cast

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.models import Bot, BotVersion
from bots.uploads import upload
from esr_platform.accounts.models import Scope, User
from esr_platform.api import documents
from esr_platform.api.documents import (
    LimitsDocument,
    NewBotForm,
    ProblemDocument,
    UploadForm,
    VersionDocument,
)
from esr_platform.api.http import JsonParser
from esr_platform.api.resources.bots import Bots, Versions
from esr_platform.api.resources.views import Reading
from esr_platform.api.writing.documents import LabelForm, RemoteBotForm
from esr_platform.api.writing.views import refusals
from ladder.members import memberships
from ladder.members.memberships import activate

PROBLEMS: Final = {(code, "application/problem+json"): ProblemDocument for code in ("4XX", "5XX")}


class _Uploads(Reading):
    """Everybody reads; a token with the scope ``upload`` brings its owner's bots, and nobody else's.

    Code comes as a form, and JSON is of a remote bot, of which there is no code.
    """

    scope = Scope.UPLOAD
    parser_classes = [MultiPartParser, JsonParser]

    @property
    def throttle_scope(self) -> str:
        return "upload" if self.request.method == "POST" else "read"


class NewBot(_Uploads, Bots):
    """At ``/api/v1/bots``, where everybody's are read as well."""

    @extend_schema(
        operation_id="upload_bot",
        summary="Upload a new bot, or register a remote one",
        request={"multipart/form-data": NewBotForm, "application/json": RemoteBotForm},
        responses={201: VersionDocument, 200: VersionDocument, **PROBLEMS},
    )
    def post(self, request: Request) -> Response:
        """A form with a file is a bot that runs here; JSON is one whose program runs elsewhere. Sent twice, it is one.

        A remote bot stands on the ladders for remote players whose tables it claims at once, and plays when it is here.
        """
        began, owner = timezone.now(), cast("User", request.user)
        form = (RemoteBotForm if _is_json(request) else NewBotForm)(data=request.data)
        form.is_valid(raise_exception=True)
        sent = form.validated_data
        with refusals():
            if _is_json(request):
                its = (sent["name"], sent["games"], sent["label"], sent["games_at_once"])
                return _named(memberships.register(owner, *its), began)
            file = sent["file"]
            return _kept(upload.upload_new_bot(owner, sent["name"], file.name, file.read(), sent["games"]))


class NewVersion(_Uploads, Versions):
    """At ``/api/v1/bots/{slug}/versions``, where they are read as well."""

    @extend_schema(
        operation_id="upload_version",
        summary="Upload a new version of a bot, or name one of a remote bot",
        request={"multipart/form-data": UploadForm, "application/json": LabelForm},
        responses={201: VersionDocument, 200: VersionDocument, **PROBLEMS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """What there was before, the same code or the same label, is the version that it was."""
        began, bot = timezone.now(), _bot(request, slug)
        form = (LabelForm if _is_json(request) else UploadForm)(data=request.data)
        form.is_valid(raise_exception=True)
        sent = form.validated_data
        with refusals():
            if _is_json(request):
                version = memberships.declare(bot, label=sent["label"], games=sent["games"])
                assert version is not None
                return _named(version, began)
            file = sent["file"]
            return _kept(upload.upload_version(bot, file.name, file.read(), sent["games"]))


class Activation(APIView):
    """At ``/api/v1/bots/{slug}/versions/{number}/activate``."""

    scope = Scope.MANAGE
    throttle_scope = "manage"

    @extend_schema(
        operation_id="activate_version",
        summary="Let a version play",
        request=None,
        responses={200: VersionDocument, **PROBLEMS},
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """New games are given this version, however old it is; those that have begun go on as they are."""
        version = _bot(request, slug).versions.filter(number=number).first()
        if version is None:
            raise Http404(f"{slug} has no version {number}.")
        with refusals():
            activate(version)
        return Response(VersionDocument(version).data)


class Limits(APIView):
    """At ``/api/v1/uploads/limits``."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="limits",
        summary="What may be uploaded, and in which languages",
        responses={200: LimitsDocument, **PROBLEMS},
    )
    def get(self, _request: Request) -> Response:
        return Response(documents.limits())


def _bot(request: Request, slug: str) -> Bot:
    """The owner's bot at an address. Other people's are not told from those that are not there."""
    bot = Bot.objects.of_code().select_related("owner").filter(owner=cast("User", request.user), slug=slug).first()
    if bot is None:
        raise Http404(f"You have no bot at {slug}.")
    return bot


def _kept(version: BotVersion) -> Response:
    """The version and its address; 201 for a new one, 200 where the same code had been uploaded before."""
    status = HTTPStatus.CREATED if version.uploads.count() == 1 else HTTPStatus.OK
    return _at_its_address(version, status)


def _named(version: BotVersion, began: datetime) -> Response:
    """The same of a remote bot's version, which was there before if it is older than the request."""
    return _at_its_address(version, HTTPStatus.CREATED if version.created >= began else HTTPStatus.OK)


def _at_its_address(version: BotVersion, status: HTTPStatus) -> Response:
    address = reverse("api:version", args=(version.bot.slug, version.number))
    return Response(VersionDocument(version).data, status, headers={"Location": address})


def _is_json(request: Request) -> bool:
    return str(request.content_type).partition(";")[0].strip().lower() == JsonParser.media_type
