"""Limits per minute, and locks on the row of one person."""

from __future__ import annotations

import time
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import cache

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User

# --- Locks -----------------------------------------------------------------------------------------------------------


def require_over(by: User, person: User) -> None:
    """Staff act on others, and on staff only who may do everything does. Raises ``Refused``."""
    if by.pk == person.pk:
        raise Refused("Nobody does that to their own account or bots. Ask somebody else of the staff.")
    if (person.is_staff or person.is_superuser) and not by.is_superuser:
        raise Refused(f"{person.username} is staff: only who may do everything here can do that.")


def hold(person: int) -> None:
    """Hold the row of a person until the end of the transaction.

    Their limits, the names of their bots and the numbers of versions hang on it: so one change of theirs is made at a
    time. It is always held before bots are.
    """
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)


def hold_acting(person: int) -> User:
    """Hold the row of a person who is about to change something; the person as of now.

    Raises ``Refused`` for whose account was deleted or suspended while the request was on its way.
    """
    now = get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)
    if not now.is_active:
        raise Refused("Your account is closed, so nothing was changed.")
    return now


# --- Limits ----------------------------------------------------------------------------------------------------------

WINDOW_S: Final = 60
_LINE_BITS: Final = 64


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``; seconds until the next is welcome, 0 if this one is.

    ``settings.REQUESTS_PER_MINUTE[scope]`` are welcome in each minute of the clock.
    """
    window, passed = divmod(int(time.time()), WINDOW_S)
    key = f"requests:{scope}:{who}:{window}"
    return WINDOW_S - passed if _counted(key) > settings.REQUESTS_PER_MINUTE[scope] else 0


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
