"""What can come back instead of an answer. Every message is a sentence for whoever runs the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
