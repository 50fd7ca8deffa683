"""Chat at live tables: free text in casual games, preset messages in all games.

Only players of the game with an account can read and write it, unless they have turned chat off. Every message can be
reported to moderators, who can hide it.
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
from django.utils.translation import gettext_lazy, ngettext_lazy

from bots.lookalikes import is_blank
from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user
from esr_platform.accounts.models import User
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.live.notify import tell
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
    """Turn chat on or off for ``person`` at all tables, including those at which they play now."""
    with transaction.atomic():
        held = lock_active_user(person.pk)
        held.chat = on
        held.save(update_fields=["chat"])


# --- Notifications ---------------------------------------------------------------------------------------------------


def notify_chat(match_id: int) -> None:
    """Notify the players at a table of a change in the chat, once the transaction is committed."""
    tell(match_id, "chat")


# --- Sending ---------------------------------------------------------------------------------------------------------

LONGEST: Final = 300
AFTERWARDS: Final = timedelta(minutes=10)
"""How long players can chat after the end of a game."""

TWICE: Final = timedelta(seconds=2)
"""The same message again within this time counts as a retry and is not stored twice."""

_MARKS: Final = re.compile(r"M{3}")


def say(match_id: int, seat: int, by: User, *, text: str = "", preset: str = "") -> Document:
    """Send ``text`` or a preset message of ``by``, who plays at ``seat`` of a live game. Returns the document.

    Raises ``Refused``, and ``TooMany`` for too many messages.
    """
    with transaction.atomic():
        person = lock_active_user(by.pk)
        place = _place(match_id, seat, person)
        if not person.chat:
            raise Refused(_("You have turned chat off. Turn it on in your account settings."), code="chat_off")
        words = _words(place, text) if not preset else ""
        if preset and preset not in PRESETS:
            raise Refused(_("Unknown preset message. Choose one from the list."), code="unknown_preset")
        known = _repeated(person, match_id, preset, words)
        if known is not None:
            return document(known)
        _require_room(person, match_id)
        _hold_table(match_id)
        line = ChatLine.objects.create(match_id=match_id, seat=place, by=person, preset=preset, text=words)
        line.refresh_from_db(fields=["created"])
        notify_chat(match_id)
    return document(line)


def _place(match_id: int, seat: int, person: User) -> Seat:
    """The seat of ``person`` in a game that is running or ended within ``AFTERWARDS``. Raises ``Refused``."""
    lately = Q(match__status=Match.Status.RUNNING) | Q(match__ended__gt=Now() - AFTERWARDS)
    own = Seat.objects.filter(
        lately,
        match=match_id,
        index=seat,
        match__table__isnull=False,
        version__bot__owner=person,
        version__bot__kind=Bot.Kind.PERSON,
    )
    place = own.select_related("match__block", "version__bot").first()
    if place is None:
        raise Refused(
            _("The chat is only for players of this game. It closes 10 minutes after the game."),
            code="not_at_the_table",
        )
    return place


def _words(place: Seat, text: str) -> str:
    """``text`` as it is kept. Raises ``Refused``."""
    if place.match.block.purpose != Block.Purpose.CASUAL:
        raise Refused(_("Rated games allow only preset messages. Choose one from the list."), code="presets_only")
    words = " ".join(unicodedata.normalize("NFC", text).split())
    if not 1 <= len(words) <= LONGEST:
        raise Refused(_("Enter a message of 1 to %(most)s characters.") % {"most": LONGEST}, code="wrong_length")
    if (
        is_blank(words)
        or not words.isprintable()
        or _MARKS.search("".join(unicodedata.category(char)[0] for char in words))
    ):
        raise Refused(
            _("The message contains invisible characters or too many accents on one letter. Remove them."),
            code="unreadable",
        )
    return words


def _repeated(person: User, match_id: int, preset: str, words: str) -> ChatLine | None:
    """The last message of ``person`` at the table if it has the same words and is not older than ``TWICE``."""
    mine = ChatLine.objects.filter(by=person, match=match_id, created__gt=Now() - TWICE).select_related("seat")
    last = mine.order_by("-pk").first()
    return last if last is not None and (last.preset, last.text) == (preset, words) else None


def _hold_table(match_id: int) -> None:
    """Lock the table, so that messages get ascending ids: readers continue after the last id that they have read."""
    Table.objects.select_for_update(no_key=True).get(pk=match_id)


_LINES_A_MINUTE: Final = Limit(
    "MAX_CHAT_LINES_PER_MINUTE",
    gettext_lazy("You are sending messages too fast. Wait a moment."),
    per=timedelta(minutes=1),
    retry_s=10,
    code="lines_per_minute",
)
_LINES_A_GAME: Final = Limit(
    "MAX_CHAT_LINES_PER_GAME",
    ngettext_lazy(
        "You have sent %(most)s message in this game (the maximum). You can still read the chat.",
        "You have sent %(most)s messages in this game (the maximum). You can still read the chat.",
        "most",
    ),
    code="lines_per_game",
)


def _require_room(person: User, match_id: int) -> None:
    """Raise ``TooMany`` if ``person``, whose row is locked, cannot send another message."""
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
    """The id of the last message at a table (0 if there is none) and the number of hidden ones.

    A reader who knows both values has nothing new to read.
    """
    return next(iter(_SAID(match_id=match_id)), (0, 0))


def lines_after(match_id: int, person: int | None, line: int = 0, most: int = PAGE) -> list[Document]:
    """Up to ``most`` messages after the id ``line`` that ``person`` may read, the oldest first.

    Guests, people who do not play in the game and people who have turned chat off get none.
    """
    if person is None or not _reads(match_id, person):
        return []
    shown = ChatLine.objects.filter(match=match_id, pk__gt=line, hidden_at=None).select_related("seat")
    return [document(line) for line in shown.order_by("pk")[:most]]


def hidden_lines(match_id: int) -> set[int]:
    """The ids of the messages that moderators have hidden. Pages that show them remove them."""
    return set(ChatLine.objects.filter(match=match_id, hidden_at__isnull=False).values_list("pk", flat=True))


def document(line: ChatLine) -> Document:
    """A message with its seat as JSON values. A preset message has its name and its text in the reader's language."""
    words = str(PRESETS.get(line.preset, line.preset)) if line.preset else line.text
    at = line.created.isoformat()
    return {"id": line.pk, "seat": line.seat.index, "preset": line.preset, "text": words, "at": at}


