"""People in the lobby: with an address that is verified, at the ladders of a house that is open."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.db.models import F

from bots.house.catalogue import LEVELS
from bots.models import Bot
from bots.owners import player_of
from esr_platform.accounts.models import User
from ladder.matchmaking.presence import note_here
from ladder.models import Ladder, Match, Membership, Pairing, Seat
from tests.build import DUEL
from tests.build import person as somebody

PEOPLE, OPEN = f"{DUEL}-people", f"{DUEL}-open"
THREE_OPEN, THREE_PEOPLE = "edel-stein-reich-3-open", "edel-stein-reich-3-people"


def on(slug: str) -> Ladder:
    return Ladder.objects.get(slug=slug)


def people(*names: str, verified: bool = True) -> list[User]:
    """People of these names who are here; their address is theirs, unless it is not."""
    made = [somebody(name) for name in names]
    if verified:
        EmailAddress.objects.bulk_create(
            EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in made
        )
    note_here([user.pk for user in made])
    return made


def level(number: int) -> Bot:
    """The house bot of a level."""
    return Bot.objects.get(house_name=LEVELS[number])


def player(user: User) -> Bot:
    return player_of(user).bot


def at(match: Match | None) -> set[str]:
    """Who sits at a table, by name."""
    return set(Seat.objects.filter(match=match).values_list("version__bot__name", flat=True))


def running() -> Sequence[Match]:
    """The games that run, in the order in which they began."""
    return Match.objects.filter(status=Match.Status.RUNNING).select_related("ladder", "block").order_by("pk")


def waited(seconds: float, *users: User) -> None:
    """As if these people, or all, had looked for so much longer; they were heard of just now."""
    rows = Pairing.objects.filter(bot__owner__in=users) if users else Pairing.objects.all()
    rows.update(since=F("since") - timedelta(seconds=seconds))


def rated_at(user: User, ladder: Ladder, points: int) -> None:
    """Let ``user`` stand there with so many points."""
    Membership.objects.update_or_create(ladder=ladder, bot=player(user), defaults={"rating": 1000 * points})


def ended(match: Match, minutes: float = 0) -> Match:
    """The game as if it had been void a while ago."""
    from ladder.live.end import void

    void(match.pk, "over")
    Match.objects.filter(pk=match.pk).update(ended=F("ended") - timedelta(minutes=minutes))
    return Match.objects.select_related("ladder", "block", "table").get(pk=match.pk)
