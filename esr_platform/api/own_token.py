"""What a token says of itself: whose it is, and what it may do. A program asks it before it relies on it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from esr_platform.accounts.models import Scope, Token


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
