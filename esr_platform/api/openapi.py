"""The OpenAPI document: operations, components, errors and links between operations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, Final

import msgspec
import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_resolver
from django.views.decorators.http import require_safe
from rest_framework.permissions import AllowAny

from esr_platform.api.documents import Operation, Structs, components, example, reference
from esr_platform.api.http import CONTENT_TYPE, ProblemDocument, problem
from esr_platform.api.parameters import Names, Parameter
from esr_platform.api.resources.views import Described, Reading
from esr_platform.api.stream_operations import OPERATIONS, STREAM

Json = dict[str, Any]

# --- Links -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A link from a response of ``source`` to the operation ``target``, whose ``parameters`` are in the response."""

    source: str
    target: str
    parameters: dict[str, str]


def _from_list(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: f"$response.body#/results/0/{field}" for name, field in parameters.items()})


def _from_one(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: f"$response.body#/{field}" for name, field in parameters.items()})


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
    _from_one("exhibition", "exhibition_state", exhibition_id="id"),
    _from_one("exhibition_state", "match", match_id="matches/0"),
)


# --- Errors ----------------------------------------------------------------------------------------------------------

_ERRORS: Final = {
    "Invalid": (400, "invalid", "Some fields are missing or wrong: 'fields' says which.", "The request is invalid."),
    "Unauthorized": (
        *(401, "not_authenticated"),
        "Send a token as the header 'Authorization: Bearer esr_…'; your account page makes one.",
        "The token is missing, unknown, revoked or expired.",
    ),
    "Forbidden": (
        *(403, "permission_denied"),
        "This token may not upload bots. Make one with the scope 'upload' on your account page.",
        "The token does not allow this.",
    ),
    "NotFound": (404, "not_found", "No ladder is called chess.", "Not found, or not visible to you."),
    "Conflict": (
        *(409, "late"),
        "This answer came too late: 'played' is what was played instead.",
        "The current state does not allow this.",
    ),
    "Refused": (
        *(422, "refused"),
        "bot.py is missing at the top of the archive.",
        "The request is valid, but it is refused.",
    ),
    "TooMany": (429, "throttled", "Too many requests. Try again in 17 s.", "Too many requests in this minute."),
    "Other": (405, "method_not_allowed", 'Method "PATCH" not allowed.', "Another error of the request."),
    "Away": (
        *(503, "redis_away"),
        "A service that the site needs is restarting. Nothing has changed. Try again in 5 s.",
        "The site cannot answer at the moment. Send the request again.",
    ),
    "Ours": (
        *(500, "error"),
        "Something broke on our side, and it was written down. Try again later.",
        "An error of the server. Nothing has changed.",
    ),
}
"""By the name of a response: its status, an example of its code and its sentence, and its description."""


def _error(status: int, code: str, sentence: str, about: str) -> Json:
    content = {"schema": reference(ProblemDocument), "example": problem(HTTPStatus(status), code, sentence)}
    response: Json = {"description": about, "content": {CONTENT_TYPE: content}}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        wait = {
            "description": "Seconds until you can try again.",
            "schema": {"type": "integer", "minimum": 1},
        }
        response["headers"] = {"Retry-After": wait}
    return response


def _errors(path: str, method: str, operation: Json) -> dict[str, Json]:
    """Every error that an operation can return, by status."""
    parameters = operation["parameters"]
    found = {"401": "Unauthorized", "429": "TooMany", "503": "Away", "4XX": "Other", "5XX": "Ours"}
    if parameters or method != "get":
        found["400"] = "Invalid"
    if "{" in path or any(one["in"] == "query" and one.get("required") for one in parameters):
        found["404"] = "NotFound"
    if {} not in operation["security"]:
        found["403"] = "Forbidden"
    if method in ("post", "put", "patch"):
        found["422"] = "Refused"
    return {status: {"$ref": f"#/components/responses/{name}"} for status, name in found.items()}


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
"""The heading of an operation, by the first word of its URL."""

