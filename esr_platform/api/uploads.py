"""Uploading from programs: a new bot, a new version, and what became of it. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final, cast

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots import uploading
from bots.models import Bot, BotVersion
from esr_platform.accounts.models import Scope, User
from esr_platform.api import documents
from esr_platform.api.documents import (
    BotDocument,
    LimitsDocument,
    NewBotForm,
    ProblemDocument,
    UploadForm,
    VersionDocument,
)
from esr_platform.api.problems import Refusal

OUR_PAUSE_S: Final = 60
"""When to send again what we could not store."""

PROBLEMS: Final = {(code, "application/problem+json"): ProblemDocument for code in ("4XX", "5XX")}


class _Uploads(APIView):
    """What a token with the scope ``upload`` opens: its owner's bots, and nobody else's."""

    scope = Scope.UPLOAD

    @property
    def throttle_scope(self) -> str:
        return "upload" if self.request.method == "POST" else "read"


class NewBot(_Uploads):
    """At ``/api/v1/bots``."""

    @extend_schema(
        operation_id="upload_bot",
        summary="Upload a new bot",
        request={"multipart/form-data": NewBotForm},
        responses={201: VersionDocument, **PROBLEMS},
    )
    def post(self, request: Request) -> Response:
        form = NewBotForm(data=request.data)
        form.is_valid(raise_exception=True)
        sent = form.validated_data
        file, owner = sent["file"], cast("User", request.user)
        with _refusals():
            version = uploading.upload_new_bot(owner, sent["name"], file.name, file.read(), sent["games"])
        return _kept(version)


class NewVersion(_Uploads):
    """At ``/api/v1/bots/{slug}/versions``."""

    @extend_schema(
        operation_id="upload_version",
        summary="Upload a new version of a bot",
        request={"multipart/form-data": UploadForm},
        responses={201: VersionDocument, 200: VersionDocument, **PROBLEMS},
    )
    def post(self, request: Request, slug: str) -> Response:
        bot = _bot(request, slug)
        form = UploadForm(data=request.data)
        form.is_valid(raise_exception=True)
        sent = form.validated_data
        file = sent["file"]
        with _refusals():
            version = uploading.upload_version(bot, file.name, file.read(), sent["games"])
        return _kept(version)


class OneBot(_Uploads):
    """At ``/api/v1/bots/{slug}``."""

    @extend_schema(
        operation_id="bot", summary="One of your bots, with its versions", responses={200: BotDocument, **PROBLEMS}
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(BotDocument(_bot(request, slug)).data)


class OneVersion(_Uploads):
    """At ``/api/v1/bots/{slug}/versions/{number}``."""

    @extend_schema(
        operation_id="version",
        summary="A version: its state, why it was refused, what its check found",
        responses={200: VersionDocument, **PROBLEMS},
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        version = _bot(request, slug).versions.filter(number=number).first()
        if version is None:
            raise Http404(f"{slug} has no version {number}.")
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
    bot = Bot.objects.select_related("owner").filter(owner=cast("User", request.user), slug=slug).first()
    if bot is None:
        raise Http404(f"You have no bot at {slug}.")
    return bot


@contextmanager
def _refusals() -> Iterator[None]:
    """What an upload is refused for, as the status that belongs to it."""
    try:
        yield
    except uploading.TooMany as refusal:
        status = HTTPStatus.CONFLICT if refusal.retry_after_s is None else HTTPStatus.TOO_MANY_REQUESTS
        raise Refusal(status, "too_many", str(refusal), refusal.retry_after_s) from refusal
    except uploading.Refused as refusal:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", str(refusal)) from refusal
    except uploading.NotStored as failure:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", str(failure), OUR_PAUSE_S) from failure


def _kept(version: BotVersion) -> Response:
    """The version and its address; 201 for a new one, 200 where the same code had been uploaded before."""
    status = HTTPStatus.CREATED if version.uploads.count() == 1 else HTTPStatus.OK
    address = reverse("api:version", args=(version.bot.slug, version.number))
    return Response(VersionDocument(version).data, status, headers={"Location": address})
