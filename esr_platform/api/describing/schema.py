"""The OpenAPI document: operations, links between them, and what Django REST framework leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from esr_platform.api.describing.examples import EXAMPLES
from esr_platform.api.describing.live import OPERATIONS, SCHEMAS
from esr_platform.api.http import CONTENT_TYPE, problem
from esr_platform.api.resources.views import Listing, Names, Parameter, Reading, Whole, parameters_of
from esr_platform.api.writing.documents import Sent

# --- Links -----------------------------------------------------------------------------------------------------------

FIRST: Final = "$response.body#/results/0/"
BODY: Final = "$response.body#/"


@dataclass(frozen=True)
class Link:
    """From an answer of the operation ``source`` to ``target``; ``parameters`` say where in the answer they stand."""

    source: str
    target: str
    parameters: dict[str, str]

    @property
    def name(self) -> str:
        """What it is called, once a response."""
        return f"{self.target}_by_{'_'.join(self.parameters)}"


def _from_list(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: FIRST + field for name, field in parameters.items()})


def _from_one(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: BODY + field for name, field in parameters.items()})


_MATCHES: Final = ("matches", "ladder_matches", "bot_matches")

LINKS: Final[tuple[Link, ...]] = (
    _from_list("games", "game", slug="slug"),
    _from_one("game", "game_schema", slug="slug", document="documents/0"),
    _from_list("ladders", "ladder", slug="slug"),
    *(_from_one("ladder", target, slug="slug") for target in ("members", "ladder_matches", "seasons")),
    _from_one("ladder", "head_to_head", ladder="slug"),
    _from_one("ladder", "season", slug="slug", number="season/number"),
    _from_list("seasons", "season", slug="ladder", number="number"),
    _from_one("season", "standings", slug="ladder", number="number"),
    *(_from_list("members", target, slug="bot") for target in ("bot", "bot_matches")),
    _from_list("standings", "bot", slug="bot"),
    _from_list("head_to_head", "bot", slug="opponent"),
    _from_list("bots", "bot", slug="slug"),
    *(_from_one("bot", target, slug="slug") for target in ("bot_matches", "versions")),
    _from_one("bot", "ratings", slug="slug", ladder="ladders/0/ladder"),
    _from_one("bot", "person", username="owner"),
    _from_list("versions", "version", slug="bot", number="number"),
    *(_from_list(source, "match", match_id="id") for source in _MATCHES),
    *(_from_one("match", target, match_id="id") for target in ("record", "log", "replay")),
    _from_one("match", "ladder", slug="ladder"),
    _from_one("match", "bot", slug="players/0/bot"),
    _from_list("ratings", "match", match_id="match"),
    _from_one("person", "bot", slug="bots/0"),
    *(_from_one(source, "version", slug="bot", number="number") for source in ("upload_bot", "upload_version")),
    _from_one("order", "order_state", order_id="id"),
    _from_one("order_state", "match", match_id="matches/0"),
)


# --- Operations ------------------------------------------------------------------------------------------------------

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


# --- The whole document ----------------------------------------------------------------------------------------------

_ERRORS: Final = {
    "Invalid": (400, "invalid", "Some fields are missing or wrong: 'fields' says which.", "Something in it is wrong."),
    "Unauthorized": (
        *(401, "not_authenticated"),
        "Send a token as the header 'Authorization: Bearer esr_…'; your account page makes one.",
        "A token is missing, unknown, revoked or expired.",
    ),
    "Forbidden": (
        *(403, "permission_denied"),
        "This token may not upload bots. Make one with the scope 'upload' on your account page.",
        "The token may not do that.",
    ),
    "NotFound": (404, "not_found", "No ladder is called chess.", "There is none, or none that you may know of."),
    "Conflict": (
        409,
        "late",
        "This answer came too late: 'played' is what was played instead.",
        "It cannot be so now.",
    ),
    "Refused": (422, "refused", "bot.py is missing at the top of the archive.", "It was understood, and is not taken."),
    "TooMany": (429, "throttled", "Too many requests. Try again in 17 s.", "Too many requests in this minute."),
    "Other": (405, "method_not_allowed", 'Method "PATCH" not allowed.', "What else is wrong with the request."),
    "Away": (
        *(503, "redis_away"),
        "A service that the site needs is restarting. Nothing has changed. Try again in 5 s.",
        "The site cannot answer at the moment. Send the request again.",
    ),
    "Ours": (
        *(500, "error"),
        "Something broke on our side, and it was written down. Try again later.",
        "Our fault. Nothing has changed.",
    ),
}
"""By the name of a response: its status, its code, its sentence, and when it comes."""

_EVERYWHERE: Final = {"401": "Unauthorized", "429": "TooMany", "503": "Away", "4XX": "Other", "5XX": "Ours"}
_WORDS: Final = {
    "slug": "the name in addresses",
    "bot": "the bot's name in addresses",
    "number": "the number, from 1",
    "match_id": "the match's number",
    "challenge_id": "the challenge's number",
    "order_id": "the order's number",
    "username": "the user name, in any case",
    "document": "one of `documents` of the game",
}


def finish(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Hook of the generator, which calls it with the document that it has made and takes what this gives."""
    components = result["components"]
    components["schemas"] = dict(sorted({**components["schemas"], **SCHEMAS}.items()))
    components["responses"] = {name: _response(*error) for name, error in _ERRORS.items()}
    _mend(components["schemas"])
    for path, method, operation in _operations(result):
        operation.update(OPERATIONS.get((path, method), {}))
        if operation["operationId"] == "order":  # the generator looks for required fields in one serializer only
            operation["requestBody"]["required"] = True
        _add_errors(path, method, operation)
        _add_words(operation)
        _add_example(operation)
        for answer in operation["responses"].values():
            if answer.get("description") == "":
                answer["description"] = "What was asked for."
    for link in LINKS:
        _add_link(result, link)
    return result


