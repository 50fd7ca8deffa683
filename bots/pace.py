"""How often one person, or one address, may ask. Counted by single steps in the cache, so that no two pass as one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache

WINDOW_S: Final = 60


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``; seconds until the next is welcome, 0 if this one is.

    ``settings.REQUESTS_A_MINUTE[scope]`` are welcome in each minute of the clock.
    """
    window, passed = divmod(int(time.time()), WINDOW_S)
    key = f"requests:{scope}:{who}:{window}"
    cache.add(key, 0, 2 * WINDOW_S)
    return WINDOW_S - passed if cache.incr(key) > settings.REQUESTS_A_MINUTE[scope] else 0


def address(meta: Mapping[str, Any]) -> str:
    """The peer as the web server knows it, from a request's ``META``.

    X-Forwarded-For is a claim of whoever sends it: the server judges it.
    """
    return str(meta.get("REMOTE_ADDR", ""))
