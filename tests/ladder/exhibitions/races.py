"""Actions for races on exhibitions. ``tests.services.races`` runs them."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import answer, cancel, request_test
from ladder.matches.leases import claim
from ladder.matches.playing_versions import freeze_all
from ladder.members.invitations import invite
from ladder.members.memberships import activate
from ladder.models import Exhibition, Ladder, Match
from tests.ladder import races
from tests.ladder.races import or_none
from tests.services.races import Act, Actions


def ordering(ladder: int, person: int, versions: list[int], tokens: list[str]) -> Act:
    """Order a test of one block with every token; the exhibitions that this got."""
    on, by = Ladder.objects.get(pk=ladder), User.objects.get(pk=person)

    def act() -> list[int]:
        got = [or_none(partial(request_test, by, on, versions, 1, UUID(token))) for token in tokens]
        return [exhibition.pk for exhibition in got if exhibition is not None]

    return act


def feeding(times: int) -> Act:
    return lambda: sum(feed() for _ in range(times))


def answering(exhibition: int, person: int, agreed: bool) -> Act:
    """Answer; the state of the exhibition afterwards, ``None`` if it was refused."""
    row, by = Exhibition.objects.get(pk=exhibition), User.objects.get(pk=person)

    def act() -> str | None:
        answered = or_none(partial(answer, row, by, agreed))
        return None if answered is None else str(answered.state)

    return act


def cancelling(exhibition: int, person: int) -> Act:
    """Cancel; whether this was the one that did."""
    row, by = Exhibition.objects.get(pk=exhibition), User.objects.get(pk=person)

    def act() -> bool:
        try:
            cancel(row, by)
        except Refused:
            return False
        return True

    return act


def claiming_requested(exhibition: int) -> Act:
    """Claim every game of the exhibition; those that were had."""
    ids = list(Match.objects.filter(block__exhibition=exhibition).order_by("pk").values_list("pk", flat=True))
    return lambda: [match for match in ids if claim(match, "racing")]


def freezing(times: int) -> Act:
    return lambda: sum(freeze_all() for _ in range(times))


def activating(bot: int, numbers: list[int]) -> Act:
    """Let one version after the other play."""
    versions = {version.number: version for version in Bot.objects.get(pk=bot).versions.select_related("bot")}
    return lambda: [activate(versions[number]) for number in numbers]


def inviting(ladder: int, person: int) -> Act:
    on, who = Ladder.objects.get(pk=ladder), User.objects.get(pk=person)
    return lambda: invite(on, [who])


ACTIONS: Actions = {
    **races.ACTIONS,
    "ordering": ordering,
    "feeding": feeding,
    "answering": answering,
    "cancelling": cancelling,
    "claiming_ordered": claiming_requested,
    "freezing": freezing,
    "activating": activating,
    "inviting": inviting,
}
