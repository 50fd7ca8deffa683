"""What both clients of the API share: errors, events, streams, retries, and a call as a value."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, Final, Generic, Literal, NotRequired, TypedDict, TypeVar, cast
from urllib.parse import urlsplit

import httpx
import orjson

from bots.protocol import Decide, End, Hello

# --- Errors ----------------------------------------------------------------------------------------------------------


class ClientError(Exception):
    """Anything that keeps a call from its answer."""


class Unreachable(ClientError):
    """The site did not answer, for as long as the client was told to try."""


class Closed(ClientError):
    """The site has ended the stream for good; ``reason`` says why: a newer one was opened, the token was revoked."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The site has closed the stream: {reason}")
        self.reason = reason


class Problem(ClientError):
    """The site has refused a call: a problem document (RFC 9457), whatever the answer's body was.

    ``code`` is a word for programs, ``detail`` says what to do, ``document`` has whatever else was said, and
    ``retry_after_s`` is when to come again where waiting helps.
    """

    def __init__(
        self, status: int, code: str, detail: str, document: Mapping[str, Any], retry_after_s: float | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.document = document
        self.retry_after_s = retry_after_s


# --- Packed files ----------------------------------------------------------------------------------------------------

ANYTHING: Final = "*/*"
"""What is accepted where the address alone says what comes."""

_GZIP: Final = 16 + zlib.MAX_WBITS


class PackedLines:
    """The JSON objects in gzipped lines. What a broken connection has left incomplete is never given out."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._member = zlib.decompressobj(_GZIP)

    def feed(self, data: bytes) -> Iterator[Document]:
        """The objects that ``data`` completes. Raises ``ValueError`` for what is no gzip, or no JSON object."""
        while data:
            try:
                yield from self._lines.feed(self._member.decompress(data))
            except zlib.error as error:
                raise ValueError(f"what the site sent is no gzip: {error}") from error
            data = self._member.unused_data
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)


# --- Events of a remote bot ------------------------------------------------------------------------------------------

Document = dict[str, Any]
"""One JSON object."""


class GameStart(TypedDict):
    """A game that runs, told at its beginning and again whenever a stream is opened; ``players`` are by seat."""

    type: Literal["game_start"]
    game: int
    rated: bool
    ladder: str
    players: list[Document]
    message: Hello


class Asked(TypedDict):
    """A decision that is owed; ``decision`` is its number, the ``id`` of ``message``.

    ``log_from`` is where the log of ``message`` begins in that of the whole game: 0 after a (re)connect.
    """

    type: Literal["decide"]
    game: int
    decision: int
    log_from: int
    message: Decide


class GameEnd(TypedDict):
    """A game has ended; ``message`` is ``None`` where it has no result, and ``reason`` says why."""

    type: Literal["game_end"]
    game: int
    message: End | None
    status: str
    reason: NotRequired[str | None]


class Challenged(TypedDict):
    """Somebody would like to play; ``challenge`` has its ``id``, ``ladder``, ``players`` and when it ``expires``."""

    type: Literal["challenge"]
    challenge: Document


Event = GameStart | Asked | GameEnd | Challenged
"""What ``events()`` gives; what later versions of the API add is left out."""


# --- Streams ---------------------------------------------------------------------------------------------------------

NDJSON: Final = "application/x-ndjson"
SILENCE_S: Final = 20.0
"""A stream that says nothing for so long is dead: the site keeps it alive with an empty line every seven seconds."""

LONGEST_LINE: Final = 16 * 2**20
"""Bytes. A whole log of the longest game has a twentieth of that."""

_KNOWN: Final = ("challenge", "game_start", "decide", "game_end")


class Lines:
    """Puts the pieces of a stream together to its JSON objects; empty lines, the keep-alives, are left out."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Document]:
        """The objects that ``data`` completes. Raises ``ValueError`` for what is no JSON object, or has no end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise ValueError(f"a line of the stream is longer than {LONGEST_LINE} bytes")
        for line in lines:
            if line.strip():
                yield _object(line)


def read_event(document: Document) -> Event | None:
    """``document`` as an event; ``None`` for one that this version does not know.

    Raises ``Closed`` for the last event of a stream that is not to be opened again.
    """
    kind = document.get("type")
    if kind == "closed":
        raise Closed(str(document.get("reason") or "it does not say why"))
    return cast("Event", document) if kind in _KNOWN else None


def _object(line: bytes) -> Document:
    document: Any = orjson.loads(line)
    if not isinstance(document, dict):
        raise ValueError("a line of the stream is no JSON object")
    return document


# --- Connection ------------------------------------------------------------------------------------------------------

API: Final = "/api/v1/"
CONNECT_S: Final = 10.0
STREAMING: Final = httpx.Timeout(CONNECT_S, read=SILENCE_S)


def options(site: str, token: str) -> dict[str, Any]:
    """What httpx's clients are made with. Raises ``ValueError`` for a ``site`` that is no address."""
    headers = {"User-Agent": "esr-client/1", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return {"base_url": base_url(site), "headers": headers, "timeout": httpx.Timeout(CONNECT_S)}


def base_url(site: str) -> str:
    """The address of the API of ``site``. Raises ``ValueError``."""
    parts = urlsplit(site.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ValueError(f"{site!r} is no address of a site: write it as https://arena.example.org.")
    return site.strip().rstrip("/").removesuffix(API.rstrip("/")) + API


# --- Verdicts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The site's word on one answer. ``detail`` is a sentence where the move was not played; ``document`` has it all.

    - 200: ``played``, now or when the same answer came before;
    - 409: too late, or the decision was answered otherwise;
    - 422: illegal or malformed, which is the decision's strike;
    - 404: never asked, or not of this seat. Nothing has moved.
    """

    status: int
    detail: str
    document: Document

    @property
    def played(self) -> bool:
        """Whether the move stands in the game."""
        return self.status == httpx.codes.OK


def read_verdict(response: httpx.Response) -> Verdict:
    """The verdict that an answer of the site is."""
    document = document_of(response)
    return Verdict(response.status_code, str(document.get("detail", "")), document)


# --- Pauses ----------------------------------------------------------------------------------------------------------

FIRST_S: Final = 0.25
LONGEST_S: Final = 15.0


class Backoff:
    """Pauses that double from a quarter of a second to fifteen, each drawn from its upper half.

    Thousands of bots lose their connection in the same moment when a site restarts: the draw keeps them from coming
    back in one. ``reset`` begins anew once something has worked.
    """

    def __init__(self, random: Random | None = None) -> None:
        self._random = random or Random()
        self._tries = 0

    def next_s(self, retry_after_s: float | None = None) -> float:
        """Seconds until the next try; never before ``retry_after_s``, which the site has asked for."""
        longest = min(LONGEST_S, FIRST_S * 2**self._tries)
        self._tries = min(self._tries + 1, 16)
        pause = self._random.uniform(longest / 2, longest)
        return pause if retry_after_s is None else retry_after_s + pause / 4

    def reset(self) -> None:
        """The last try has worked."""
        self._tries = 0


# --- Responses -------------------------------------------------------------------------------------------------------

COME_AGAIN: Final = frozenset({429, 502, 503, 504})
"""Statuses after which the same request may be answered."""


def problem_of(response: httpx.Response) -> Problem:
    """The error that a response with a status from 400 on is; its body has been read."""
    document = document_of(response)
    detail = str(document.get("detail") or f"The site answered {response.status_code} {response.reason_phrase}.")
    fields = document.get("fields")
    if isinstance(fields, dict):
        detail += "".join(f" {name}: {_words(said)}" for name, said in fields.items())
    code = str(document.get("code") or "error")
    return Problem(response.status_code, code, detail, document, retry_after_s(response))


def come_again_s(problem: Problem) -> float | None:
    """When to come again after ``problem``, if the site has said so. Raises it where waiting is no use."""
    if problem.status not in COME_AGAIN:
        raise problem
    return problem.retry_after_s


def document_of(response: httpx.Response) -> Document:
    """The JSON object that was sent; empty where the body is none, such as a proxy's page."""
    try:
        document = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def retry_after_s(response: httpx.Response) -> float | None:
    """The seconds of ``Retry-After``; a date in it is not read, and taken as no wish."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdecimal() else None


def _words(said: object) -> str:
    return " ".join(map(str, said)) if isinstance(said, list) else str(said)


# --- Retries ---------------------------------------------------------------------------------------------------------


class Tries:
    """The tries of one call: at most for ``patience_s`` seconds, waiting included.

    A call that must not be made twice is sent again only where the first one has certainly done nothing.
    """

    def __init__(self, call: Call[Any], patience_s: float) -> None:
        self._repeatable = call.repeatable
        self._until = monotonic() + patience_s
        self._backoff = Backoff()

    def after_refusal(self, response: httpx.Response) -> float:
        """Seconds to wait after an error's status. Raises ``Problem`` where waiting is no use, or takes too long."""
        certain = response.status_code in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)
        problem = problem_of(response)
        if response.status_code not in COME_AGAIN or not (self._repeatable or certain):
            raise problem
        return self._in_time(self._backoff.next_s(retry_after_s(response)), problem)

    def after_break(self, error: httpx.TransportError) -> float:
        """Seconds to wait after a connection broke, or never was. Raises ``Unreachable``."""
        unreachable = Unreachable(f"The site cannot be reached: {str(error) or type(error).__name__}.")
        if not self._repeatable and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            raise unreachable from error
        return self._in_time(self._backoff.next_s(), unreachable)

    def _in_time(self, pause_s: float, error: ClientError) -> float:
        if monotonic() + pause_s > self._until:
            raise error
        return pause_s


def arguments(call: Call[Any]) -> dict[str, Any]:
    """``call`` as httpx builds a request of it."""
    return {
        "method": call.method,
        "url": call.path,
        "params": dict(call.params) or None,
        "json": call.json,
        "data": None if call.data is None else dict(call.data),
        "files": None if call.files is None else dict(call.files),
        "timeout": call.timeout_s,
    }


def is_answer(call: Call[Any], response: httpx.Response) -> bool:
    """Whether the call can read ``response``."""
    return response.is_success or response.status_code in call.understood


# --- Calls -----------------------------------------------------------------------------------------------------------

T = TypeVar("T")

ANSWER_S: Final = 30.0
"""How long the site may take for an answer."""


def _json(response: httpx.Response) -> Any:
    return response.json()


def json_or_nothing(response: httpx.Response) -> Any:
    """Return the document in the body, or ``None`` for any other status than 200 and for an empty body."""
    return response.json() if response.status_code == httpx.codes.OK and response.content else None


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request. ``path`` is below ``/api/v1/``; ``read`` makes the result of the answer.

    ``repeatable``: sent twice it does what it does once, so it is sent again when the connection breaks.
    ``understood`` are the statuses of errors that ``read`` takes for an answer, too.
    """

    method: str
    path: str
    read: Callable[[httpx.Response], T] = _json
    params: Mapping[str, str | int] = field(default_factory=dict)
    json: Any = None
    data: Mapping[str, str] | None = None
    files: Mapping[str, tuple[str, bytes]] | None = None
    repeatable: bool = True
    understood: frozenset[int] = frozenset()
    timeout_s: float = ANSWER_S


def as_bot(bot: str | None) -> dict[str, str | int]:
    """Return the parameter that names the remote bot for which a token is used."""
    return {} if bot is None else {"bot": bot}
