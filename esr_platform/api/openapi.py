"""Build the OpenAPI document: operations, components, errors and links between operations."""

from __future__ import annotations

import gzip
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
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from rest_framework.permissions import AllowAny

from esr_platform.api.documents import Operation, Structs, components, example, reference
from esr_platform.api.endpoint import CROSS_ORIGIN
from esr_platform.api.http import (
    CONTENT_TYPE,
    INVALID,
    SERVER_ERROR,
    UNAUTHENTICATED,
    UNAVAILABLE,
    ProblemDocument,
    paced,
    problem,
)
from esr_platform.api.parameters import Names, Parameter
from esr_platform.api.resources.live_games import HUMAN_PLAYERS, LIVE_GAMES, OPERATIONS, REMOTE_BOT, STREAM
from esr_platform.api.resources.views import Described, Reading

Json = dict[str, Any]

# --- Links -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OperationLink:
    """A link from a response of ``source`` to the operation ``target``. The response contains its ``parameters``."""

    source: str
    target: str
    parameters: dict[str, str]


def _from_list(source: str, target: str, **parameters: str) -> OperationLink:
    return OperationLink(
        source, target, {name: f"$response.body#/results/0/{field}" for name, field in parameters.items()}
    )


def _from_one(source: str, target: str, **parameters: str) -> OperationLink:
    return OperationLink(source, target, {name: f"$response.body#/{field}" for name, field in parameters.items()})


_MATCHES: Final = ("matches", "ladder_matches", "bot_matches")

LINKS: Final[tuple[OperationLink, ...]] = (
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
    *(
        _from_one(source, "version", slug="bot", number="number")
        for source in ("upload_bot", "upload_version", "register_bot")
    ),
    _from_one("exhibition", "exhibition_state", exhibition_id="id"),
    _from_one("exhibition_state", "match", match_id="matches/0"),
    _from_list("cups", "cup", slug="slug"),
    *(_from_one("cup", target, slug="slug") for target in ("cup_entries", "cup_standings", "cup_rounds", "cup_ledger")),
    _from_list("cup_entries", "bot", slug="bot"),
    _from_list("cup_standings", "bot", slug="bot"),
)


# --- Errors ----------------------------------------------------------------------------------------------------------

_ERRORS: Final = {
    "Invalid": (400, "invalid", INVALID, "A parameter or a field is missing or invalid."),
    "Unauthorized": (
        *(401, "not_authenticated", UNAUTHENTICATED),
        "The token is missing, unknown, revoked or expired.",
    ),
    "Forbidden": (
        *(403, "permission_denied"),
        "This token does not have the scope 'upload'. Create a token with it on your account page.",
        "The token does not have the required scope, or belongs to another bot.",
    ),
    "NotFound": (404, "not_found", "Ladder not found.", "The object does not exist, or you do not have access to it."),
    "Conflict": (
        *(409, "late"),
        "The answer arrived too late. 'played' is the move that was played instead.",
        "The request conflicts with the current state.",
    ),
    "Refused": (
        *(422, "entry_missing"),
        "bot.py, the file to start, is not in the archive. Add it, or name another file in bot.toml.",
        "The request is well-formed, but a rule of the site does not allow it.",
    ),
    "TooMany": (
        *(429, "throttled", "Too many requests. Try again in 17 s."),
        "You have reached a rate limit. Wait as long as `Retry-After` says.",
    ),
    "Away": (
        *(503, "redis_away", UNAVAILABLE),
        "The site is temporarily unavailable. Repeat the request after `Retry-After` seconds.",
    ),
    "Other": (500, "error", SERVER_ERROR, "Any other error."),
}
"""By response name: the status, an example code, an example detail, and the description."""


