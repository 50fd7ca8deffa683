"""What all endpoints for reading share: query parameters, who asks, and lists in parts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import QueryDict
from rest_framework.exceptions import MethodNotAllowed, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from esr_platform.accounts.models import User
from esr_platform.api.authentication import HasScope, viewer

# --- Query parameters ------------------------------------------------------------------------------------------------

LARGEST: Final = 10**15
"""No number of a row, and no rating, is larger."""

SLUG: Final = r"^[-a-zA-Z0-9_]{1,60}$"

Asked = Mapping[str, Any]
"""What an address asks for, by parameter; what it does not say has the parameter's default."""


@dataclass(frozen=True)
class Parameter(ABC):
    """One parameter: its name, a sentence on what it does, and what holds where it is not said."""

    name: str
    meaning: str
    example: Any = None
    default: Any = None
    required: bool = False

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON Schema of exactly what is accepted."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value of a text. Raises ``ValueError`` with a sentence that says what may stand there."""


@dataclass(frozen=True)
class Number(Parameter):
    """A whole number from ``least`` to ``most``."""

    least: int = 0
    most: int = LARGEST

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def read(self, text: str) -> int:
        number = int(text) if re.fullmatch(r"-?[0-9]{1,16}", text, re.ASCII) else None
        if number is None or not self.least <= number <= self.most:
            raise ValueError(f"Write a whole number from {self.least} to {self.most}.")
        return number


@dataclass(frozen=True)
class Choice(Parameter):
    """One of some words."""

    words: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def read(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"Write one of: {', '.join(self.words)}.")
        return text


@dataclass(frozen=True)
class Flag(Parameter):
    """``true`` or ``false``."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def read(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError("Write true or false.")
        return text == "true"


@dataclass(frozen=True)
class Text(Parameter):
    """A text of a certain shape, such as an address name."""

    pattern: str = SLUG
    shape: str = "an address name: letters, digits, - and _, at most 60"

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": self.pattern}

    def read(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"Write {self.shape}.")
        return text


@dataclass(frozen=True)
class Moment(Parameter):
    """A moment with its offset from UTC, as RFC 3339 has it."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}

    def read(self, text: str) -> datetime:
        moment = _moment(text.upper())
        if moment is None or moment.tzinfo is None:
            raise ValueError("Write a moment with its offset from UTC, as in 2026-11-22T18:00:00Z.")
        try:
            return moment.astimezone(UTC)
        except OverflowError:  # of the first or the last day that there is
            return moment.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Names(Parameter):
    """Some of certain words, with commas between them; ``always`` are those that need not be said."""

    words: Sequence[str] = ()
    always: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "enum": list(self.words)}, "minItems": 1}

    def read(self, text: str) -> tuple[str, ...]:
        asked = text.split(",")
        if not set(asked) <= set(self.words):
            raise ValueError(f"Write some of these, with commas between them: {', '.join(self.words)}.")
        return tuple(word for word in self.words if word in asked or word in self.always)


def read(sent: QueryDict, parameters: Sequence[Parameter]) -> Asked:
    """What ``sent`` asks for. Raises ``ValidationError`` for what is wrong, unknown, missing, or there twice."""
    if not sent:
        wrong = {one.name: ["This is required."] for one in parameters if one.required}
        if wrong:
            raise ValidationError(wrong)
        return {one.name: one.default for one in parameters}
    known = {one.name for one in parameters}
    asked: dict[str, Any] = {}
    wrong = {name: [_unknown(known)] for name in sent if name not in known}
    for one in parameters:
        try:
            asked[one.name] = _value(one, sent.getlist(one.name))
        except ValueError as error:
            wrong[one.name] = [str(error)]
    if wrong:
        raise ValidationError(wrong)
    return asked


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if "T" in text else None
    except ValueError:
        return None


def _value(parameter: Parameter, texts: Sequence[str]) -> Any:
    if not texts:
        if parameter.required:
            raise ValueError("This is required.")
        return parameter.default
    if len(texts) > 1:
        raise ValueError("Write this once.")
    return parameter.read(texts[0])


def _unknown(known: set[str]) -> str:
    return (
        f"There is no such parameter here. There are: {', '.join(sorted(known))}." if known else "None is known here."
    )


# --- Views -----------------------------------------------------------------------------------------------------------

ROWS: Final = 50
MOST_ROWS: Final = 200
HEADERS: Final = {"Cache-Control": "private, no-cache"}
"""Whoever keeps an answer asks each time whether it still holds (``ETag``), and keeps it for nobody else."""

_PARAMETERS: Final[dict[type[Any], Sequence[Parameter]]] = {}

CURSOR: Final = Text(
    "cursor",
    "where the part begins, as `next` of the part before has it",
    pattern=r"^-?[0-9]{1,15}(_[0-9]{1,15})?$",
    shape="what `next` of the part before has",
)


