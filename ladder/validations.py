"""Validation of uploads: a worker continues the next validation, and a verdict updates the ladders of the bot."""

from __future__ import annotations

import logging
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.db.models.functions import Now
from redis.exceptions import RedisError

from bots.machines import current_test, one_may_be_repaired
from bots.models import Bot, BotVersion
from bots.owners import make_active
from bots.runner.launcher import Launcher
from bots.runner.spec import Program
from bots.sandbox import launcher_for_uploads, offers
from bots.sandbox.proof import RETRY_S
from bots.uploads import attempt, hints
from bots.uploads.queue import claim_next, waiting
from esr_platform.leases import Lease
from esr_platform.request_ids import continue_request
from ladder.matches.playing_versions import freeze
from ladder.members.memberships import enter

logger = logging.getLogger(__name__)


def validate_next(launcher: Launcher[Program] | None = None) -> BotVersion | None:
    """Continue the next validation. Returns the version if it is now ready or rejected.

    Without a sandbox nothing is claimed: uploads wait for a machine with a sandbox. Safe to call at any time.
    """
    current_test()  # reports a repaired sandbox to the site
    launcher = launcher or launcher_for_uploads()
    lease = None if launcher is None else claim_next({offer.name for offer in offers()})
    return None if launcher is None or lease is None else validate(lease, launcher)


def validate(lease: Lease[BotVersion], launcher: Launcher[Program]) -> BotVersion | None:
    """Continue the validation of a claimed version. Returns the version if it is now ready or rejected.

    One transaction stores the verdict, activates the version and updates the memberships of its bot.
    """
    version = BotVersion.objects.select_related("bot").get(pk=lease.pk)
    continue_request(version.request_id, version=version.pk)
    problem = attempt.play(lease, version, launcher)
    if problem is None:
        return None
    state = BotVersion.State.REJECTED if problem else BotVersion.State.READY
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if not lease.release(state=state, reason=problem, validated=Now()):
            return None
        freeze(bot)  # before another version may play
        if not problem and not bot.versions.filter(active=True, number__gt=version.number).exists():
            make_active(version)
        if not problem:
            enter(bot)
        version.refresh_from_db()
    logger.info("validation of version %s ended as %s", version.pk, version.state)
    return version


# --- Lost hints ------------------------------------------------------------------------------------------------------

HINTS_EVERY_S: Final = 2.0
HINTS_PER_ROUND: Final = 16
"""Maximum number of hints per round."""


def send_hints() -> int:
    """Send one hint per waiting version, and return their number. The hints expire by the next round.

    An upload and a validation that gives way send hints themselves (``bots.uploads.hints``). This replaces lost ones
    and continues validations whose break is over. If no version waits but a sandbox may be repaired, one hint per
    ``RETRY_S`` makes a machine check it.
    """
    count = min(waiting().count(), HINTS_PER_ROUND)
    try:
        if not count and one_may_be_repaired() and cache.add("sandbox-checked", True, RETRY_S):
            count = 1
    except (RedisError, OSError) as error:
        logger.warning("cannot reach Redis, no machine tests its sandbox again: %s", error)
    return hints.send(count, HINTS_EVERY_S)