def _reads(match_id: int, person: int) -> bool:
    """Whether ``person`` plays in the game, has chat turned on and can sign in; one query."""
    seated = Seat.objects.filter(match=match_id, version__bot__owner=OuterRef("pk"), version__bot__kind=Bot.Kind.PERSON)
    people = get_user_model()._default_manager.filter(pk=person, is_active=True, chat=True)
    return people.filter(Exists(seated)).exists()


# --- Reports ---------------------------------------------------------------------------------------------------------

_REPORTS_A_DAY: Final = Limit(
    "MAX_CHAT_REPORTS_PER_DAY",
    ngettext_lazy(
        "You have reported %(most)s message in the last 24 hours (the maximum). Try again later.",
        "You have reported %(most)s messages in the last 24 hours (the maximum). Try again later.",
        "most",
    ),
    per=DAY,
    code="reports_per_day",
)


def report(match_id: int, line_id: int, by: User) -> ChatReport:
    """Report a message in a game of ``by`` to moderators. Repeating it has no effect. Raises ``Refused``."""
    with transaction.atomic():
        person = lock_active_user(by.pk)
        line = ChatLine.objects.filter(pk=line_id, match=match_id, hidden_at=None).first()
        mine = Seat.objects.filter(match=match_id, version__bot__owner=person, version__bot__kind=Bot.Kind.PERSON)
        if line is None or not mine.exists():
            raise Refused(_("This message is not from one of your games. Reload the page."), code="no_line")
        if line.by_id == person.pk:
            raise Refused(_("This is your own message. Report messages of other players only."), code="own_line")
        known = ChatReport.objects.filter(line=line, by=person).first()
        if known is not None:
            return known
        _REPORTS_A_DAY.require(person.chat_reports.all())
        return ChatReport.objects.create(line=line, by=person)


def settle(line: ChatLine, by: User, *, hide: bool) -> None:
    """Close the reports of a message, as a moderator, and hide it with ``hide``. Raises ``Refused``."""
    with transaction.atomic():
        if not lock_active_user(by.pk).moderates:
            raise Refused(_("Only moderators can close reports. Sign in with a moderator account."), code="not_staff")
        ChatReport.objects.filter(line=line, settled_at=None).update(settled_at=Now(), settled_by=by)
        if hide and ChatLine.objects.filter(pk=line.pk, hidden_at=None).update(hidden_at=Now(), hidden_by=by):
            notify_chat(line.match_id)


# --- Closed accounts -------------------------------------------------------------------------------------------------

_TAKEN_AWAY: Final = "taken-away"
"""Replaces the text of a deleted message. No preset has this name."""


def forget(person: User) -> bool:
    """Delete the messages of ``person``, whose account is closed. Returns whether all rows are deleted.

    In games that others may be looking at, a hidden row without text remains for a while, so that their pages remove
    the message. Safe to call again.
    """
    lines = ChatLine.objects.filter(by=person)
    read = Q(match__status=Match.Status.RUNNING) | Q(match__ended__gt=Now() - AFTERWARDS)
    with transaction.atomic():
        lines.exclude(read).delete()
        ChatReport.objects.filter(line__by=person).delete()
        shown = list(lines.exclude(preset=_TAKEN_AWAY).order_by("match").values_list("match", flat=True).distinct())
        lines.exclude(preset=_TAKEN_AWAY).update(preset=_TAKEN_AWAY, text="", hidden_at=Now(), hidden_by=None)
        for match_id in shown:
            notify_chat(match_id)
    return not lines.exists()