class ReadByEverybody(HasScope):
    """Lets everybody read; whatever changes something needs the scope that its view names, as ``HasScope`` says."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        if not hasattr(view, str(request.method).lower()):
            raise MethodNotAllowed(str(request.method))
        return super().has_permission(request, view)


class Reading(APIView):
    """An endpoint that everybody may read. ``document`` describes one row or the whole, ``parameters`` its address."""

    permission_classes = [ReadByEverybody]
    document: ClassVar[type[Any] | None] = None
    parameters: ClassVar[Sequence[Parameter]] = ()

    @property
    def viewer(self) -> User | AnonymousUser:
        """As whom it is read."""
        return viewer(self.request)

    @cached_property
    def asked(self) -> Asked:
        """What the address asks for. Raises ``ValidationError``."""
        return read(self.request.query_params, parameters_of(type(self)))

    @classmethod
    def all_parameters(cls) -> Sequence[Parameter]:
        """Its own parameters, and those that come with its kind; ask ``parameters_of``."""
        return cls.parameters


class One(Reading):
    """An endpoint with one document, of which only some ``fields`` may be asked for."""

    always: ClassVar[Sequence[str]] = ()

    @classmethod
    def all_parameters(cls) -> Sequence[Parameter]:
        return (*cls.parameters, fields_of(cls.document, cls.always))

    def answer(self, row: Mapping[str, Any]) -> Response:
        """The document as it is asked for."""
        return Response(_sparse(row, self.asked["fields"]), headers=HEADERS)


class Whole(Reading):
    """An endpoint with a list that is always short, so that it comes in one part."""

    always: ClassVar[Sequence[str]] = ("id",)

    @classmethod
    def all_parameters(cls) -> Sequence[Parameter]:
        return (*cls.parameters, fields_of(cls.document, cls.always))

    def answer(self, rows: Sequence[Mapping[str, Any]]) -> Response:
        """All rows, as a list in parts has them."""
        results = [_sparse(row, self.asked["fields"]) for row in rows]
        return Response({"next": None, "results": results}, headers=HEADERS)


@dataclass(frozen=True)
class Order:
    """An order of a list: by ``field``, and rows that are equal in it by id, the oldest first."""

    field: str
    falling: bool = False

    def after(self, cursor: str) -> Q:
        """The rows that follow the row at ``cursor``."""
        value, _, pk = cursor.partition("_")
        beyond = Q(**{f"{self.field}__{'lt' if self.falling else 'gt'}": int(value)})
        return beyond if not pk else beyond | Q(**{self.field: int(value), "pk__gt": int(pk)})

    @property
    def by(self) -> tuple[str, ...]:
        """What a query is ordered by."""
        field = f"-{self.field}" if self.falling else self.field
        return (field,) if self.field == "pk" else (field, "pk")


NEWEST: Final = {"-id": Order("pk", falling=True), "id": Order("pk")}
OLDEST: Final = {"id": Order("pk"), "-id": Order("pk", falling=True)}


class Listing(Reading):
    """An endpoint with a list, in parts that a cursor leads through, so that the last part costs what the first does.

    ``always`` are the fields that a row is known by: they come whichever are asked for. The first of ``orders`` holds
    where none is asked for.
    """

    always: ClassVar[Sequence[str]] = ("id",)
    orders: ClassVar[Mapping[str, Order]] = NEWEST

    @classmethod
    def all_parameters(cls) -> Sequence[Parameter]:
        order = Choice("order", "in which order", default=next(iter(cls.orders)), words=tuple(cls.orders))
        limit = Number("limit", "the most rows of a part", default=ROWS, least=1, most=MOST_ROWS)
        return (*cls.parameters, order, limit, CURSOR, fields_of(cls.document, cls.always))

    @property
    def order(self) -> Order:
        """The order that is asked for."""
        return self.orders[self.asked["order"]]

    def part(self, rows: QuerySet[Any, dict[str, Any]]) -> list[dict[str, Any]]:
        """The part of ``rows`` that is asked for and one row more, which says that there are more. One query.

        The rows have ``pk`` and every field that the list may be ordered by.
        """
        order, cursor = self.order, self.asked["cursor"]
        if cursor is not None:
            rows = rows.filter(order.after(cursor))
        return list(rows.order_by(*order.by)[: self.asked["limit"] + 1])

    def answer(self, part: Sequence[Mapping[str, Any]], documents: Sequence[Mapping[str, Any]]) -> Response:
        """The ``documents`` of the rows in ``part``, and the address of the next part where there is one."""
        limit, fields = self.asked["limit"], self.asked["fields"]
        more = self._next(part[limit - 1]) if len(part) > limit else None
        return Response({"next": more, "results": [_sparse(one, fields) for one in documents[:limit]]}, headers=HEADERS)

    def _next(self, last: Mapping[str, Any]) -> str:
        field = self.order.field
        cursor = str(last["pk"]) if field == "pk" else f"{last[field]}_{last['pk']}"
        parameters = self.request.query_params.copy()
        parameters["cursor"] = cursor
        return self.request.build_absolute_uri(f"{self.request.path}?{parameters.urlencode()}")


def parameters_of(view: type[Reading]) -> Sequence[Parameter]:
    """All parameters of an endpoint, made once."""
    if view not in _PARAMETERS:
        _PARAMETERS[view] = view.all_parameters()
    return _PARAMETERS[view]


def fields_of(document: type[Any] | None, always: Sequence[str]) -> Names:
    """The parameter that says which fields of a ``document`` come."""
    words = tuple(document().fields) if document else ()
    return Names("fields", "only these fields, with commas between them", words=words, always=tuple(always))


def _sparse(row: Mapping[str, Any], fields: Sequence[str] | None) -> Mapping[str, Any]:
    return row if fields is None else {name: row[name] for name in fields}
