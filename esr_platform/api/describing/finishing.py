"""What makes the generated document complete: errors, examples, links, words on parameters, and the live addresses."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from esr_platform.api.describing.examples import EXAMPLES
from esr_platform.api.describing.links import LINKS, Link
from esr_platform.api.describing.live import OPERATIONS
from esr_platform.api.describing.messages import SCHEMAS
from esr_platform.api.problems import CONTENT_TYPE, problem

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
