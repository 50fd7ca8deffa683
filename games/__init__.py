"""Game engine: rules, records, and what each player sees. Importing it selects the build (``games.build``)."""

from __future__ import annotations

from games import build

build.choose()
