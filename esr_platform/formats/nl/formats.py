"""Numbers read alike in every language: the same ones are coordinates of drawings."""

from __future__ import annotations

DECIMAL_SEPARATOR = "."