_WORDS: Final = {
    "slug": "The name in URLs.",
    "bot": "The slug of the bot.",
    "number": "The number, from 1.",
    "match_id": "The id of the match.",
    "challenge_id": "The id of the challenge.",
    "match": "The id of the match.",
    "exhibition_id": "The id of the exhibition match.",
    "username": "The user name, in any case.",
    "document": "One of `documents` of the game.",
}
"""The descriptions of parameters in a path."""

_TYPES: Final = {"int": "integer", "slug": "string", "str": "string"}
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_OBJECT: Final[Json] = {"type": "object", "additionalProperties": {}}
_NEXT: Final = "URL of the next part; null in the last."
_BINARY: Final[Json] = {"type": "string", "format": "binary"}


class _Builder:
    """Collects the paths of the document, and the structs that they use."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, Json]] = {}
        self.structs: set[type[msgspec.Struct]] = {ProblemDocument}
        self.lists: dict[str, Json] = {}

    def add(self, route: str, view: type[Any]) -> None:
        """Add every method of ``view`` that is described."""
        url = re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        path, first = f"/api/v1/{url}", url.split("/")[0]
        in_path = [_path_parameter(*one) for one in re.findall(r"<(\w+):(\w+)>", route)]
        for method in _METHODS:
            handler = getattr(view, method, None)
            described = OPERATIONS.get((url, method)) or getattr(handler, "operation", None)
            if described is None:
                continue
            query = list(described.query)
            if method == "get" and issubclass(view, Reading):
                query += view.all_parameters()
            operation: Json = {
                "operationId": described.name,
                "summary": described.summary,
                "description": described.description or _description(handler.__doc__, view.__doc__),
                "tags": [TAGS.get(first, first.capitalize())],
                "parameters": [*in_path, *map(_parameter, query)],
                "security": _security(view, public=_is_public(method, view, described)),
            }
            if described.body is not None:
                operation["requestBody"] = self._body(described.body)
            success = {"description": "Success.", "content": self._content(view, described)}
            own = {**{str(status): dict(success) for status in described.statuses}, **described.others}
            operation["responses"] = dict(sorted({**_errors(path, method, operation), **own}.items()))
            self.paths.setdefault(path, {})[method] = operation

    def _content(self, view: type[Any], described: Operation) -> Json:
        """The content of a response, by media type."""
        if described.media_type == "application/gzip":
            return {described.media_type: {"schema": _BINARY}}
        schema, shown = _OBJECT, described.example
        if described.answers is not None:
            schema, shown = self._one_of(described.answers)
        elif issubclass(view, Described):
            schema, shown = self._one_of(view.document)
            if view.is_list():
                schema, shown = self._list(view.document), {"next": None, "results": [shown]}
        content = {"schema": schema, "example": shown}
        if described.media_type == STREAM:
            event = f"event: {shown['type']}\ndata: {{…}}\n\n"
            return {STREAM: {"schema": {"type": "string"}, "example": event}, "application/x-ndjson": content}
        return {described.media_type: content}

    def _body(self, body: Any) -> Json:
        by_type: Mapping[str, Any] = body if isinstance(body, Mapping) else {"application/json": body}
        content, required = {}, False
        for media_type, structs in by_type.items():
            schema, shown = self._one_of(structs)
            content[media_type] = {"schema": schema, "example": shown}
            first = structs[0] if isinstance(structs, tuple) else structs
            required |= any(field.required for field in msgspec.structs.fields(first))
        return {"content": content, **({"required": True} if required else {})}

    def _one_of(self, structs: Structs) -> tuple[Json, Any]:
        """The schema of one of ``structs``, and an example of the first."""
        if not isinstance(structs, tuple):
            return self._reference(structs), example(structs)
        return {"oneOf": [self._reference(one) for one in structs]}, example(structs[0])

    def _reference(self, struct: type[msgspec.Struct]) -> Json:
        self.structs.add(struct)
        return dict(reference(struct))

    def _list(self, struct: type[msgspec.Struct]) -> Json:
        name = f"{struct.__name__.removesuffix('Document').removesuffix('Listed')}Page"
        following = {
            "type": ["string", "null"],
            "format": "uri",
            "description": _NEXT,
        }
        self.lists[name] = {
            "type": "object",
            "properties": {"next": following, "results": {"type": "array", "items": self._reference(struct)}},
            "required": ["next", "results"],
        }
        return {"$ref": f"#/components/schemas/{name}"}


def _description(*docstrings: str | None) -> str:
    """The first docstring that says more than where the view is, without indentation."""
    found = next((one for one in docstrings if one and not one.startswith("At ``")), "")
    return re.sub(r"\s*\n[ \t]*(?!\n)", "\n", found).strip()


def _is_public(method: str, view: type[Any], described: Operation | None) -> bool:
    """Whether the operation needs no token."""
    by_itself = described is not None and described.public
    return by_itself or AllowAny in view.permission_classes or (method == "get" and issubclass(view, Reading))


def _security(view: type[Any], *, public: bool) -> list[Json]:
    schemes: list[Json] = [{one.security: []} for one in view.authentication_classes]
    return [{}, *schemes] if public or not schemes else schemes


def _path_parameter(kind: str, name: str) -> Json:
    known = {"description": _WORDS.get(name, ""), "schema": {"type": _TYPES[kind]}}
    return {"name": name, "in": "path", "required": True, **known}


def _parameter(parameter: Parameter) -> Json:
    schema = dict(parameter.schema)
    if parameter.default is not None:
        schema["default"] = parameter.default
    described: Json = {"name": parameter.name, "in": "query", "description": parameter.meaning, "schema": schema}
    if parameter.required:
        described["required"] = True
    if parameter.example is not None:
        described["example"] = parameter.example
    if isinstance(parameter, Names):
        described |= {"style": "form", "explode": False}
    return described


# --- The document ----------------------------------------------------------------------------------------------------

_DESCRIPTION: Final = """\
Everything that the site shows, uploads of bots, and remote bots.

