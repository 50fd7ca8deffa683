"""Chat at live tables: free text at casual tables, presets at all tables.

Only signed-in players at the table write and read it, and whoever has switched it off does neither. Every line can be
reported, and hidden by staff.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.lookalikes import is_blank
from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, hold_acting
from esr_platform.accounts.models import User
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.live.notify import publish
from ladder.models import Block, ChatLine, ChatReport, Match, Seat, Table

# --- Presets ---------------------------------------------------------------------------------------------------------

PRESETS: Final[Mapping[str, Promise | str]] = MappingProxyType(
    {
        "hello": gettext_lazy("Hello"),
        "good-luck": gettext_lazy("Good luck"),
        "well-played": gettext_lazy("Well played"),
        "thanks": gettext_lazy("Thanks"),
        "moment": gettext_lazy("One moment, please"),
        "sorry": gettext_lazy("Sorry"),
        "good-game": gettext_lazy("Good game"),
    }
)


# --- On and off ------------------------------------------------------------------------------------------------------


def switch(person: User, on: bool) -> None:
    """Switch the talk on or off for ``person``, at all tables, also at those at which they play now."""
    with transaction.atomic():
        held = hold_acting(person.pk)
        held.chat = on
        held.save(update_fields=["chat"])


# --- Notifications ---------------------------------------------------------------------------------------------------


def tell_said(match_id: int) -> None:
    """Tell those at the table to read what was said, once the transaction is committed."""
    publish({"match": match_id, "bots": [], "what": "chat", "in_ms": 0})


# --- Sending ---------------------------------------------------------------------------------------------------------

LONGEST: Final = 300
AFTERWARDS: Final = timedelta(minutes=10)
"""So long after the game there is something to say."""

TWICE: Final = timedelta(seconds=2)
"""The same words once more within this are the same line: nobody knows whether the first ones had arrived."""

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


_LINES_A_MINUTE: Final = Limit(
    "MAX_CHAT_LINES_PER_MINUTE",
    gettext_lazy("You have said much within a minute. Wait a moment."),
    per=timedelta(minutes=1),
    retry_s=10,
)
_LINES_A_GAME: Final = Limit(
    "MAX_CHAT_LINES_PER_GAME", gettext_lazy("You have said %(most)s things at this table, which is the most.")
)


def _require_room(person: User, match_id: int) -> None:
    """Raise ``TooMany`` if ``person``, whose row is held, may not say another line at the table."""
    mine = ChatLine.objects.filter(by=person)
    _LINES_A_MINUTE.require(mine)
    _LINES_A_GAME.require(mine.filter(match=match_id))


# --- Reading ---------------------------------------------------------------------------------------------------------

PAGE = 100

_SAID = Prepared(
    lambda match_id: (
        ChatLine.objects.filter(match=match_id)
        .order_by()
        .values("match")
        .annotate(last=Max("pk"), hidden=Count("hidden_at"))
        .values_list("last", "hidden")
    )
)


def said_so_far(match_id: int) -> tuple[int, int]:
    """The id of the last line at a table, 0 if nothing was said, and how many were hidden.

    Where both are as somebody knows them, they know all that there is to read.
    """
    return next(iter(_SAID(match_id=match_id)), (0, 0))


def lines_after(match_id: int, person: int | None, line: int = 0, most: int = PAGE) -> list[Document]:
    """What was said after ``line``, at most so many, as ``person`` may read it who plays there; the oldest first.

    Nothing for guests, for anybody else, and for whoever has switched the talk off. Fewer than ``most`` are all.
    """
    if person is None or not _reads(match_id, person):
        return []
    shown = ChatLine.objects.filter(match=match_id, pk__gt=line, hidden_at=None).select_related("seat")
    return [document(one) for one in shown.order_by("pk")[:most]]


def hidden_lines(match_id: int) -> set[int]:
    """The ids of the lines that staff has hidden: whoever was shown them is to see them no longer."""
    return set(ChatLine.objects.filter(match=match_id, hidden_at__isnull=False).values_list("pk", flat=True))


def document(line: ChatLine) -> Document:
    """A line, which comes with its seat, as JSON values; a preset has its name and the words of this reader."""
    words = str(PRESETS.get(line.preset, line.preset)) if line.preset else line.text
    at = line.created.isoformat()
    return {"id": line.pk, "seat": line.seat.index, "preset": line.preset, "text": words, "at": at}


def _reads(match_id: int, person: int) -> bool:
    """Whether ``person`` plays there, has not switched it off, and may sign in; one query."""
    seated = Seat.objects.filter(match=match_id, version__bot__owner=OuterRef("pk"), version__bot__kind=Bot.Kind.PERSON)
    people = get_user_model()._default_manager.filter(pk=person, is_active=True, chat=True)
    return people.filter(Exists(seated)).exists()


# --- Reports ---------------------------------------------------------------------------------------------------------

_REPORTS_A_DAY: Final = Limit(
    "MAX_CHAT_REPORTS_PER_DAY",
    gettext_lazy("You have reported %(most)s lines within 24 hours, which is the most."),
    per=DAY,
)


def report(match_id: int, line_id: int, by: User) -> ChatReport:
    """Tell staff of a line at a table at which ``by`` plays; twice is once. Raises ``Refused``."""
    with transaction.atomic():
        person = hold_acting(by.pk)
        line = ChatLine.objects.filter(pk=line_id, match=match_id, hidden_at=None).first()
        mine = Seat.objects.filter(match=match_id, version__bot__owner=person, version__bot__kind=Bot.Kind.PERSON)
        if line is None or not mine.exists():
            raise Refused(_("There is no such line at a table at which you play."))
        if line.by_id == person.pk:
            raise Refused(_("That is what you have said yourself."))
        known = ChatReport.objects.filter(line=line, by=person).first()
        if known is not None:
            return known
        _REPORTS_A_DAY.require(person.chat_reports.all())
        return ChatReport.objects.create(line=line, by=person)


def settle(line: ChatLine, by: User, *, hide: bool) -> None:
    """Decide what was reported of a line, for staff: take it away for good, or leave it. Raises ``Refused``."""
    with transaction.atomic():
        if not hold_acting(by.pk).is_staff:
            raise Refused(_("Only staff decides that."))
        ChatReport.objects.filter(line=line, settled_at=None).update(settled_at=Now(), settled_by=by)
        if hide and ChatLine.objects.filter(pk=line.pk, hidden_at=None).update(hidden_at=Now(), hidden_by=by):
            tell_said(line.match_id)


# --- Closed accounts -------------------------------------------------------------------------------------------------

_TAKEN_AWAY: Final = "taken-away"
"""Stands where the words were; no preset is called so."""


def forget(person: User) -> bool:
    """Delete what ``person`` has said, whose account is closed; whether no row of it is left. Safe to call again.

    Where others may be reading it, a row without its words stays hidden for a while: by that their streams take it off.
    """
    said = ChatLine.objects.filter(by=person)
    read = Q(match__status=Match.Status.RUNNING) | Q(match__ended__gt=Now() - AFTERWARDS)
    with transaction.atomic():
        said.exclude(read).delete()
        ChatReport.objects.filter(line__by=person).delete()
        shown = list(said.exclude(preset=_TAKEN_AWAY).order_by("match").values_list("match", flat=True).distinct())
        said.exclude(preset=_TAKEN_AWAY).update(preset=_TAKEN_AWAY, text="", hidden_at=Now(), hidden_by=None)
        for match_id in shown:
            tell_said(match_id)
    return not said.exists()
