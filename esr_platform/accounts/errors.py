"""Errors for requests that the rules of the site do not allow."""

from __future__ import annotations


class Refused(ValueError):
    """A request that the rules of the site do not allow.

    The message is for the user: what happened, why, and what to do. ``code`` identifies the reason for tests and
    logs; it is not part of the API.
    """

    def __init__(self, message: str, *, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


class NameRefused(Refused):
    """The name is invalid or taken; the request can be repeated with another name."""


class TooMany(Refused):
    """The user has reached a limit.

    ``retry_after_s`` is the number of seconds until a retry can succeed, or ``None`` if waiting does not help.
    """

    def __init__(self, message: str, retry_after_s: int | None = None, *, code: str = "too_many") -> None:
        super().__init__(message, code=code)
        self.retry_after_s = retry_after_s
