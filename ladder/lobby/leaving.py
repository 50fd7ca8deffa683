"""Somebody whose account is closed leaves the lobby: nothing is offered, looked for or taken in their name."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from bots.models import Bot
from esr_platform.accounts.models import User
from ladder.models import Pairing, Seek, SeekPlayer
from ladder.seating.telling import tell_lobby


def leave_lobby(person: User) -> None:
    """End what ``person`` offers and looks for, and stand up where no game has begun. The caller holds the person."""
    with transaction.atomic():
        Pairing.objects.filter(bot__owner=person).delete()
        theirs = Q(by=person) | Q(players__bot__owner=person, players__bot__kind=Bot.Kind.PERSON)
        found = Seek.objects.filter(theirs, state=Seek.State.OPEN).values("pk")
        held = Seek.objects.select_for_update(no_key=True).filter(pk__in=found, state=Seek.State.OPEN).order_by("pk")
        ids = list(held.values_list("pk", flat=True))
        Seek.objects.filter(pk__in=ids, by=person).update(state=Seek.State.WITHDRAWN, ended=Now())
        SeekPlayer.objects.filter(
            seek__in=ids, seek__state=Seek.State.OPEN, bot__owner=person, bot__kind=Bot.Kind.PERSON
        ).delete()
        tell_lobby()
