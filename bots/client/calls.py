"""Shared parts of both API clients: errors, events, streams, retries and calls."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, Final, Generic, Literal, NotRequired, TypedDict, TypeVar, cast
from urllib.parse import urlsplit

import httpx2
import orjson

from bots.protocol import Decide, End, Hello

# --- Errors ----------------------------------------------------------------------------------------------------------


class ClientError(Exception):
    """Base class of all errors of a call."""


class Unreachable(ClientError):
    """The site did not respond within the patience of the client."""


class Closed(ClientError):
    """The site ended a stream permanently: a newer stream was opened, or the token was revoked (``reason``)."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The site closed the stream: {reason}")
        self.reason = reason


class Problem(ClientError):
    """The site returned an error, which is usually a problem document (RFC 9457).

    ``code`` identifies the error, ``detail`` explains it, ``document`` is the full response body, and
    ``retry_after_s`` is the number of seconds until the next attempt, or ``None``.
    """

    def __init__(
        self, status: int, code: str, detail: str, document: Mapping[str, Any], retry_after_s: float | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.document = document
        self.retry_after_s = retry_after_s


# --- Compressed files ------------------------------------------------------------------------------------------------

ANYTHING: Final = "*/*"
"""``Accept`` header of requests whose URL determines the media type."""

_GZIP: Final = 16 + zlib.MAX_WBITS


class PackedLines:
    """Parses gzipped JSON lines. Lines that a broken connection left incomplete are never returned."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._member = zlib.decompressobj(_GZIP)

    def feed(self, data: bytes) -> Iterator[Document]:
        """Yield the objects that ``data`` completes. Raises ``ValueError`` for invalid gzip data and JSON."""
        while data:
            try:
                yield from self._lines.feed(self._member.decompress(data))
            except zlib.error as error:
                raise ValueError(f"the response is not valid gzip data: {error}") from error
            data = self._member.unused_data
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)


# --- Events of a remote bot ------------------------------------------------------------------------------------------

Document = dict[str, Any]
"""A JSON object."""


class GameStart(TypedDict):
    """A running game. It is sent when the game begins, and again when a stream opens. ``players`` are in seat order."""

    type: Literal["game_start"]
    game: int
    rated: bool
    ladder: str
    players: list[Document]
    message: Hello


class OpenDecision(TypedDict):
    """An open decision. ``decision`` is its number, the ``id`` of ``message``.

    ``log_from`` is the position of the first log entry of ``message`` in the log of the game: 0 after a (re)connect.
    """

    type: Literal["decide"]
    game: int
    decision: int
    log_from: int
    message: Decide


class GameEnd(TypedDict):
    """A finished game. Without a result, ``message`` is ``None`` and ``reason`` contains the reason."""

    type: Literal["game_end"]
    game: int
    message: End | None
    status: str
    reason: NotRequired[str | None]


class Challenged(TypedDict):
    """An open challenge. ``challenge`` contains ``id``, ``ladder``, ``players`` and ``expires``."""

    type: Literal["challenge"]
    challenge: Document


Event = GameStart | OpenDecision | GameEnd | Challenged
"""An event of ``events()``. Unknown types of later API versions are skipped."""


# --- Streams ---------------------------------------------------------------------------------------------------------

NDJSON: Final = "application/x-ndjson"
SILENCE_S: Final = 20.0
"""Seconds of silence after which a stream is considered dead.

The site sends an empty line to bots every 7 s and to spectators every 15 s.
"""

LONGEST_LINE: Final = 16 * 2**20
"""Maximum bytes per line, about twenty times the complete log of the longest game."""

_KNOWN: Final = ("challenge", "game_start", "decide", "game_end")


class Lines:
    """Parses the pieces of a JSON lines stream. Empty lines are keep-alives and are skipped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Document]:
        """Yield the objects that ``data`` completes. Raises ``ValueError`` for invalid JSON and overlong lines."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise ValueError(f"a line of the stream is longer than {LONGEST_LINE} bytes")
        for line in lines:
            if line.strip():
                yield _object(line)


def read_event(document: Document) -> Event | None:
    """Return ``document`` as an event, or ``None`` if its type is unknown.

    Raises ``Closed`` for the last event of a stream that must not be reopened.
    """
    kind = document.get("type")
    if kind == "closed":
        raise Closed(str(document.get("reason") or "no reason given"))
    return cast("Event", document) if kind in _KNOWN else None


def _object(line: bytes) -> Document:
    document: Any = orjson.loads(line)
    if not isinstance(document, dict):
        raise ValueError("a line of the stream is not a JSON object")
    return document


# --- Connection ------------------------------------------------------------------------------------------------------

API: Final = "/api/v1/"
CONNECT_S: Final = 10.0
STREAMING: Final = httpx2.Timeout(CONNECT_S, read=SILENCE_S)


def options(site: str, token: str) -> dict[str, Any]:
    """Return the arguments of an httpx2 client. Raises ``ValueError`` if ``site`` is not a valid URL."""
    headers = {"User-Agent": "esr-client/1", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return {"base_url": base_url(site), "headers": headers, "timeout": httpx2.Timeout(CONNECT_S)}


def base_url(site: str) -> str:
    """Return the base URL of the API of ``site``. Raises ``ValueError``."""
    parts = urlsplit(site.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ValueError(f"Invalid site URL {site!r}. Use a URL such as https://arena.example.org.")
    return site.strip().rstrip("/").removesuffix(API.rstrip("/")) + API


# --- Verdicts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The response to an answer. ``detail`` explains why a move was not played; ``document`` is the full body.

    - 200: played, now or by an earlier request with the same answer.
    - 409: too late, or another answer was already submitted.
    - 422: illegal or malformed; the bot got a strike.
    - 404: the decision is not open for this seat. Nothing was changed.
    """

    status: int
    detail: str
    document: Document

    @property
    def played(self) -> bool:
        """Whether the move was played."""
        return self.status == httpx2.codes.OK


