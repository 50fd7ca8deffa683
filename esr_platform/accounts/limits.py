"""Limits per user, locks on the row of a user, and limits on requests per minute."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from django.utils.translation import gettext as _

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User

# --- Locks -----------------------------------------------------------------------------------------------------------


def refusal_over(by: User, person: User) -> Refused | None:
    """Why ``by`` may not moderate ``person``. Only site admins may moderate other staff."""
    if by.pk == person.pk:
        return Refused(_("You cannot moderate your own account or bots. Ask another moderator."), code="own_account")
    if person.role and not by.gives_roles:
        sentence = _("%(name)s belongs to the site staff. Only a site admin can moderate staff.")
        return Refused(sentence % {"name": person.username}, code="needs_superuser")
    return None


def require_over(by: User, person: User) -> None:
    """Require that ``by`` may moderate ``person``. Raises ``Refused``."""
    refusal = refusal_over(by, person)
    if refusal is not None:
        raise refusal


def lock_user(person: int) -> None:
    """Lock the row of a user until the end of the transaction.

    The lock guards the user's limits, bot names and version numbers. It is taken before locks on bots.
    """
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)


def lock_active_user(person: int) -> User:
    """Lock the row of a user who is about to change something. Returns the user as stored now.

    Raises ``Refused`` if the account was deleted or suspended in the meantime.
    """
    now = get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)
    if not now.is_active:
        raise Refused(_("Your account is suspended or deleted. Nothing was changed."), code="account_closed")
    return now


# --- Limits on rows --------------------------------------------------------------------------------------------------

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Limit:
    """A limit per user: at most ``count`` rows, or at most ``count`` rows created within ``per``.

    Check a limit while the row of the user is locked (``lock_user``). Otherwise two concurrent requests can both pass.
    Example: ``_UPLOADS = Limit("MAX_UPLOADS_PER_HOUR", "…", code="uploads_per_hour", per=HOUR)``, then
    ``_UPLOADS.require(uploads_of_user)``.

    Fields:

    - ``name``: the setting that contains the count, or any name if ``count`` is given.
    - ``message``: what to tell a user who has reached the limit. ``%(most)s`` is the count, ``%(minutes)s`` the
      wait in minutes, rounded up. ``require`` and ``reached`` take further values as keyword arguments.
    - ``code``: the code of the error.
    - ``per``: count only rows whose ``created`` is within this period.
    - ``retry_s``: the ``retry_after_s`` of the error, or ``None`` if waiting does not help.
    - ``until_free``: use the time until a row may be added again as ``retry_after_s``.
    """

    name: str
    message: str | Promise
    code: str = field(kw_only=True)
    per: timedelta | None = None
    count: int | None = None
    retry_s: int | None = None
    until_free: bool = False

    @property
    def most(self) -> int:
        """The maximum, as set now."""
        most: int = getattr(settings, self.name) if self.count is None else self.count
        return most

    def allows(self, kept: int, more: int = 1) -> bool:
        """Whether ``more`` rows may be added to ``kept`` rows."""
        return kept + more <= self.most

    def require(self, rows: QuerySet[Any, Any], but: int = 0, **words: object) -> None:
        """Raise ``TooMany`` if no row may be added to ``rows``. ``but`` of them do not count."""
        counted = rows if self.per is None else rows.filter(created__gt=Now() - self.per)
        if not self.allows(counted.count() - but):
            raise self.reached(self._free_s(counted) if self.until_free else self.retry_s, **words)

    def reached(self, retry_s: int | None = None, **words: object) -> TooMany:
        """The error for a user who has reached the limit."""
        wait_s = self.retry_s if retry_s is None else retry_s
        minutes = ceil((wait_s or 0) / 60)
        message: Any = self.message  # a plural is resolved by %, with its number among the values
        return TooMany(message % {"most": self.most, "minutes": minutes, **words}, wait_s, code=self.code)

    def _free_s(self, rows: QuerySet[Any, Any]) -> int:
        """Seconds until a row may be added: when the oldest of the newest ``most`` rows is older than ``per``."""
        assert self.per is not None
        last = rows.order_by("-created").values_list("created", flat=True)[max(0, self.most - 1) : self.most].first()
        free = timezone.now() if last is None else last  # no row is allowed at all, or all have just become too old
        return max(1, ceil((free + self.per - timezone.now()).total_seconds()))


# --- Limits per minute -----------------------------------------------------------------------------------------------

WINDOW_S: Final = 60
_LINE_BITS: Final = 64


@dataclass(frozen=True)
class Quota:
    """Requests of a client in the current minute: ``used`` of ``most`` in ``scope``. It is renewed in ``reset_s``."""

    scope: str
    most: int
    used: int
    reset_s: int

    @property
    def wait_s(self) -> int:
        """Seconds to wait if the limit is exceeded, else 0."""
        return self.reset_s if self.used > self.most else 0

    @property
    def headers(self) -> dict[str, str]:
        """The headers that announce the limit (draft-ietf-httpapi-ratelimit-headers-10)."""
        return {
            "RateLimit-Policy": f'"{self.scope}";q={self.most};w={WINDOW_S}',
            "RateLimit": f'"{self.scope}";r={max(0, self.most - self.used)};t={self.reset_s}',
        }


def count_request(scope: str, who: str) -> Quota:
    """Count one request of ``who``. ``settings.REQUESTS_PER_MINUTE[scope]`` are allowed per calendar minute."""
    window, passed = divmod(int(time.time()), WINDOW_S)
    used = _counted(f"requests:{scope}:{who}:{window}")
    return Quota(scope, settings.REQUESTS_PER_MINUTE[scope], used, WINDOW_S - passed)


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``. Returns 0 if it is allowed, otherwise the seconds to wait."""
    return count_request(scope, who).wait_s


def _counted(key: str) -> int:
    """Increment the counter and return it. Two concurrent first requests count as two."""
    try:
        return int(cache.incr(key))
    except ValueError:
        return 1 if cache.add(key, 1, 2 * WINDOW_S) else int(cache.incr(key))


def address(meta: Mapping[str, Any]) -> str:
    """The client's IP address from a request's ``META``; for IPv6 the /64 network, which one customer usually has.

    The web server decides whether to trust X-Forwarded-For.
    """
    address = str(meta.get("REMOTE_ADDR", ""))
    try:
        peer = ip_address(address)
    except ValueError:
        return address
    if isinstance(peer, IPv4Address):
        return address
    return str(peer.ipv4_mapped or IPv6Network((int(peer), _LINE_BITS), strict=False))
