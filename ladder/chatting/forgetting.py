"""Somebody has left for good: nobody reads any more what they have said, also not at tables that are open now."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from esr_platform.accounts.models import User
from ladder.chatting.saying import AFTERWARDS
from ladder.chatting.telling import tell_said
from ladder.models import ChatLine, ChatReport, Match

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