def read_verdict(response: httpx2.Response) -> Verdict:
    """Return the verdict in a response."""
    document = document_of(response)
    return Verdict(response.status_code, str(document.get("detail", "")), document)


# --- Pauses ----------------------------------------------------------------------------------------------------------

FIRST_S: Final = 0.25
LONGEST_S: Final = 15.0


class Backoff:
    """Exponential backoff with jitter, from 0.25 s to 15 s.

    All bots lose their connections at the same time when a site restarts. The jitter spreads their reconnects.
    """

    def __init__(self, random: Random | None = None) -> None:
        self._random = random or Random()
        self._tries = 0

    def next_s(self, retry_after_s: float | None = None) -> float:
        """Return the seconds until the next attempt, at least ``retry_after_s`` if the site requested it."""
        longest = min(LONGEST_S, FIRST_S * 2**self._tries)
        self._tries = min(self._tries + 1, 16)
        pause = self._random.uniform(longest / 2, longest)
        return pause if retry_after_s is None else retry_after_s + pause / 4

    def reset(self) -> None:
        """Start again with the shortest pause, after a success."""
        self._tries = 0


# --- Responses -------------------------------------------------------------------------------------------------------

RETRY_STATUSES: Final = frozenset({429, 502, 503, 504})
"""Statuses after which a retry can succeed."""


def problem_of(response: httpx2.Response) -> Problem:
    """Return the error in a response with a status of 400 or more. The body must have been read."""
    document = document_of(response)
    detail = str(document.get("detail") or f"The site returned {response.status_code} {response.reason_phrase}.")
    fields = document.get("fields")
    if isinstance(fields, dict):
        detail += "".join(f" {name}: {_words(problem)}" for name, problem in fields.items())
    code = str(document.get("code") or "error")
    return Problem(response.status_code, code, detail, document, retry_after_s(response))


def retry_pause_s(problem: Problem) -> float | None:
    """Return the seconds that the site asks to wait, if any. Raises ``problem`` if a retry cannot succeed."""
    if problem.status not in RETRY_STATUSES:
        raise problem
    return problem.retry_after_s


