"""Who may see and change what of a bot: everybody sees one that plays; all else is its owner's, and staff may look.

A bot that was never ready is nobody else's business: for strangers it is not there. The row of a person who plays by
hand has a rating and games like a bot, and nothing that is of code.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from ladder.owner_logs import Somebody
from ladder.pages.finding import found

_Row = TypeVar("_Row")
_READY: Final = BotVersion.objects.filter(bot=OuterRef("pk"), state=BotVersion.State.READY)
_PUBLIC: Final = Q(owner=None) | Exists(_READY)
_WITH_OWNER: Final = Bot.objects.select_related("owner")


def public_bots() -> QuerySet[Bot]:
    """The bots that everybody knows of: the house's, and those that were ready once. None of them is a person."""
    return public_among(_WITH_OWNER.of_code())


def public_players() -> QuerySet[Bot]:
    """The same with the rows of people, the one of all guests among them."""
    return public_among(_WITH_OWNER)


def public_among(bots: QuerySet[Bot, _Row]) -> QuerySet[Bot, _Row]:
    """Those of ``bots``, or of rows of them, that everybody knows of."""
    return bots.filter(_PUBLIC)


def judged(bots: QuerySet[Bot]) -> QuerySet[Any]:
    """``bots``, each with whether everybody knows of it (``public``)."""
    return bots.annotate(public=ExpressionWrapper(_PUBLIC, output_field=BooleanField()))


_SEEN: Final = judged(_WITH_OWNER)


def bot_seen_by(user: Somebody, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """The bot or person at an address, if ``user`` may know of it. ``of``, bots ``judged``, says what is read of it.

    Raises ``Http404``.
    """
    bot: Any = found(of, _no_bot(slug), slug=slug)
    if not bot.public and not may_read(user, bot):
        raise Http404(_no_bot(slug))
    seen: Bot = bot
    return seen


def code_seen_by(user: Somebody, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """The same for what only a bot has: a person is none. Raises ``Http404``."""
    bot = bot_seen_by(user, slug, of)
    if bot.kind == Bot.Kind.PERSON:
        raise Http404(_no_bot(slug))
    return bot


def _no_bot(slug: str) -> str:
    return _("No bot is called %(name)s.") % {"name": slug}


def bot_read_by(user: Somebody, slug: str) -> Bot:
    """The bot at an address, for its owner and staff. Raises ``Http404`` and ``PermissionDenied``."""
    bot = code_seen_by(user, slug)
    if not may_read(user, bot):
        raise PermissionDenied(_("This is for the owner of %(name)s alone.") % {"name": bot.name})
    return bot


def bot_changed_by(user: Somebody, slug: str) -> Bot:
    """The bot at an address, for its owner. Raises ``Http404`` and ``PermissionDenied``, the latter for staff too."""
    bot = code_seen_by(user, slug)
    if not owns(user, bot):
        raise PermissionDenied(_("Only the owner of %(name)s can do that.") % {"name": bot.name})
    return bot


def owns(user: Somebody, bot: Bot) -> bool:
    """Whether ``bot`` is the bot of ``user``."""
    return bot.owner_id is not None and bot.owner_id == user.pk


def may_read(user: Somebody, bot: Bot) -> bool:
    """Whether ``user`` may see what of ``bot`` is not for everybody."""
    return owns(user, bot) or is_staff(user)


def is_staff(user: Somebody) -> bool:
    """Whether ``user`` looks after the site."""
    return bool(getattr(user, "is_staff", False))


def may_read_source(user: Somebody, version: BotVersion) -> bool:
    """Whether ``user`` may read the code of ``version``: once it is public, everybody that of the one that plays."""
    if not version.archive:
        return False
    return may_read(user, version.bot) or (version.active and version.bot.public_source)
