"""Limits on what one person may have or do, and locks on the row of a person."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Network, ip_address
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.functional import Promise

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User

# --- Locks -----------------------------------------------------------------------------------------------------------


def require_over(by: User, person: User) -> None:
    """Staff act on others, and on staff only who may do everything does. Raises ``Refused``."""
    if by.pk == person.pk:
        raise Refused("Nobody does that to their own account or bots. Ask somebody else of the staff.")
    if (person.is_staff or person.is_superuser) and not by.is_superuser:
        raise Refused(f"{person.username} is staff: only who may do everything here can do that.")


def hold(person: int) -> None:
    """Lock the row of a person until the end of the transaction.

    It guards their limits, the names of their bots and the numbers of versions, and is locked before bots are.
    """
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)


def hold_acting(person: int) -> User:
    """Lock the row of a person who is about to change something. Returns the person as stored now.

    Raises ``Refused`` if the account was deleted or suspended in the meantime.
    """
    now = get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)
    if not now.is_active:
        raise Refused("Your account is closed, so nothing was changed.")
    return now


# --- Limits on rows --------------------------------------------------------------------------------------------------

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Limit:
    """At most ``count`` rows that exist, or that were created within ``per``.

    ``name`` is the setting that contains the count, unless ``count`` is given. ``message`` is the sentence for a person
    who has reached the limit, with ``%(most)s`` for the count and a name for each further value. ``retry_s`` is the
    ``retry_after_s`` of the error: ``None`` if waiting does not help. With ``until_free`` it is the time until the
    oldest row that counts is older than ``per``, and the message may contain ``%(minutes)s``. ``code`` is the error's.

    Whoever checks a limit holds the row of the person (``hold``), so that two requests do not pass as one.
    """

    name: str
    message: str | Promise
    per: timedelta | None = None
    count: int | None = None
    retry_s: int | None = None
    until_free: bool = False
    code: str = "too_many"

    @property
    def most(self) -> int:
        """The count, as the settings are now."""
        most: int = getattr(settings, self.name) if self.count is None else self.count
        return most

    def allows(self, kept: int, more: int = 1) -> bool:
        """Whether ``more`` may be added to ``kept``."""
        return kept + more <= self.most

    def require(self, rows: QuerySet[Any, Any], but: int = 0, **words: object) -> None:
        """Raise ``TooMany`` if no row may be added to ``rows``, of which ``but`` do not count."""
        counted = rows if self.per is None else rows.filter(created__gt=Now() - self.per)
        if not self.allows(counted.count() - but):
            raise self.reached(self._free_s(counted) if self.until_free else self.retry_s, **words)

    def reached(self, retry_s: int | None = None, **words: object) -> TooMany:
        """The error for a person who has reached the limit."""
        wait_s = self.retry_s if retry_s is None else retry_s
        minutes = ceil((wait_s or 0) / 60)
        return TooMany(str(self.message) % {"most": self.most, "minutes": minutes, **words}, wait_s, code=self.code)

    def _free_s(self, rows: QuerySet[Any, Any]) -> int:
        """Seconds until a row may be added: when the oldest of the newest ``most`` rows is older than ``per``."""
        assert self.per is not None
        last = rows.order_by("-created").values_list("created", flat=True)[max(0, self.most - 1) : self.most].first()
        free = timezone.now() if last is None else last  # no row is allowed at all, or all have just become too old
        return max(1, ceil((free + self.per - timezone.now()).total_seconds()))


# --- Limits per minute -----------------------------------------------------------------------------------------------

WINDOW_S: Final = 60
_LINE_BITS: Final = 64


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``. Returns 0, or the seconds to wait if it is one too many.

    ``settings.REQUESTS_PER_MINUTE[scope]`` are allowed in each minute of the clock.
    """
    window, passed = divmod(int(time.time()), WINDOW_S)
    key = f"requests:{scope}:{who}:{window}"
    return WINDOW_S - passed if _counted(key) > settings.REQUESTS_PER_MINUTE[scope] else 0


def _counted(key: str) -> int:
    """Count one more and return the number. Two first requests at the same moment count as two."""
    try:
        return int(cache.incr(key))
    except ValueError:
        return 1 if cache.add(key, 1, 2 * WINDOW_S) else int(cache.incr(key))


def address(meta: Mapping[str, Any]) -> str:
    """The IP address of the client from a request's ``META``; of IPv6 the network of 64 bits that one line is given.

    The web server decides whether X-Forwarded-For is trusted.
    """
    said = str(meta.get("REMOTE_ADDR", ""))
    try:
        peer = ip_address(said)
    except ValueError:
        return said
    if isinstance(peer, IPv4Address):
        return said
    return str(peer.ipv4_mapped or IPv6Network((int(peer), _LINE_BITS), strict=False))
