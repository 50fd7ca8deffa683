"""Somebody says something at a table at which they play, or have played until a moment ago."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.lookalikes import is_blank
from bots.models import Bot
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from games.base import Document
from ladder.chatting.presets import PRESETS
from ladder.chatting.reading import document
from ladder.chatting.telling import tell_said
from ladder.models import Block, ChatLine, Match, Seat, Table

LONGEST: Final = 300
AFTERWARDS: Final = timedelta(minutes=10)
"""So long after the game there is something to say."""

TWICE: Final = timedelta(seconds=2)
"""The same words once more within this are the same line: nobody knows whether the first ones had arrived."""

_MINUTE: Final = timedelta(minutes=1)
_MARKS: Final = re.compile(r"M{3}")


def say(match_id: int, seat: int, by: User, *, text: str = "", preset: str = "") -> Document:
    """Let ``by``, who sits at ``seat`` of a live game, say ``text`` or a preset; the line as everybody there reads it.

    Raises ``Refused`` where it cannot be said, ``TooMany`` where they say too much.
    """
    with transaction.atomic():
        person = hold_acting(by.pk)
        place = _place(match_id, seat, person)
        if not person.chat:
            raise Refused(_("You have switched the talk off. Switch it on in your account to say something."))
        words = _words(place, text) if not preset else ""
        if preset and preset not in PRESETS:
            raise Refused(_("There is no such sentence. Choose one of those that are offered."))
        known = _said_just_now(person, match_id, preset, words)
        if known is not None:
            return document(known)
        _require_room(person, match_id)
        _hold_table(match_id)
        line = ChatLine.objects.create(match_id=match_id, seat=place, by=person, preset=preset, text=words)
        line.refresh_from_db(fields=["created"])
        tell_said(match_id)
    return document(line)


def _place(match_id: int, seat: int, person: User) -> Seat:
    """The seat, which is that of ``person`` at a game that runs or ended a while ago at most. Raises ``Refused``."""
    lately = Q(match__status=Match.Status.RUNNING) | Q(match__ended__gt=Now() - AFTERWARDS)
    own = Seat.objects.filter(
        lately,
        match=match_id,
        index=seat,
        match__table__isnull=False,
        version__bot__owner=person,
        version__bot__kind=Bot.Kind.PERSON,
    )
    found = own.select_related("match__block", "version__bot").first()
    if found is None:
        raise Refused(_("Only those who play at the table talk there, and until ten minutes after the game."))
    return found


def _words(place: Seat, text: str) -> str:
    """``text`` as it is kept. Raises ``Refused``."""
    if place.match.block.purpose != Block.Purpose.CASUAL:
        raise Refused(_("At rated tables there are ready-made sentences alone. Choose one of those."))
    words = " ".join(unicodedata.normalize("NFC", text).split())
    if not 1 <= len(words) <= LONGEST:
        raise Refused(_("Say something of 1 to %(most)s characters.") % {"most": LONGEST})
    if (
        is_blank(words)
        or not words.isprintable()
        or _MARKS.search("".join(unicodedata.category(char)[0] for char in words))
    ):
        raise Refused(_("That has characters in it that cannot be seen, or marks piled up on a letter."))
    return words


def _said_just_now(person: User, match_id: int, preset: str, words: str) -> ChatLine | None:
    """The last line of ``person`` at the table, if it is this very one and not older than ``TWICE``."""
    mine = ChatLine.objects.filter(by=person, match=match_id, created__gt=Now() - TWICE).select_related("seat")
    last = mine.order_by("-pk").first()
    return last if last is not None and (last.preset, last.text) == (preset, words) else None


def _hold_table(match_id: int) -> None:
    """Lines of one table are written one after the other: readers go on after the last number that they have seen."""
    Table.objects.select_for_update(no_key=True).get(pk=match_id)


def _require_room(person: User, match_id: int) -> None:
    """Raises ``TooMany``; the row of the person is held, so that no two lines pass as one."""
    mine = ChatLine.objects.filter(by=person)
    if mine.filter(created__gt=Now() - _MINUTE).count() >= settings.CHAT_LINES_A_MINUTE:
        raise TooMany(_("You have said much within a minute. Wait a moment."), 10)
    if mine.filter(match=match_id).count() >= settings.CHAT_LINES_A_GAME:
        raise TooMany(
            _("You have said %(most)s things at this table, which is the most.") % {"most": settings.CHAT_LINES_A_GAME}
        )
