"""Errors for requests that the rules of the site do not allow."""

from __future__ import annotations


class Refused(ValueError):
    """A request that the rules of the site do not allow.

    The message is for the user: what happened, why, and what to do. ``code`` identifies the reason for programs. It is
    part of the API (``esr_platform.api.codes``), so it is never renamed.
    """

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class NameRefused(Refused):
    """The name is invalid or taken; the request can be repeated with another name."""


class TooMany(Refused):
    """The user has reached a limit.

    ``retry_after_s`` is the number of seconds until a retry can succeed, or ``None`` if waiting does not help.
    """

    def __init__(self, message: str, retry_after_s: int | None = None, *, code: str) -> None:
        super().__init__(message, code=code)
        self.retry_after_s = retry_after_s
