"""Who may sit at a challenge's table, and how the game begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from bots.models import Bot
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.models import Challenge, Entry, Ladder, Match
from ladder.persons import require_rated
from ladder.seating.beginning import begin, versions_of
from ladder.seating.people import may_begin, people_of


def require_table(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool = False) -> None:
    """Raises ``Refused`` where ``by`` may not have these players sit down together on ``ladder``."""
    if not Ladder.objects.visible_to(by).filter(pk=ladder.pk).exists():
        raise Refused("There is no such ladder. Choose one of those that you see.")
    if not ladder.live:
        raise Refused(f"{ladder} plays in blocks: order a test there, or challenge somebody on a ladder of live games.")
    if len(bots) != ladder.seats or len({bot.pk for bot in bots}) != ladder.seats:
        raise Refused(f"{ladder} has {ladder.seats} seats: name {ladder.seats} different bots, in the order of seats.")
    if by.pk not in {bot.owner_id for bot in bots}:
        raise Refused("One of the bots has to be yours.")
    if all(bot.kind == Bot.Kind.HOSTED for bot in bots):
        raise Refused("One of the bots has to be a remote one. Order a test for bots that run here.")
    entered = set(Entry.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        if bot.pk not in entered and not _needs_no_entry(by, ladder, bot, rated=rated):
            raise Refused(f"{bot.name} is not on {ladder}. Choose a bot that is.")
    if rated:
        _require_rated(by, bots)
    versions_of(ladder, bots)


def require_free(by: User, bots: Collection[Bot], *, rated: bool) -> None:
    """Raises ``Refused`` where one of the people among ``bots`` plays as much as one may already."""
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None and not may_begin(bot.owner_id, rated=rated):
            who = "You play" if bot.owner_id == by.pk else f"{bot.name} plays"
            what = "a rated game already" if rated else "as many games at once as one may"
            raise Refused(f"{who} {what}. Try again when one has ended.")


def begin_game(made: Challenge, bots: Sequence[Bot], people: Mapping[int, User], by: User) -> Match:
    """Begin the game that was agreed on with the word of ``by``, in a transaction that holds ``people`` and it.

    Raises ``Refused``.
    """
    gone = set(people_of(bots)) - set(people)
    if gone:
        name = next(bot.name for bot in bots if bot.owner_id in gone)
        raise Refused(f"{name} cannot play at the moment.")
    if made.rated:
        _require_addresses(by, [people[one] for one in people_of(bots)])
    require_free(by, bots, rated=made.rated)
    limits = Limits(**made.limits) if made.limits else None
    return begin(made.ladder, bots, rated=made.rated, limits=limits)


def _needs_no_entry(by: User, ladder: Ladder, bot: Bot, *, rated: bool) -> bool:
    """People, one's own bots and the house's; but on a ladder by invitation bots stand, or nobody knows of it.

    For a rated game everybody does but people, who get theirs by it.
    """
    if bot.kind == Bot.Kind.PERSON:
        return bot.owner_id is not None
    return not rated and (bot.owner_id is None or (bot.owner_id == by.pk and not ladder.by_invitation))


def _require_rated(by: User, bots: Sequence[Bot]) -> None:
    if by.pk not in people_of(bots):
        raise Refused("A rated challenge is one in which you play yourself. Bots find their rated games themselves.")
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if len(set(owners)) != len(owners):
        raise Refused("Nobody plays their own bot for a rating. Choose other players, or a casual game.")
    _require_addresses(by, [bot.owner for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner is not None])


def _require_addresses(by: User, people: Iterable[User]) -> None:
    """Raises ``Refused`` where one of ``people`` may not play for a rating; ``by``, if it is them, with what to do."""
    for person in sorted(people, key=lambda one: one.pk != by.pk):
        try:
            require_rated(person)
        except Refused as refused:
            if person.pk == by.pk:
                raise
            raise Refused(f"{person.username} cannot play rated games yet. Propose a casual one.") from refused
