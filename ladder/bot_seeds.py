"""The secret from which bots get the seeds of their own random generators; nothing of a deal follows from it."""

from __future__ import annotations

import hmac

from django.conf import settings


def seeds_key() -> bytes:
    """The key for ``bots.protocol.bot_seed``, which only this server has."""
    return hmac.digest(settings.SECRET_KEY.encode(), b"ladder/bot-seeds", "sha256")
