"""Game engine: rules, records, and what each player sees."""

from __future__ import annotations

__version__ = "0.1.0"
"""The version of this package and of the whole distribution."""
