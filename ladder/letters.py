"""What an owner is told by e-mail: a version was refused, a bot is on leave. One letter a day at most, or none."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from celery import current_app
from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Q
from django.db.models.functions import Now
from django.template.loader import render_to_string
from kombu.exceptions import OperationalError

from bots.models import Bot

logger = logging.getLogger(__name__)

TASK: Final = "ladder.tasks.send_letter"
REFUSED: Final = "refused"
ON_LEAVE: Final = "on_leave"
PAUSE: Final = timedelta(days=1)
_SUBJECTS: Final = {REFUSED: "{bot} was refused", ON_LEAVE: "{bot} is on leave"}


def send_later(bot_id: int, occasion: str) -> None:
    """Have a worker write to the owner. Without a broker there is no letter: the page says the same."""
    try:
        current_app.send_task(TASK, args=(bot_id, occasion), queue="default", expires=PAUSE.total_seconds())
    except (OperationalError, OSError) as error:
        logger.warning("no letter about bot %s: %s", bot_id, error)


def send(bot_id: int, occasion: str) -> bool:
    """Write to the owner of a bot, unless they want no letters or had one within a day; whether it was sent."""
    bot = Bot.objects.select_related("owner").get(pk=bot_id)
    owner = bot.owner
    if owner is None or not owner.email or not _is_due(owner):
        return False
    context = {"bot": bot, "owner": owner, "version": bot.versions.order_by("-number").first(), "site": settings}
    text = render_to_string(f"letters/{occasion}.txt", context)
    send_mail(f"{settings.SITE_NAME}: {_SUBJECTS[occasion].format(bot=bot.name)}", text, None, [owner.email])
    return True


def _is_due(owner: object) -> bool:
    """Whether the owner wants a letter now; asking takes the day's letter."""
    people = type(owner)._default_manager  # type: ignore[attr-defined]
    quiet = Q(last_letter=None) | Q(last_letter__lt=Now() - PAUSE)
    return bool(people.filter(quiet, pk=owner.pk, is_active=True, wants_letters=True).update(last_letter=Now()))  # type: ignore[attr-defined]
