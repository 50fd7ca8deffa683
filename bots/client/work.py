"""Client of the endpoints of worker hosts, for one process of a host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import httpx2

from bots.client.calls import API, RETRY_STATUSES, Call, Document, Problem, base_url, document_of
from bots.client.client import Client

PATIENCE_S: Final = 60.0
"""How long a request is repeated while the site is not reachable or asks to retry."""

POLL_S: Final = 20
"""How long the site may let a request for work wait."""

_ANSWER_S: Final = 20.0
_RETRIED: Final = RETRY_STATUSES | {httpx2.codes.INTERNAL_SERVER_ERROR}
_REFUSED: Final = frozenset({httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN})


T = TypeVar("T")


class TokenRefused(Problem):
    """The site does not accept the token: it is wrong or revoked, or lacks the scope."""


class WorkClient:
    """Asks a site for work. All calls raise ``Problem`` for errors of the site, and ``TokenRefused`` for the token's.

    After ``PATIENCE_S`` without a response they raise ``Unreachable``. They can be used by two threads. A ``lease`` is
    what the assignment contains.
    """

    def __init__(
        self, site: str, token: str, poll_s: int = POLL_S, transport: httpx2.BaseTransport | None = None
    ) -> None:
        """``site`` is a URL such as ``https://arena.example.org``. Raises ``ValueError`` if it is invalid.

        The site may let a request for work wait for ``poll_s`` seconds.
        """
        self._client = Client(site, token, patience_s=PATIENCE_S, transport=transport)
        self._base, self._poll_s = base_url(site).removesuffix(API) + "/api/worker/", poll_s

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def ask(self, asked: Document) -> Document:
        """Ask for work once, without retries, and return the response: ``assignment`` and ``notice``."""
        timeout_s = _ANSWER_S + self._poll_s
        said = {**asked, "wait": self._poll_s}
        return self._do("work", document_of, json=said, patience_s=0.0, timeout_s=timeout_s)

    def renew(self, lease: str) -> bool:
        """Extend a lease, without retries. ``False`` if the host no longer has it."""
        try:
            self._do(f"leases/{lease}/renew", document_of, json={}, patience_s=0.0)
        except Problem as problem:
            if problem.status in _RETRIED:
                raise
            return False
        return True

    def code(self, lease: str, digest: str) -> bytes:
        """Return the uploaded file of a bot that plays by this lease."""
        return self._do(f"leases/{lease}/code", _content, json={"digest": digest})

    def bring(self, lease: str, data: bytes) -> str:
        """Bring what was played, as ``application/zlib``, and return how the attempt ended."""
        headers = {"Content-Type": "application/zlib"}
        response = self._do(f"leases/{lease}/result", document_of, content=data, headers=headers)
        return str(response.get("ending", ""))

    def give_up(self, lease: str, code: str, reason: str) -> None:
        """Give work back."""
        self._do(f"leases/{lease}/give-up", document_of, json={"code": code, "reason": reason[:1000]})

    def _do(self, path: str, read: Callable[[httpx2.Response], T], **arguments: Any) -> T:
        """Make a call. It is repeatable: a lease lets each of them have one effect."""
        known: dict[str, Any] = {"timeout_s": _ANSWER_S, **arguments, "retried": _RETRIED}
        call = Call("POST", self._base + path, read, **known)
        try:
            return self._client.do(call)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            details = (problem.status, problem.code, problem.detail, problem.document)
            raise TokenRefused(*details, problem.retry_after_s) from problem


def _content(response: httpx2.Response) -> bytes:
    return response.content
