"""A live game begins that people have agreed on: whoever is named sits down, if there is room for all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import SystemRandom
from typing import Final

from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused, TooMany
from ladder.blocks import Player
from ladder.claiming import may_sit, require_code_for_ratings
from ladder.freezing import playing_versions
from ladder.ledger import NoSeason
from ladder.models import Entry, Ladder, Match
from ladder.persons import PEOPLE_LIMITS, entry_of, require_sits
from ladder.rules import merged_on
from ladder.seating.capacity import held_free, hosted_room
from ladder.seating.people import end_searches, people_of, require_code
from ladder.seating.telling import tell_found
from ladder.tables.opening import open_table

_RANDOM: Final = SystemRandom()


def begin(
    ladder: Ladder,
    bots: Sequence[Bot],
    *,
    rated: bool = False,
    limits: Limits | None = None,
    seek: int | None = None,
) -> Match:
    """Begin the game of ``bots``, in a transaction that holds the people among them and whatever it follows from.

    With people the seats are drawn, and without ``limits`` it is played by those of people; else they sit as given.
    ``seek`` is the one that it comes from, if it does. The rows of the ladder, then of the bots are held from here on.
    Raises ``Refused``.
    """
    people = people_of(bots)
    if people:
        bots = _RANDOM.sample(list(bots), len(bots))
        limits = limits or Limits(**PEOPLE_LIMITS)
        if rated or len(people) > 1:
            end_searches(people, seek)
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, bots)
    if rated:
        require_code_for_ratings(bots)
    _require_room(bots, people)
    entries = _entries(versions, locked) if rated else {}
    players = [Player(version, entries.get(version.bot_id)) for version in versions]
    try:
        match = open_table(locked, players, rated=rated, limits=limits)
    except NoSeason as none:
        raise Refused(_("No season of %(ladder)s is open.") % {"ladder": ladder}) from none
    tell_found(match)
    return match


def versions_of(ladder: Ladder, bots: Sequence[Bot]) -> list[BotVersion]:
    """By seat, what plays: the frozen version of an entry, else the active one. Raises ``Refused``."""
    if not ladder.open:
        raise Refused(_("The ladder %(ladder)s is closed.") % {"ladder": ladder})
    entries = {entry.bot_id: entry for entry in Entry.objects.filter(ladder=ladder, bot__in=bots)}
    found = playing_versions([entries.get(bot.pk) or Entry(ladder=ladder, bot=bot) for bot in bots])
    playing = set(Bot.objects.playing().filter(pk__in=[bot.pk for bot in bots]).values_list("pk", flat=True))
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON:
            require_sits(bot, ladder)
        if bot.pk not in playing:
            raise Refused(_("%(bot)s is retired, on leave or suspended.") % {"bot": bot.name})
        if bot.pk not in found or not may_sit(found[bot.pk], ladder):
            raise Refused(_("%(bot)s does not play at the tables of %(ladder)s.") % {"bot": bot.name, "ladder": ladder})
    return [found[bot.pk] for bot in bots]


def _require_room(bots: Collection[Bot], people: Collection[int]) -> None:
    """Raises ``Refused`` where a remote bot is away or busy, ``TooMany`` where code has no seats left."""
    remote = {bot.pk: bot.name for bot in bots if bot.kind == Bot.Kind.REMOTE}
    free = held_free(remote) if remote else set()
    busy = [name for bot, name in remote.items() if bot not in free]
    if busy:
        raise Refused(
            _("%(bot)s is not here, or plays all the games that it wants. Try again in a moment.") % {"bot": busy[0]}
        )
    hosted = sum(bot.kind == Bot.Kind.HOSTED for bot in bots)
    if hosted and hosted > hosted_room():
        raise TooMany(_("Too many bots that run here play live games now. Try again in a minute."), 60)
    require_code(people, hosted)


def _entries(versions: Collection[BotVersion], ladder: Ladder) -> dict[int, Entry]:
    """By bot, whose rows are held in the order in which everybody holds them. Raises ``Refused``."""
    return {version.bot_id: _entry(version, ladder) for version in sorted(versions, key=lambda one: one.bot_id)}


def _entry(version: BotVersion, ladder: Ladder) -> Entry:
    """The entry for which a version plays, made for a person who has none yet. Raises ``Refused``."""
    if version.bot.kind == Bot.Kind.PERSON:
        entry_of(version, ladder)
    entry = Entry.objects.filter(ladder=ladder, bot=version.bot_id, active=True).first()
    if entry is None or entry.pk in merged_on([ladder]):
        raise Refused(_("%(bot)s is not on %(ladder)s.") % {"bot": version.bot.name, "ladder": ladder})
    return entry
