"""Every call of the API as a plain value: where it goes, what is sent, how its answer is read. Nothing is sent here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import httpx

from bots.client.documents import Document
from bots.client.verdicts import Verdict, read_verdict

T = TypeVar("T")

ANSWER_S: Final = 30.0
"""How long the site may take for an answer."""

LONG_POLL_S: Final = 25


def _json(response: httpx.Response) -> Any:
    return response.json()


def _json_or_nothing(response: httpx.Response) -> Any:
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


def get(path: str, **params: str | int) -> Call[Any]:
    """Any document of the API."""
    return Call("GET", path, params=params)


def next_part(page: Document) -> dict[str, str | int] | None:
    """The parameters of the part of a list that follows ``page``; ``None`` after the last."""
    return dict(parse_qsl(urlsplit(page["next"]).query)) if page["next"] else None


def my_bot(bot: str | None) -> Call[Document]:
    """The remote bot of the token."""
    return Call("GET", "bot", params=of(bot))


def change_bot(bot: str | None, changes: Mapping[str, Any]) -> Call[Document]:
    """What a remote bot declares of itself."""
    return Call("PATCH", "bot", params=of(bot), json=dict(changes))


def register_bot(name: str, games: Mapping[str, list[int]], label: str | None) -> Call[Document]:
    """A new remote bot."""
    said = {"kind": "remote", "name": name, "games": dict(games), **({"label": label} if label else {})}
    return Call("POST", "bots", json=said, repeatable=False)


def upload(bot: str | None, filename: str, data: bytes, name: str) -> Call[Document]:
    """A new version of ``bot``, or a new bot called ``name``. The same code again is the same version."""
    path = "bots" if bot is None else f"bots/{quote(bot)}/versions"
    form = {"name": name} if bot is None and name else {}
    return Call("POST", path, data=form, files={"file": (filename, data)}, repeatable=bot is not None, timeout_s=120)


def join(ladder: str, bot: str) -> Call[Any]:
    """Put the bot on the ladder; one that stands there stays."""
    return Call("PUT", f"ladders/{quote(ladder)}/entries/{quote(bot)}", _json_or_nothing)


def next_decision(bot: str | None, game: int | None, wait_s: int, log: int | None) -> Call[Document | None]:
    """The next open decision, as an event; ``None`` if nothing was asked in ``wait_s`` seconds."""
    path = "bot/decision" if game is None else f"games/{game}/decision"
    params = {**of(bot), "wait": wait_s, **({} if log is None else {"log": log})}
    return Call("GET", path, _json_or_nothing, params, timeout_s=ANSWER_S + wait_s)


def answer(bot: str | None, game: int, decision: int, move: Any, thought_ms: int | None) -> Call[Verdict]:
    """A move for one decision. What became of it is the result, whatever that is."""
    body = {"id": decision, "move": move, **({} if thought_ms is None else {"thought_ms": thought_ms})}
    path = f"games/{game}/decisions/{decision}"
    return Call("POST", path, read_verdict, of(bot), body, understood=frozenset({404, 409, 422}))


def answer_challenge(bot: str | None, challenge: int, word: str) -> Call[Any]:
    """``accept``, ``decline`` or ``withdraw``."""
    return Call("POST", f"challenges/{challenge}/{word}", _json_or_nothing, of(bot), repeatable=False)


def of(bot: str | None) -> dict[str, str | int]:
    """The parameter that says as which bot a token plays."""
    return {} if bot is None else {"bot": bot}
