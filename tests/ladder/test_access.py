from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from esr_platform.accounts.models import User
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking.lobby import read_lobby
from ladder.models import Invitation, Ladder, Proposal, ProposalPlayer
from tests.build import DUEL, staff
from tests.ladder.matchmaking.people import PEOPLE, on, people, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


def offered(by: User, ladder: Ladder, kind: str, joined: User) -> None:
    token = f"{ladder.pk}-{by.pk}" if kind == Proposal.Kind.LINK else ""
    later = timezone.now() + timedelta(minutes=5)
    game = Proposal.objects.create(by=by, ladder=ladder, kind=kind, token=token, clock="usual", expires=later)
    for index, person in enumerate((by, joined)):
        ProposalPlayer.objects.create(proposal=game, bot=player(person), index=index, accepted=True)


def test_open_games_are_visible_with_their_ladder_and_games_by_link_to_players() -> None:
    host, guest, member, stranger = people("host", "guest", "member", "stranger")
    admin = staff("eve")
    private = found_ladder(LadderPlan("Class", DUEL, 2, players="people", private=True), admin)
    Invitation.objects.create(ladder=private, person=member)
    for ladder, kind in product((on(PEOPLE), private), (Proposal.Kind.OPEN, Proposal.Kind.LINK)):
        offered(host, ladder, kind, guest)
    viewers = [host.pk, guest.pk, member.pk, stranger.pk, admin.pk, None]
    expected = [4, 4, 2, 1, 2, 1]
    together = read_lobby({viewer for viewer in viewers if viewer})
    assert [len(together.open_games(viewer)) for viewer in viewers] == expected
    alone = [read_lobby({viewer} if viewer else set()).open_games(viewer) for viewer in viewers]
    assert [len(games) for games in alone] == expected
