from __future__ import annotations

from itertools import product

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from esr_platform.accounts.models import User
from ladder.access import open_games_seen_by, private_ladders_seen_by, sees_open_game
from ladder.creation import Plan, found_ladder
from ladder.models import Invitation, Ladder, Seek, SeekPlayer
from tests.build import DUEL, staff
from tests.ladder.matchmaking.people import PEOPLE, on, people, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


def offered(by: User, ladder: Ladder, kind: str, joined: User) -> Seek:
    token = f"{ladder.pk}-{by.pk}" if kind == Seek.Kind.LINK else ""
    seek = Seek.objects.create(by=by, ladder=ladder, kind=kind, token=token, clock="usual", expires=timezone.now())
    for index, person in enumerate((by, joined)):
        SeekPlayer.objects.create(seek=seek, bot=player(person), index=index)
    return seek


def test_pages_and_streams_show_the_same_open_games() -> None:
    host, guest, member, stranger = people("host", "guest", "member", "stranger")
    admin = staff("eve")
    private = found_ladder(Plan("Class", DUEL, 2, players="people", private=True), admin)
    Invitation.objects.create(ladder=private, person=member)
    for ladder, kind in product((on(PEOPLE), private), (Seek.Kind.OPEN, Seek.Kind.LINK)):
        offered(host, ladder, kind, guest)
    seeks = list(Seek.objects.select_related("ladder").prefetch_related("players__bot"))
    viewers = [host, guest, member, stranger, admin]
    known = private_ladders_seen_by({viewer.pk for viewer in viewers}, {private.pk})
    numbers = {}
    for viewer in (*viewers, AnonymousUser()):
        seen = {seek.pk for seek in seeks if sees_open_game(viewer.pk, seek, known.get(viewer.pk or 0, ()))}
        assert seen == set(open_games_seen_by(viewer).values_list("pk", flat=True)), viewer
        numbers[str(viewer)] = len(seen)
    assert numbers == {"host": 4, "guest": 4, "member": 2, "stranger": 1, "eve": 2, "AnonymousUser": 1}