def _error(status: int, code: str, detail: str, about: str) -> Json:
    content = {"schema": reference(ProblemDocument), "example": problem(HTTPStatus(status), code, detail)}
    response: Json = {"description": about, "content": {CONTENT_TYPE: content}}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        schema = {"type": "integer", "minimum": 1}
        response["headers"] = {"Retry-After": {"description": "Seconds until the next attempt.", "schema": schema}}
    return response


def _errors(path: str, method: str, operation: Json) -> dict[str, Json]:
    """Return all errors of an operation by status."""
    parameters = operation["parameters"]
    responses = {"401": "Unauthorized", "429": "TooMany", "503": "Away", "default": "Other"}
    if parameters or method != "get":
        responses["400"] = "Invalid"
    if "{" in path or any(parameter["in"] == "query" and parameter.get("required") for parameter in parameters):
        responses["404"] = "NotFound"
    if {} not in operation["security"]:
        responses["403"] = "Forbidden"
    if method in ("post", "put", "patch"):
        responses["422"] = "Refused"
    return {status: {"$ref": f"#/components/responses/{name}"} for status, name in responses.items()}


# --- Operations ------------------------------------------------------------------------------------------------------

_TAGS: Final = {
    "games": "Games",
    "ladders": "Ladders",
    "head-to-head": "Ladders",
    "matches": "Matches",
    "bots": "Bots",
    "remote-bots": "Bots",
    "uploads": "Bots",
    "people": "Users",
    "cups": "Cups",
    "exhibitions": "Exhibition matches",
    "challenges": "Challenges",
    "lobby": LIVE_GAMES,
    "bot": REMOTE_BOT,
    "token": "Tokens",
}
"""Tags of operations by the first segment of the URL, in the order of the document."""

_TAG_DESCRIPTIONS: Final = {
    "Games": "The games, their rules, and the JSON Schemas of their documents.",
    "Ladders": "Ladders with their standings, seasons and head-to-head results, and the memberships of your bots.",
    "Matches": "Queued, running and finished matches with their records, logs and replays.",
    "Bots": "Bots with their versions, ratings and matches. Upload bots, register remote bots, and activate versions.",
    "Users": "Public profiles of users.",
    "Cups": "Tournaments of hosted bots: entries, standings, rounds and ledgers. Enter your bots, or organize a cup.",
    "Exhibition matches": "Unrated matches on request: test matches, challenges and version comparisons.",
    "Challenges": "Casual live games that you propose to other players.",
    LIVE_GAMES: "Running games and the lobby, as spectators see them.",
    REMOTE_BOT: "Play with a remote bot. A bot token needs no `bot` parameter. "
    "The messages are those of the bot protocol for hosted bots.",
    HUMAN_PLAYERS: "Play in a browser. These endpoints need a browser session instead of a token.",
    "Tokens": "The token that you use.",
}

_PATH_PARAMETERS: Final = {
    "games": "Slug of the game.",
    "schemas": "Name of the document: one of `documents` of the game.",
    "ladders": "Slug of the ladder.",
    "members": "Slug of the bot.",
    "seasons": "Number of the season, from 1.",
    "bots": "Slug of the bot.",
    "remote-bots": "Slug of the remote bot.",
    "versions": "Number of the version, from 1.",
    "matches": "Id of the match.",
    "decisions": "Number of the decision, from 1.",
    "people": "Username, not case-sensitive.",
    "challenges": "Id of the challenge.",
    "exhibitions": "Id of the match request.",
    "cups": "Slug of the cup.",
    "rounds": "Number of the round, from 1.",
    "entries": "Slug of the bot.",
    "organizers": "Username of the co-organizer.",
}
"""Descriptions of path parameters by the preceding segment of the URL."""

_TYPES: Final = {"int": "integer", "slug": "string", "str": "string"}
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_OBJECT: Final[Json] = {"type": "object", "additionalProperties": {}}
_NEXT: Final = "URL of the next page; null on the last page."
_BINARY: Final[Json] = {"type": "string", "format": "binary"}