def _mend(schema: Any) -> None:
    """Where anything may stand, null may: the generator says that only one of both does. It leaves marks, too."""
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        if isinstance(one, dict) and {} in one.get("oneOf", ()):
            del one["oneOf"]
        if isinstance(one, dict):
            one.pop("x-spec-enum-id", None)
        _mend(one)


def _operations(result: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in result["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def _response(status: int, code: str, sentence: str, about: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/ProblemDocument"}
    example = problem(HTTPStatus(status), code, sentence)
    response: dict[str, Any] = {
        "description": about,
        "content": {CONTENT_TYPE: {"schema": schema, "example": example}},
    }
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        wait = {"description": "seconds after which to come again", "schema": {"type": "integer", "minimum": 1}}
        response["headers"] = {"Retry-After": wait}
    return response


def _add_errors(path: str, method: str, operation: dict[str, Any]) -> None:
    """Every error that an operation can answer with, unless it says more of it itself."""
    named = dict(_EVERYWHERE)
    if operation.get("parameters") or method != "get":
        named["400"] = "Invalid"
    if "{" in path or any(one["in"] == "query" and one["required"] for one in _parameters(operation)):
        named["404"] = "NotFound"
    if {} not in operation.get("security", [{}]):
        named["403"] = "Forbidden"
    if method in ("post", "put", "patch"):
        named["422"] = "Refused"
    responses = operation["responses"]
    for status, name in named.items():
        if status in ("4XX", "5XX") or status not in responses:
            responses[status] = {"$ref": f"#/components/responses/{name}"}
    operation["responses"] = dict(sorted(responses.items()))


def _parameters(operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"required": False, **one} for one in operation.get("parameters", [])]


def _add_words(operation: dict[str, Any]) -> None:
    for one in operation.get("parameters", []):
        if one["in"] == "path":
            one.setdefault("description", _WORDS.get(one["name"], ""))


def _add_example(operation: dict[str, Any]) -> None:
    example = EXAMPLES.get(operation["operationId"])
    if example is None:
        return
    for status in ("200", "201"):
        content = operation["responses"].get(status, {}).get("content", {}).get("application/json")
        if content is not None and "example" not in content:
            content.pop("examples", None)
            content["example"] = example


def _add_link(result: dict[str, Any], link: Link) -> None:
    """One link, at every answer of its source that has a document."""
    for _path, _method, operation in _operations(result):
        if operation["operationId"] == link.source:
            for status in {"200", "201"} & set(operation["responses"]):
                found = {"operationId": link.target, "parameters": link.parameters}
                operation["responses"][status].setdefault("links", {})[link.name] = found
