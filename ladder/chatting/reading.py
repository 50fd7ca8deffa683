"""What was said at a table, for those who play there."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, Max, OuterRef

from bots.models import Bot
from esr_platform.prepared import Prepared
from games.base import Document
from ladder.chatting.presets import PRESETS
from ladder.models import ChatLine, Seat

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
