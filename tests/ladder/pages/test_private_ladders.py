"""Private ladders in the lobby. ``tests/esr_platform/test_access.py`` has all other pages and the API."""

from __future__ import annotations

from django.test import Client

from bots.owners import player_of
from esr_platform.accounts.models import User
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking.proposals import create_game
from ladder.members.invitations import invite
from ladder.models import Invitation, Match, Pairing
from tests.build import DUEL, person


def test_what_is_on_offer_on_a_private_ladder_is_on_the_page_of_the_lobby_for_members_alone(
    house: None, eve: User
) -> None:
    ladder = found_ladder(LadderPlan("Seminar for the very secretive", DUEL, 2, players="people", private=True), eve)
    ada, bob, cid, dora = (person(name) for name in ("ada", "bob", "cid", "dora"))
    invite(ladder, [ada, cid, dora])
    offered = create_game(ada, ladder)
    Pairing.objects.create(bot=player_of(dora).bot, ladder=ladder)
    Invitation.objects.filter(person=dora, ladder=ladder).delete()
    hints = (ladder.name, ada.username, f"/play/open-games/{offered.pk}/")
    for user, sees in ((ada, True), (cid, True), (bob, False), (dora, False), (None, False)):
        client = Client()
        if user is not None:
            client.force_login(user)
        page = client.get("/play/").content.decode()
        visible = [word for word in hints if word in page]
        assert visible == (list(hints) if sees else []), user
    for stranger in (bob, dora):
        client = Client()
        client.force_login(stranger)
        page = client.post(f"/play/open-games/{offered.pk}/join/", follow=True).content.decode()
        assert ladder.name not in page
    assert not Match.objects.filter(ladder=ladder).exists()
