"""Who may sit at a challenge's table, and how the game begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bots.models import Bot, BotVersion
from bots.refusals import Refused, TooMany
from ladder.blocks import Player
from ladder.claiming import may_sit
from ladder.freezing import playing_versions
from ladder.ledger import NoSeason
from ladder.models import Entry, Ladder, Match
from ladder.seating.capacity import held_free, hosted_room
from ladder.tables.opening import open_table

if TYPE_CHECKING:
    from esr_platform.accounts.models import User


def require_table(by: User, ladder: Ladder, bots: Sequence[Bot]) -> None:
    """Raises ``Refused`` where ``by`` may not have these bots sit down together on ``ladder``."""
    if not Ladder.objects.visible_to(by).filter(pk=ladder.pk).exists():
        raise Refused("There is no such ladder. Choose one of those that you see.")
    if not ladder.live:
        raise Refused(f"{ladder} plays in blocks: order a test there, or challenge somebody on a ladder of live games.")
    if len(bots) != ladder.seats or len({bot.pk for bot in bots}) != ladder.seats:
        raise Refused(f"{ladder} has {ladder.seats} seats: name {ladder.seats} different bots, in the order of seats.")
    if by.pk not in {bot.owner_id for bot in bots}:
        raise Refused("One of the bots has to be yours.")
    if not any(bot.kind == Bot.Kind.REMOTE for bot in bots):
        raise Refused("One of the bots has to be a remote one. Order a test for bots that run here.")
    entered = set(Entry.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        if bot.pk not in entered and not _needs_no_entry(by, ladder, bot):
            raise Refused(f"{bot.name} is not on {ladder}. Choose a bot that is.")
    _versions(ladder, bots)


def begin(ladder: Ladder, bots: Sequence[Bot]) -> Match:
    """Begin the casual game of ``bots``, seated as given, in a transaction. Raises ``Refused``.

    The rows of the ladder, then of the remote bots are held from here on.
    """
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = _versions(locked, bots)
    guests = {bot.pk: bot.name for bot in bots if bot.kind == Bot.Kind.REMOTE}
    free = held_free(guests)
    busy = [name for bot, name in guests.items() if bot not in free]
    if busy:
        raise Refused(f"{busy[0]} is not here, or plays all the games that it wants. Try again in a moment.")
    if len(bots) - len(guests) > hosted_room():
        raise TooMany("Too many bots that run here play live games now. Try again in a minute.", 60)
    try:
        return open_table(locked, [Player(version) for version in versions], rated=False)
    except NoSeason as none:
        raise Refused(f"No season of {ladder} is open.") from none


def _needs_no_entry(by: User, ladder: Ladder, bot: Bot) -> bool:
    """One's own bots and the house's; but on a ladder by invitation people's bots stand, or nobody knows of it."""
    return bot.owner_id is None or (bot.owner_id == by.pk and not ladder.by_invitation)


def _versions(ladder: Ladder, bots: Sequence[Bot]) -> list[BotVersion]:
    """By seat, what plays: the frozen version of an entry, else the active one. Raises ``Refused``."""
    if not ladder.open:
        raise Refused(f"The ladder {ladder} is closed.")
    entries = {entry.bot_id: entry for entry in Entry.objects.filter(ladder=ladder, bot__in=bots)}
    found = playing_versions([entries.get(bot.pk) or Entry(ladder=ladder, bot=bot) for bot in bots])
    for bot in bots:
        if not Bot.objects.playing().filter(pk=bot.pk).exists():
            raise Refused(f"{bot.name} is retired, on leave or suspended.")
        if bot.pk not in found or not may_sit(found[bot.pk], ladder):
            raise Refused(f"{bot.name} does not play at the tables of {ladder}.")
    return [found[bot.pk] for bot in bots]
