"""Client of the endpoints of worker hosts, for one process of a host."""

from __future__ import annotations

import time
from typing import Any, Final

import httpx2
import orjson

from bots.client.calls import Backoff, Document, Problem, Unreachable, document_of, options, problem_of, retry_after_s

PATIENCE_S: Final = 60.0
"""How long a request is repeated while the site is not reachable or asks to retry."""

POLL_S: Final = 20
"""How long the site may let a request for work wait."""

_ANSWER_S: Final = 20.0
_RETRIED: Final = frozenset({429, 500, 502, 503, 504})
_REFUSED: Final = frozenset({401, 403})


class TokenRefused(Problem):
    """The site does not accept the token: it is wrong or revoked, or lacks the scope."""


class WorkClient:
    """Asks a site for work. All calls raise ``Problem`` for errors of the site, and ``TokenRefused`` for the token's.

    After ``PATIENCE_S`` without a response they raise ``Unreachable``. They can be used by two threads.
    """

    def __init__(
        self, site: str, token: str, poll_s: int = POLL_S, transport: httpx2.BaseTransport | None = None
    ) -> None:
        """``site`` is a URL such as ``https://arena.example.org``. Raises ``ValueError`` if it is invalid.

        The site may let a request for work wait for ``poll_s`` seconds.
        """
        known = options(site, token)
        base = str(known.pop("base_url")).removesuffix("v1/") + "worker/"
        self._http = httpx2.Client(**{**known, "base_url": base, "timeout": _ANSWER_S}, transport=transport)
        self._poll_s = poll_s

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def ask(self, asked: Document) -> Document:
        """Ask for work once, without retries, and return the response: ``assignment`` and ``notice``."""
        timeout = httpx2.Timeout(_ANSWER_S, read=_ANSWER_S + self._poll_s)
        return document_of(self._once("work", json={**asked, "wait": self._poll_s}, timeout=timeout))

    def renew(self, lease: str) -> bool:
        """Extend a lease, without retries. ``False`` if the host no longer has it."""
        try:
            self._once(f"leases/{lease}/renew", json={})
        except Problem as problem:
            if problem.status in _RETRIED:
                raise
            return False
        return True

    def code(self, lease: str, digest: str) -> bytes:
        """Return the uploaded file of a seat of the match."""
        return self._repeated(f"leases/{lease}/code", json={"digest": digest}).content

    def bring(self, lease: str, data: bytes) -> str:
        """Bring the result of a match, as ``application/zlib``, and return how the attempt ended."""
        response = self._repeated(f"leases/{lease}/result", content=data, headers={"Content-Type": "application/zlib"})
        return str(document_of(response).get("ending", ""))

    def give_up(self, lease: str, code: str, reason: str) -> None:
        """Give a match back."""
        self._repeated(f"leases/{lease}/give-up", json={"code": code, "reason": reason[:1000]})

    def _repeated(self, path: str, **arguments: Any) -> httpx2.Response:
        backoff, until = Backoff(), time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._once(path, **arguments)
            except (Problem, Unreachable) as failure:
                wish_s = failure.retry_after_s if isinstance(failure, Problem) else None
                retried = isinstance(failure, Unreachable) or failure.status in _RETRIED
                pause_s = backoff.next_s(wish_s)
                if not retried or time.monotonic() + pause_s > until:
                    raise
            time.sleep(pause_s)

    def _once(self, path: str, **arguments: Any) -> httpx2.Response:
        if "json" in arguments:
            headers = {"Content-Type": "application/json"}
            arguments = {**arguments, "content": orjson.dumps(arguments.pop("json")), "headers": headers}
        try:
            response = self._http.post(path, **arguments)
        except httpx2.TransportError as error:
            raise Unreachable(f"Cannot reach the site: {str(error) or type(error).__name__}") from error
        if response.is_success:
            return response
        problem = problem_of(response)
        if response.status_code in _REFUSED:
            known = (problem.status, problem.code, problem.detail, problem.document)
            raise TokenRefused(*known, retry_after_s(response))
        raise problem
