"""People at tables, seated and playing without waiting for anybody."""

from __future__ import annotations

from random import Random

from bots.owners import player_of
from esr_platform.accounts.models import User
from ladder.live.answers import AnswerVerdict
from ladder.live.end import finish
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.members.memberships import membership_of
from ladder.models import Ladder, Match
from tests.ladder.live.people import answer_any
from tests.ladder.live_tables import table_of

DUEL = "edel-stein-reich-duel-people"


def met(*users: User, ladder: str = DUEL, rated: bool = False) -> Match:
    """A game of people, seated as named."""
    table = Ladder.objects.get(slug=ladder)
    versions = [player_of(user) for user in users]
    return open_table(
        table,
        [BlockPlayer(version, membership_of(version, table) if rated else None) for version in versions],
        rated=rated,
    )


def move_on(match: Match, random: Random) -> bool:
    """Let one of the people who are asked play a random legal move; whether there was one."""
    seat = next((seat for seat, live_seat in enumerate(table_of(match).live_seats) if live_seat.owes), None)
    if seat is None:
        return False
    judged = answer_any(match, seat, random.randrange(64))
    assert judged.verdict is AnswerVerdict.PLAYED, judged
    return True


def play_out(match: Match, random: Random) -> None:
    while move_on(match, random):
        pass
    assert finish(match.pk)
