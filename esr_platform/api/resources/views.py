"""What the views of the API share: sparse documents, lists in parts, and errors of changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from http import HTTPStatus
from typing import Any, ClassVar, Final, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from msgspec import Struct
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.uploads import upload
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import HasScope, viewer
from esr_platform.api.documents import Document
from esr_platform.api.http import JsonParser, Refusal
from esr_platform.api.parameters import Asked, Choice, Names, Number, Parameter, Text, read
from ladder import keyset
from ladder.keyset import Order, take

ROWS: Final = 50
MOST_ROWS: Final = 200
HEADERS: Final = {"Cache-Control": "private, no-cache"}
"""A client may store the response, but has to revalidate it by its ``ETag``. Shared caches may not store it."""


class ReadByEverybody(HasScope):
    """Let everybody read. Other methods need the scope of the view, see ``HasScope``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        if not hasattr(view, str(request.method).lower()):
            raise MethodNotAllowed(str(request.method))
        return super().has_permission(request, view)


class Reading(APIView):
    """An endpoint that everybody may read, with the query parameters ``parameters``."""

    permission_classes = [ReadByEverybody]
    parameters: ClassVar[Sequence[Parameter]] = ()

    @property
    def viewer(self) -> User | AnonymousUser:
        """The user whose private ladders and bots are visible."""
        return viewer(self.request)

    @cached_property
    def asked(self) -> Asked:
        """The query parameters. Raises ``ValidationError``."""
        return read(self.request.query_params, self.all_parameters())

    @classmethod
    @cache
    def all_parameters(cls) -> Sequence[Parameter]:
        """The parameters of the endpoint, with those of its kind."""
        return (*cls.parameters, *cls.kind_parameters())

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        """The parameters that all endpoints of this kind have."""
        return ()


class Described(Reading):
    """An endpoint whose response consists of documents of the struct ``document``; ``?fields=`` selects fields."""

    document: ClassVar[type[Document]]

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        words, always = cls.document.__struct_fields__, cls.document.always
        return (Names("fields", "Only these fields, separated by commas.", words=words, always=always),)

    @classmethod
    @abstractmethod
    def is_list(cls) -> bool:
        """Whether the response is a list with ``next`` and ``results``."""

    def sparse(self, document: Document) -> Document | dict[str, Any]:
        """The document, or its fields that the request names."""
        fields = self.asked["fields"]
        return document if fields is None else {name: getattr(document, name) for name in fields}


class One(Described):
    """An endpoint with one document."""

    @classmethod
    def is_list(cls) -> bool:
        return False

    def answer(self, document: Document) -> Response:
        """The response with the document."""
        return Response(self.sparse(document), headers=HEADERS)


class Whole(Described):
    """An endpoint with a list that is always short, so that it has one part."""

    @classmethod
    def is_list(cls) -> bool:
        return True

    def answer(self, documents: Sequence[Document]) -> Response:
        """The response with all documents."""
        return Response(Page(next=None, results=[self.sparse(one) for one in documents]), headers=HEADERS)


class Page(Struct):
    """One part of a list. ``next`` is the URL of the next part."""

    next: str | None
    results: Sequence[Document | dict[str, Any]]


# --- Lists in parts --------------------------------------------------------------------------------------------------

CURSOR: Final = Text(
    "cursor",
    "Where the part begins, from `next` of the part before.",
    pattern=keyset.CURSOR,
    shape="what `next` of the part before has",
)


def orders(field: str, *, falling: bool = False, name: str = "") -> Mapping[str, Order]:
    """Both orders by ``field``, by their names in URLs. The first is the one that ``falling`` says."""
    both = (Order(field, falling), Order(field, not falling))
    return {f"-{name or field}" if one.falling else name or field: one for one in both}


NEWEST: Final = orders("pk", falling=True, name="id")
OLDEST: Final = orders("pk", name="id")


class Listing(Described):
    """An endpoint with a list. A cursor leads from part to part, so that the last part costs as much as the first.

    ``orders`` are the orders that can be requested; the first is the default.
    """

    orders: ClassVar[Mapping[str, Order]] = NEWEST

    @classmethod
    def is_list(cls) -> bool:
        return True

    @classmethod
    def kind_parameters(cls) -> Sequence[Parameter]:
        order = Choice("order", "The order of the list.", default=next(iter(cls.orders)), words=tuple(cls.orders))
        limit = Number("limit", "The maximum number of rows of a part.", default=ROWS, least=1, most=MOST_ROWS)
        return (order, limit, CURSOR, *super().kind_parameters())

    def part(self, rows: QuerySet[Any, dict[str, Any]]) -> list[dict[str, Any]]:
        """The requested part of ``rows``, with one query. The rows have ``pk`` and the fields of ``orders``."""
        order = self.orders[self.asked["order"]]
        found, self._next = take(rows, order, self.asked["cursor"], self.asked["limit"])
        return found

    def answer(self, documents: Sequence[Document]) -> Response:
        """The response with the documents of the rows that ``part`` returned."""
        return Response(Page(self._next_url(), [self.sparse(one) for one in documents]), headers=HEADERS)

    def _next_url(self) -> str | None:
        if self._next is None:
            return None
        parameters = self.request.query_params.copy()
        parameters["cursor"] = self._next
        return self.request.build_absolute_uri(f"{self.request.path}?{parameters.urlencode()}")


# --- Changes ---------------------------------------------------------------------------------------------------------

OUR_PAUSE_S: Final = 60
"""When to repeat a request that failed because the server could not store a file."""


@contextmanager
def refusals() -> Iterator[None]:
    """Answer ``Refused`` with 422, ``TooMany`` with 409, or 429 if waiting helps, and ``NotStored`` with 503."""
    try:
        yield
    except TooMany as refusal:
        status = HTTPStatus.CONFLICT if refusal.retry_after_s is None else HTTPStatus.TOO_MANY_REQUESTS
        raise Refusal(status, "too_many", str(refusal), refusal.retry_after_s) from refusal
    except Refused as refusal:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", str(refusal)) from refusal
    except upload.NotStored as failure:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", str(failure), OUR_PAUSE_S) from failure


class Writing(APIView):
    """An endpoint that takes JSON and needs a token with ``scope``. GET counts as reading."""

    scope = Scope.MANAGE
    parser_classes = [JsonParser]

    @property
    def throttle_scope(self) -> str:
        return "read" if self.request.method in ("GET", "HEAD") else self.scope.value


def person_of(request: Request) -> User:
    """The owner of the token."""
    return cast("User", request.user)


def token_of(request: Request) -> Token:
    """The token."""
    assert isinstance(request.auth, Token)
    return request.auth