def document_of(response: httpx2.Response) -> Document:
    """Return the JSON object in the body, or an empty one for other bodies such as a proxy's error page."""
    try:
        document = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def retry_after_s(response: httpx2.Response) -> float | None:
    """Return ``Retry-After`` in seconds, or ``None`` if the header is missing or contains a date."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdecimal() else None


def _words(problem: object) -> str:
    return " ".join(map(str, problem)) if isinstance(problem, list) else str(problem)


# --- Retries ---------------------------------------------------------------------------------------------------------


PATIENCE_S: Final = 60.0
"""Time for which a client retries a call, if it is not given another one."""


class Tries:
    """The attempts of one call, for up to ``patience_s`` seconds in all.

    A call that is not repeatable is retried only if the first attempt certainly had no effect.
    """

    def __init__(self, call: Call[Any], patience_s: float) -> None:
        self._repeatable, self._retried = call.repeatable, call.retried
        self._until = monotonic() + (patience_s if call.patience_s is None else call.patience_s)
        self._backoff = Backoff()

    def after_refusal(self, response: httpx2.Response) -> float:
        """Return the seconds to wait after an error response. Raises ``Problem`` if a retry is useless or too late."""
        certain = response.status_code in (httpx2.codes.TOO_MANY_REQUESTS, httpx2.codes.SERVICE_UNAVAILABLE)
        problem = problem_of(response)
        if response.status_code not in self._retried or not (self._repeatable or certain):
            raise problem
        return self._in_time(self._backoff.next_s(retry_after_s(response)), problem)

    def after_break(self, error: httpx2.TransportError) -> float:
        """Return the seconds to wait after a connection failed. Raises ``Unreachable`` if it is too late."""
        remedy = "Use http:// in its URL" if "WRONG_VERSION_NUMBER" in str(error) else "Is it running?"
        unreachable = Unreachable(f"Cannot reach the site: {str(error) or type(error).__name__}. {remedy}")
        if not self._repeatable and not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            raise unreachable from error
        return self._in_time(self._backoff.next_s(), unreachable)

    def _in_time(self, pause_s: float, error: ClientError) -> float:
        if monotonic() + pause_s > self._until:
            raise error
        return pause_s


def arguments(call: Call[Any]) -> dict[str, Any]:
    """Return the arguments of ``httpx2.Client.request`` for ``call``."""
    return {
        "method": call.method,
        "url": call.path,
        "params": dict(call.params) or None,
        "json": call.json,
        "data": None if call.data is None else dict(call.data),
        "files": None if call.files is None else dict(call.files),
        "content": call.content,
        "headers": dict(call.headers) or None,
        "timeout": call.timeout_s,
    }


def is_answer(call: Call[Any], response: httpx2.Response) -> bool:
    """Return whether the call can read ``response``."""
    return response.is_success or response.status_code in call.understood


# --- Calls -----------------------------------------------------------------------------------------------------------

T = TypeVar("T")

ANSWER_S: Final = 30.0
"""Maximum response time of the site, in seconds."""


def _json(response: httpx2.Response) -> Any:
    return response.json()


def json_or_nothing(response: httpx2.Response) -> Any:
    """Return the document in the body, or ``None`` for any other status than 200 and for an empty body."""
    return response.json() if response.status_code == httpx2.codes.OK and response.content else None


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request. ``path`` is relative to ``/api/v1/``, or a URL. ``read`` converts the response to the result.

    A ``repeatable`` call is idempotent, so it is retried if the connection breaks. ``retried`` contains the statuses
    after which it is retried, for ``patience_s`` seconds (``None``: the patience of the client). ``understood``
    contains the error statuses that ``read`` can also convert.
    """

    method: str
    path: str
    read: Callable[[httpx2.Response], T] = _json
    params: Mapping[str, str | int] = field(default_factory=dict)
    json: Any = None
    data: Mapping[str, str] | None = None
    files: Mapping[str, tuple[str, bytes]] | None = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True
    retried: frozenset[int] = RETRY_STATUSES
    patience_s: float | None = None
    understood: frozenset[int] = frozenset()
    timeout_s: float = ANSWER_S


def as_bot(bot: str | None) -> dict[str, str | int]:
    """Return the parameter that names the remote bot for which a token is used."""
    return {} if bot is None else {"bot": bot}
