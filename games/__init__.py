"""Game engine: rules, records, and what each player sees. Importing it selects the build (``games.build``)."""

from __future__ import annotations

from games import build

__version__ = "0.1.0"
"""The version of this package and of the whole distribution."""

build.choose()
