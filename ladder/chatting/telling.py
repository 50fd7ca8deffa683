"""Hints that something was said at a table, or hidden, on the channel of tables: ``{"match": 12, "what": "chat"}``."""

from __future__ import annotations

from ladder.tables.telling import publish


def tell_said(match_id: int) -> None:
    """Tell those at the table to read what was said, once the transaction is committed."""
    publish({"match": match_id, "bots": [], "what": "chat", "in_ms": 0})
