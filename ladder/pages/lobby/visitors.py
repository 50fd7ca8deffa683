"""Who stands at the door: somebody who has signed in, or a guest, known by a secret in their session."""

from __future__ import annotations

from django.http import HttpRequest

from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import SECRET
from ladder.live import actions


def person_of(request: HttpRequest) -> User | None:
    """Who has signed in; ``None`` for anybody else."""
    return request.user if request.user.is_authenticated else None


def secret_of(request: HttpRequest) -> str | None:
    """The secret of the guest; ``None`` for who has signed in or never sat down."""
    kept = None if request.user.is_authenticated else request.session.get(SECRET)
    return kept if isinstance(kept, str) else None


def hash_of(request: HttpRequest) -> str | None:
    """What is kept of the guest's secret: its SHA-256, hex."""
    secret = secret_of(request)
    return None if secret is None else actions.hash_of(secret)


def keep_secret(request: HttpRequest, secret: str) -> None:
    """Know this guest again, once they sit: a session is a row, and who was refused gets none."""
    if request.session.get(SECRET) != secret:
        request.session[SECRET] = secret