class _Builder:
    """Collects the paths of the document and the structs that they use."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, Json]] = {}
        self.structs: set[type[msgspec.Struct]] = {ProblemDocument}
        self.lists: dict[str, Json] = {}

    def add(self, route: str, view: type[Any]) -> None:
        """Add all described methods of ``view``."""
        url = re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        path, first = f"/api/v1/{url}", url.split("/")[0]
        in_path = [_path_parameter(*parts) for parts in re.findall(r"([\w-]+)/<(\w+):(\w+)>", route)]
        for method in _METHODS:
            handler = getattr(view, method, None)
            described = OPERATIONS.get((url, method)) or getattr(handler, "operation", None)
            if described is None:
                continue
            query = list(described.query)
            if method == "get" and issubclass(view, Reading):
                query += [
                    parameter for parameter in view.all_parameters() if not isinstance(parameter, Names)
                ]  # see _DESCRIPTION
            operation: Json = {
                "operationId": described.name,
                "summary": described.summary,
                "description": described.description or _description(handler.__doc__, view.__doc__),
                "tags": [described.tag or _TAGS[first]],
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
        """Return the content of a response by media type."""
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
        """Return the schema of one of ``structs``, and an example of the first."""
        if not isinstance(structs, tuple):
            return self._reference(structs), example(structs)
        return {"oneOf": [self._reference(struct) for struct in structs]}, example(structs[0])

    def _reference(self, struct: type[msgspec.Struct]) -> Json:
        self.structs.add(struct)
        return dict(reference(struct))

    def _list(self, struct: type[msgspec.Struct]) -> Json:
        name = f"{struct.__name__.removesuffix('Document').removesuffix('Listed')}Page"
        following = {"type": ["string", "null"], "format": "uri", "description": _NEXT}
        results = {"type": "array", "items": self._reference(struct), "description": "Items of the page."}
        self.lists[name] = {
            "type": "object",
            "properties": {"next": following, "results": results},
            "required": ["next", "results"],
        }
        return {"$ref": f"#/components/schemas/{name}"}


def _description(*docstrings: str | None) -> str:
    """Return the first docstring that is more than the URL of the view, without indentation."""
    text = next((docstring for docstring in docstrings if docstring and not docstring.startswith("At ``")), "")
    return re.sub(r"\s*\n[ \t]*(?!\n)", "\n", text).strip()


def _is_public(method: str, view: type[Any], described: Operation | None) -> bool:
    """Return whether the operation needs no token."""
    by_itself = described is not None and described.public
    return by_itself or AllowAny in view.permission_classes or (method == "get" and issubclass(view, Reading))


def _security(view: type[Any], *, public: bool) -> list[Json]:
    schemes: list[Json] = [{scheme.security: []} for scheme in view.authentication_classes]
    return [{}, *schemes] if public or not schemes else schemes


def _path_parameter(segment: str, kind: str, name: str) -> Json:
    known = {"description": _PATH_PARAMETERS[segment], "schema": {"type": _TYPES[kind]}}
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
    return described


# --- The document ----------------------------------------------------------------------------------------------------

_DESCRIPTION: Final = """\
Read the public data of the site, upload bots, and play with remote bots.

## Authentication

Public data needs no token. For all other requests, create a token on your account page and send it in a header:

    Authorization: Bearer esr_…

Each token has one or more scopes:

- `read`: read your private ladders and all data about your bots.
- `play`: play with your remote bots, and create and accept challenges.
- `upload`: upload bots and versions, and register remote bots.
- `manage`: activate versions, join and leave ladders, request matches, enter and organize cups.

A token can also belong to one remote bot. It can then only play, and only with this bot.

## Lists

Lists are paginated. `results` contains the items of one page, and `next` is the URL of the next page or null. \
`limit` sets the page size and `order` the order. \
Unknown and invalid query parameters return 400, so that a typo is never ignored.

## Selected fields

