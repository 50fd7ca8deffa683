"""What the framework's generator is told of our views; reading endpoints describe themselves."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from esr_platform.api.describing.live import OPERATIONS
from esr_platform.api.reading.parameters import Names, Parameter
from esr_platform.api.reading.views import Listing, Reading, Whole, parameters_of
from esr_platform.api.writing.fields import Sent

TAGS: Final = {
    "games": "Games",
    "ladders": "Ladders",
    "seasons": "Ladders",
    "head-to-head": "Ladders",
    "lobby": "Games",
    "bots": "Bots",
    "uploads": "Bots",
    "matches": "Matches",
    "people": "People",
}
"""By the first word of an address, the heading that it stands under."""

_PAGES: Final[dict[type[Any], Any]] = {}


class Schema(AutoSchema):
    """Parameters and answers of reading endpoints come from what these use themselves, so that both agree."""

    def get_tags(self) -> list[str]:
        first = self.path.removeprefix("/api/v1/").split("/")[0]
        return [TAGS.get(first, first.capitalize())]

    def get_override_parameters(self) -> list[Any]:
        if self._read is None:
            return list(super().get_override_parameters())
        return [_described(one) for one in parameters_of(type(self._read))]

    def get_request_serializer(self) -> Any:
        return None if self._by_hand else super().get_request_serializer()

    def get_response_serializers(self) -> Any:
        if self._by_hand:
            return OpenApiTypes.OBJECT
        if self._read is None or self._read.document is None:
            return super().get_response_serializers()
        many = isinstance(self._read, Listing | Whole)
        return {200: OpenApiResponse(_page_of(self._read.document) if many else self._read.document)}

    def get_auth(self) -> list[dict[str, Any]]:
        """What everybody reads takes a token as well, which opens what its owner may see."""
        found: list[dict[str, Any]] = list(super().get_auth())
        return [{}, *(one for one in found if one)] if {} in found or self._read is not None else found

    def _map_serializer(self, serializer: Any, direction: str, bypass_extensions: bool = False) -> Any:
        """A document that is sent has no other fields than those that are known."""
        schema = super()._map_serializer(serializer, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        return {**schema, "additionalProperties": False} if isinstance(serializer, Sent) else schema

    @property
    def _by_hand(self) -> bool:
        return (self.path, self.method.lower()) in OPERATIONS

    @property
    def _read(self) -> Reading | None:
        """The view, if it is one that is read, and this is the method by which it is."""
        return self.view if self.method == "GET" and isinstance(self.view, Reading) else None


def _page_of(document: type[Any]) -> Any:
    """A part of a list of documents; the same class each time, for the generator tells components by their class."""
    if document not in _PAGES:
        name = f"{document.__name__.removesuffix('Document').removesuffix('Listed')}Page"
        more = serializers.URLField(allow_null=True, help_text="the address of the next part; null in the last")
        _PAGES[document] = inline_serializer(name, {"next": more, "results": document(many=True)})
    return _PAGES[document]


def _described(parameter: Parameter) -> OpenApiParameter:
    schema = dict(parameter.schema)
    if parameter.default is not None:
        schema["default"] = parameter.default
    listed = isinstance(parameter, Names)
    examples = [] if parameter.example is None else [OpenApiExample(parameter.name, value=parameter.example)]
    return OpenApiParameter(
        parameter.name,
        schema,
        OpenApiParameter.QUERY,
        required=parameter.required,
        description=parameter.meaning,
        style="form" if listed else None,
        explode=False if listed else None,
        examples=examples,
    )
