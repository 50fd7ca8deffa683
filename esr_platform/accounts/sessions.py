"""Sessions: whose a session is, read without middleware, and which sessions end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import constant_time_compare

from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User
from esr_platform.prepared import Prepared

# --- Ends ------------------------------------------------------------------------------------------------------------

SECRET: Final = "guest"  # noqa: S105 - a name
"""The session key of a guest's secret. The guest's seats contain its hash."""


def guest_hash(secret: str) -> str:
    """The stored hash of a guest's secret: SHA-256, hex. One round is enough, since the secret is long and random."""
    return sha256(secret.encode()).hexdigest()


def end_all(person: User) -> None:
    """End every session of ``person`` and revoke every token. Safe to call again.

    A session is bound to the epoch (``User._get_session_auth_hash``), so it ends with the next request that names it,
    and does not come back with an account that is opened again.
    """
    User.objects.filter(pk=person.pk).update(session_epoch=F("session_epoch") + 1)
    person.tokens.filter(revoked=None).update(revoked=Now())
    person.refresh_from_db(fields=["session_epoch"])


# --- Browsers --------------------------------------------------------------------------------------------------------
#
# As ``django.contrib.auth.get_user`` judges it: a session opens its person's account as long as it is there, is bound
# to their password and epoch as they are now, and their account is open. Nothing is written here.


@dataclass(frozen=True)
class Browser:
    """A session that is there: of ``user``, of who knows the secret ``guest``, or of nobody in particular.

    ``bound`` is what binds it to the person's account as it was.
    """

    session: str
    user: User | None = None
    guest: str | None = None
    bound: str = ""

    @property
    def user_id(self) -> int | None:
        """The person's id."""
        return None if self.user is None else self.user.pk

    @property
    def guest_hash(self) -> str | None:
        """The hash of the guest's secret."""
        return None if self.guest is None else guest_hash(self.guest)


def find(key: str) -> Browser | None:
    """Who has the session ``key``; ``None`` if there is no such one, or none any more."""
    is_one = len(key) <= _LONGEST and key.isascii() and key.isalnum()  # PostgreSQL takes no text with a NUL
    session = next(iter(_sessions(key=key)), None) if is_one else None
    if session is None:
        return None
    data = session.get_decoded()
    guest, bound = data.get(SECRET), str(data.get(HASH_SESSION_KEY, ""))
    user = _user(data, bound)
    if user is None and SESSION_KEY in data:
        return None  # it was somebody's, who has ended it
    return Browser(key, user, guest if user is None and isinstance(guest, str) and guest else None, bound)


def still_live(browsers: Collection[Browser]) -> set[Browser]:
    """Those whose sessions still open the same: whoever holds a connection open asks again and again."""
    keys = {browser.session for browser in browsers}
    there = set(
        Session.objects.filter(session_key__in=keys, expire_date__gt=Now()).values_list("session_key", flat=True)
    )
    ids = {browser.user_id for browser in browsers if browser.user_id is not None}
    now = User.objects.in_bulk(ids)
    return {browser for browser in browsers if browser.session in there and _opens(now, browser)}


def _opens(now: dict[int, User], browser: Browser) -> bool:
    if browser.user_id is None:
        return True
    user = now.get(browser.user_id)
    return user is not None and _bound(user, browser.bound)


def _user(data: dict[str, Any], bound: str) -> User | None:
    named = str(data.get(SESSION_KEY, ""))
    if not named.isdecimal() or data.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    user = next(iter(_users(pk=int(named))), None)
    return user if user is not None and _bound(user, bound) else None


def _bound(user: User, bound: str) -> bool:
    """Whether a session that is bound by ``bound`` opens the account of ``user`` as it is now."""
    return user.is_active and may_act(user) and constant_time_compare(user.get_session_auth_hash(), bound)


_LONGEST: Final = 40
"""Of a session's key: no longer one is asked for."""

_sessions: Final = Prepared(lambda key: Session.objects.filter(session_key=key, expire_date__gt=Now()).order_by())
_users: Final = Prepared(lambda pk: User.objects.filter(pk=pk).order_by())
