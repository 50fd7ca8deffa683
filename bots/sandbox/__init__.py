"""Starts bots: in the sandbox, as plain processes, or as fakes in this process. It knows no games and no matches."""

from __future__ import annotations