Reading needs no token. Every error is a problem document (RFC 9457); its `detail` says what to do. Lists have parts: \
`next` is the URL of the next part. Ratings are in points, times in UTC."""


@cache
def document() -> Json:
    """The document, which is the same for every client. It is made once per process. Do not change it."""
    builder = _Builder()
    for pattern in get_resolver("esr_platform.api.urls").url_patterns:
        view = getattr(pattern.callback, "cls", None) or getattr(pattern.callback, "view_class", None)
        if view is not None:
            builder.add(str(pattern.pattern), view)
    operations = {one["operationId"]: one for _, _, one in _operations(builder.paths)}
    for link in LINKS:
        name = f"{link.target}_by_{'_'.join(link.parameters)}"
        for status in {"200", "201"} & set(operations[link.source]["responses"]):
            links = operations[link.source]["responses"][status].setdefault("links", {})
            links[name] = {"operationId": link.target, "parameters": link.parameters}
    schemas = {**components(sorted(builder.structs, key=lambda one: one.__name__)), **builder.lists}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{settings.SITE_NAME} API", "version": "1", "description": _DESCRIPTION},
        "paths": dict(sorted(builder.paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {name: _error(*error) for name, error in _ERRORS.items()},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token from your account page: `esr_…`.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": settings.SESSION_COOKIE_NAME,
                    "description": "The session of a signed-in browser. POST also needs the header `X-CSRFToken`.",
                },
            },
        },
    }


def _operations(paths: Json) -> Iterator[tuple[str, str, Json]]:
    for path, item in paths.items():
        for method, operation in item.items():
            yield path, method, operation


# --- Views -----------------------------------------------------------------------------------------------------------

_EMPTY: Final = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
"""The hash of an empty style element."""


@require_safe
def schema(_request: HttpRequest) -> HttpResponse:
    """The document as JSON."""
    return HttpResponse(_encoded(), content_type="application/json", headers={"Cache-Control": "no-cache"})


@cache
def _encoded() -> bytes:
    return orjson.dumps(document(), default=str)


@require_safe
def redoc(request: HttpRequest) -> HttpResponse:
    """The reference page. Redoc makes empty style elements and fills them by script, which its policy allows."""
    policy = {**settings.CONTENT_SECURITY_POLICY, "style-src": f"'self' '{_EMPTY}'"}
    response = render(request, "api/redoc.html")
    response.headers["Content-Security-Policy"] = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers["Cache-Control"] = "no-store"  # a 304 would bring the policy of all other pages
    return response
