"""Base classes of the views: documents with selected fields, paginated lists, and requests that change data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Final, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from msgspec import Struct
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import HasScope, viewer
from esr_platform.api.documents import Document
from esr_platform.api.endpoint import Endpoint
from esr_platform.api.http import JsonParser
from esr_platform.api.parameters import Asked, ChoiceParameter, Names, Number, Parameter, Text, read
from ladder import keyset
from ladder.keyset import Order, take

ITEMS_PER_PAGE: Final = 50
MOST_ITEMS: Final = 200
HEADERS: Final = {"Cache-Control": "private, no-cache"}
"""Clients can store the response but must revalidate it by its ``ETag``. Shared caches must not store it."""


class ReadByEverybody(HasScope):
    """Allow everyone to read. Other methods need the scope of the view, see ``HasScope``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        if not hasattr(view, str(request.method).lower()):
            raise MethodNotAllowed(str(request.method))
        return super().has_permission(request, view)


class Reading(Endpoint):
    """A public endpoint with the query parameters ``parameters``."""

    permission_classes = [ReadByEverybody]
    parameters: ClassVar[Sequence[Parameter]] = ()

    @property
    def viewer(self) -> User | AnonymousUser:
        """User whose private ladders and bots are visible."""
        return viewer(self.request)

    @cached_property
    def asked(self) -> Asked:
        """Values of the query parameters. Raises ``ValidationError``."""
        return read(self.request.query_params, self.all_parameters())

    @classmethod
    @cache
    def all_parameters(cls) -> Sequence[Parameter]:
        """Return all parameters of the endpoint."""
        return (*cls.parameters, *cls.kind_parameters())

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        """Return the parameters that all endpoints of this kind have."""
        return ()


class Described(Reading):
    """An endpoint that returns documents of the struct ``document``. ``?fields=`` selects their fields."""

    document: ClassVar[type[Document]]

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        words, always = cls.document.__struct_fields__, cls.document.always
        return (Names("fields", "Fields to return, separated by commas; by default all.", words=words, always=always),)

    @classmethod
    @abstractmethod
    def is_list(cls) -> bool:
        """Return whether the response is a list with ``next`` and ``results``."""

    def sparse(self, document: Document) -> Document | dict[str, Any]:
        """Return the document, or only the fields that the request selects."""
        fields = self.asked["fields"]
        return document if fields is None else {name: getattr(document, name) for name in fields}


class One(Described):
    """An endpoint that returns one document."""

    @classmethod
    def is_list(cls) -> bool:
        return False

    def answer(self, document: Document) -> Response:
        """Return the response with the document."""
        return Response(self.sparse(document), headers=HEADERS)


class Whole(Described):
    """An endpoint that returns a short list as one page."""

    @classmethod
    def is_list(cls) -> bool:
        return True

    def answer(self, documents: Sequence[Document]) -> Response:
        """Return the response with all documents. Raises ``ValidationError``, also if there are none."""
        _ = self.asked
        return Response(Page(next=None, results=[self.sparse(document) for document in documents]), headers=HEADERS)


class Page(Struct):
    """One page of a list. ``next`` is the URL of the next page."""

    next: str | None
    results: Sequence[Document | dict[str, Any]]


# --- Paginated lists -------------------------------------------------------------------------------------------------

CURSOR: Final = Text(
    "cursor",
    "Position of the page, taken from `next` of the previous page.",
    pattern=keyset.CURSOR,
    shape="the cursor in 'next' of the previous page",
)


def orders(field: str, *, falling: bool = False, name: str = "") -> Mapping[str, Order]:
    """Return both orders by ``field``, keyed by their names in URLs. ``falling`` decides which one is the default."""
    both = (Order(field, falling), Order(field, not falling))
    return {f"-{name or field}" if order.falling else name or field: order for order in both}


NEWEST: Final = orders("pk", falling=True, name="id")
OLDEST: Final = orders("pk", name="id")


class Listing(Described):
    """An endpoint that returns a paginated list. With cursors, the last page costs as much as the first.

    ``orders`` contains the orders that clients can request; the first is the default.
    """

    orders: ClassVar[Mapping[str, Order]] = NEWEST

    @classmethod
    def is_list(cls) -> bool:
        return True

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        names = tuple(cls.orders)
        order = ChoiceParameter("order", "Sort order; `-` means descending.", default=names[0], words=names)
        limit = Number("limit", "Maximum number of items per page.", default=ITEMS_PER_PAGE, least=1, most=MOST_ITEMS)
        return (order, limit, CURSOR, *super().kind_parameters())

    def part(self, rows: QuerySet[Any, dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the requested page of ``rows``, which have ``pk`` and the fields of ``orders``. Makes one query."""
        order = self.orders[self.asked["order"]]
        page, self._next = take(rows, order, self.asked["cursor"], self.asked["limit"])
        return page

    def answer(self, documents: Sequence[Document]) -> Response:
        """Return the response with the documents of the rows that ``part`` returned."""
        return Response(Page(self._next_url(), [self.sparse(document) for document in documents]), headers=HEADERS)

    def _next_url(self) -> str | None:
        if self._next is None:
            return None
        parameters = self.request.query_params.copy()
        parameters["cursor"] = self._next
        return self.request.build_absolute_uri(f"{self.request.path}?{parameters.urlencode()}")


# --- Changes ---------------------------------------------------------------------------------------------------------


class Writing(Endpoint):
    """An endpoint that accepts JSON and needs a token with ``scope``. GET requests count as reading."""

    scope = Scope.MANAGE
    parser_classes = [JsonParser]

    @property
    def throttle_scope(self) -> str:
        return "read" if self.request.method in ("GET", "HEAD") else self.scope.value


def person_of(request: Request) -> User:
    """Return the owner of the token."""
    return cast("User", request.user)


def token_of(request: Request) -> Token:
    """Return the token of the request."""
    assert isinstance(request.auth, Token)
    return request.auth
