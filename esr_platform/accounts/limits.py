"""How often one person, or one address, may ask. Counted by single steps in the cache, so that no two pass as one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache

WINDOW_S: Final = 60
_LINE_BITS: Final = 64


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``; seconds until the next is welcome, 0 if this one is.

    ``settings.REQUESTS_A_MINUTE[scope]`` are welcome in each minute of the clock.
    """
    window, passed = divmod(int(time.time()), WINDOW_S)
    key = f"requests:{scope}:{who}:{window}"
    return WINDOW_S - passed if _counted(key) > settings.REQUESTS_A_MINUTE[scope] else 0


def _counted(key: str) -> int:
    """One more; how many there were. Two that are the first at once count as two."""
    try:
        return int(cache.incr(key))
    except ValueError:
        return 1 if cache.add(key, 1, 2 * WINDOW_S) else int(cache.incr(key))


def address(meta: Mapping[str, Any]) -> str:
    """The peer as the web server knows it, from a request's ``META``.

    X-Forwarded-For is a claim of whoever sends it: the server judges it. Of IPv6 it is the network of 64 bits that one
    line is given: whoever has one has 2**64 addresses.
    """
    said = str(meta.get("REMOTE_ADDR", ""))
    try:
        peer = ip_address(said)
    except ValueError:
        return said
    if isinstance(peer, IPv4Address):
        return said
    return str(peer.ipv4_mapped or IPv6Network((int(peer), _LINE_BITS), strict=False))
