"""The engine: rules, records and what players see of them. ``games.build`` says which build of it runs."""

from __future__ import annotations

from games import build

build.choose()
