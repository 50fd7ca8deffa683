"""The one error of what a person types."""

from __future__ import annotations


class UsageError(ValueError):
    """What was asked for cannot be done; the message says what can."""
