"""Where the site is and who asks: what both clients are made with."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from bots.client.events import SILENCE_S

API: Final = "/api/v1/"
CONNECT_S: Final = 10.0
STREAMING: Final = httpx.Timeout(CONNECT_S, read=SILENCE_S)


def options(site: str, token: str) -> dict[str, Any]:
    """What httpx's clients are made with. Raises ``ValueError`` for a ``site`` that is no address."""
    headers = {"User-Agent": "esr-client/1", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return {"base_url": base_url(site), "headers": headers, "timeout": httpx.Timeout(CONNECT_S)}


def base_url(site: str) -> str:
    """The address of the API of ``site``. Raises ``ValueError``."""
    parts = urlsplit(site.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ValueError(f"{site!r} is no address of a site: write it as https://arena.example.org.")
    return site.strip().rstrip("/").removesuffix(API.rstrip("/")) + API