GET requests for documents and lists accept the query parameter `fields`, for example `?fields=rank,name,rating`. \
The response then contains only these fields of each document and those that identify it. \
The schemas describe responses without `fields`.

## Errors

Every error is a problem document (RFC 9457) with the media type `application/problem+json`. \
`code` identifies the error for programs, and `type` is the URL of its description. \
`detail` explains what happened and what to do. \
If `code` is `invalid`, `fields` contains the messages for each invalid parameter or field. \
The field `code` of `ProblemDocument` lists the codes of rules and limits.

## Rate limits

The number of requests per minute is limited. Responses contain `RateLimit-Policy`, such as `"read";q=240;w=60`: \
240 requests in 60 s. `RateLimit`, such as `"read";r=239;t=42`, contains the remaining requests and the seconds \
until they are renewed (draft-ietf-httpapi-ratelimit-headers). A request over the limit returns 429, \
and `Retry-After` contains the number of seconds to wait.

## Other sites

Pages of other sites can read all data that needs no token (CORS): GET requests without cookies or tokens.

## Conventions

- Times are in UTC (RFC 3339). Ratings are in points.
- Responses with an `ETag` can be revalidated with `If-None-Match`.
- New endpoints, fields and event types can be added. Existing ones keep their meaning."""


@cache
def document() -> Json:
    """Return the document, which is built once per process. Do not modify it."""
    builder = _Builder()
    for pattern in get_resolver("esr_platform.api.urls").url_patterns:
        view = getattr(pattern.callback, "cls", None) or getattr(pattern.callback, "view_class", None)
        if view is not None:
            builder.add(str(pattern.pattern), view)
    operations = {described["operationId"]: described for _, _, described in _operations(builder.paths)}
    for link in LINKS:
        name = f"{link.target}_by_{'_'.join(link.parameters)}"
        for status in {"200", "201"} & set(operations[link.source]["responses"]):
            links = operations[link.source]["responses"][status].setdefault("links", {})
            links[name] = {"operationId": link.target, "parameters": link.parameters}
    schemas = {**components(sorted(builder.structs, key=lambda struct: struct.__name__)), **builder.lists}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"{settings.SITE_NAME} API",
            "version": "1",
            "description": _DESCRIPTION,
            "contact": {"name": settings.SITE_NAME, "url": f"{settings.SITE_URL}/about/"},
            "license": {"name": "Results and game records: CC BY 4.0", "identifier": "CC-BY-4.0"},
        },
        "servers": [{"url": settings.SITE_URL}],
        "tags": [{"name": name, "description": text} for name, text in _TAG_DESCRIPTIONS.items()],
        "paths": dict(sorted(builder.paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {name: _error(*error) for name, error in _ERRORS.items()},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token that you created on your account page: `esr_…`.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": settings.SESSION_COOKIE_NAME,
                    "description": "Session cookie of a browser. POST requests also need the header `X-CSRFToken`.",
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
"""Hash of an empty style element."""


@require_safe
@paced
def schema(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document as JSON, which is compressed only once."""
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    content = _packed() if packed else _encoded()
    response = HttpResponse(content, content_type="application/json", headers=CROSS_ORIGIN)
    response.headers["Cache-Control"] = "no-cache"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


@cache
def _encoded() -> bytes:
    return orjson.dumps(document(), default=str)


@cache
def _packed() -> bytes:
    return gzip.compress(_encoded(), mtime=0)


@require_safe
@paced
def redoc(request: HttpRequest) -> HttpResponse:
    """Return the Redoc page. Redoc adds empty style elements and fills them by script; its policy allows these."""
    policy = {**settings.CONTENT_SECURITY_POLICY, "style-src": f"'self' '{_EMPTY}'"}
    response = render(request, "api/redoc.html")
    response.headers["Content-Security-Policy"] = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers["Cache-Control"] = "no-store"  # with a 304, browsers would use the policy of other pages
    return response
