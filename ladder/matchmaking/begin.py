"""Begin live games that players have agreed on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import SystemRandom
from types import MappingProxyType
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.ledger.append import NoSeason, merged_on
from ladder.live.start import open_table
from ladder.matches.blocks import Player
from ladder.matches.candidates import playing_versions
from ladder.matchmaking.limits import end_searches, held_free, hosted_room, may_begin, people_of, require_code
from ladder.matchmaking.presence import tell_found
from ladder.members.memberships import (
    PEOPLE_LIMITS,
    may_sit,
    membership_of,
    require_code_for_ratings,
    require_rated,
    require_sits,
)
from ladder.models import Ladder, Match, Membership

# --- Time controls ---------------------------------------------------------------------------------------------------

_GAME_MS: Final = PEOPLE_LIMITS["game_ms"]

CLOCKS: Final[Mapping[str, Limits]] = MappingProxyType(
    {
        "quick": Limits(move_ms=15_000, bank_ms=60_000, game_ms=_GAME_MS),
        "usual": Limits(**PEOPLE_LIMITS),
        "calm": Limits(move_ms=120_000, bank_ms=600_000, game_ms=_GAME_MS),
    }
)

RATED: Final = "usual"


def limits_of(clock: str, *, rated: bool) -> Limits:
    """What a seat may use up at this clock. Raises ``Refused`` for one that there is not, or not for rated games."""
    if clock not in CLOCKS:
        raise Refused(_("There is no such clock. Choose one of those that are offered."))
    if rated and clock != RATED:
        raise Refused(_("Rated games are played at the usual clock. Choose that, or a casual game."))
    return CLOCKS[clock]


# --- Bots that play with people --------------------------------------------------------------------------------------

QUICK: Final = ("greedy", "miser", "magpie", "haggler", "stickler", "vintner", "gleaner", "squire", "sommelier")
"""House bots that answer within a moment and play like somebody who knows the game."""

_RANDOM: Final = SystemRandom()


def house_of(ladder: Ladder) -> QuerySet[Bot]:
    """The house's bots that stand on ``ladder``."""
    standing = Membership.objects.filter(ladder=ladder, active=True).values("bot")
    return Bot.objects.playing().filter(kind=Bot.Kind.HOSTED, owner=None, pk__in=standing)


def quick_bots(ladder: Ladder, seats: int) -> list[Bot]:
    """So many house bots, drawn among those that answer quickly. Raises ``Refused`` where there are too few."""
    return _drawn(house_of(ladder).filter(house_name__in=QUICK), seats)


def table_of(by: User, ladder: Ladder, named: Sequence[Bot | None], *, rated: bool) -> list[Bot]:
    """The bots that ``by`` has named for a table of ``ladder``, with house bots where none was named.

    Raises ``Refused`` for those that cannot be named: remote bots have to be asked, nobody plays their own for a
    rating, no two of one person sit at a rated table, and uploaded ones need a machine that can play them.
    """
    bots = [bot for bot in named if bot is not None]
    if len({bot.pk for bot in bots}) != len(bots):
        raise Refused(_("Name different bots: nobody sits twice at one table."))
    standing = set(Membership.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        _require_named(by, bot, stands=bot.pk in standing, rated=rated, invited=ladder.by_invitation)
    if rated:
        require_code_for_ratings(bots)
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if rated and len(set(owners)) != len(owners):
        raise Refused(_("Two bots of one person do not play for a rating together. Choose another one."))
    others = house_of(ladder).exclude(pk__in=[bot.pk for bot in bots])
    return [*bots, *_drawn(others, len(named) - len(bots))]


def _require_named(by: User, bot: Bot, *, stands: bool, rated: bool, invited: bool) -> None:
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(_("%(bot)s has to be asked: challenge it.") % {"bot": bot.name})
    if not stands and (rated or invited or bot.owner_id not in (None, by.pk)):
        raise Refused(_("%(bot)s is not on this ladder. Choose a bot that is.") % {"bot": bot.name})
    if rated and bot.owner_id == by.pk:
        raise Refused(_("Nobody plays their own bot for a rating. Choose another one, or a casual game."))


def _drawn(bots: Iterable[Bot], seats: int) -> list[Bot]:
    there = list(bots)
    if len(there) < seats:
        raise Refused(_("Too few bots of the house play there. Choose another table."))
    return _RANDOM.sample(there, seats)


# --- Challenged players ----------------------------------------------------------------------------------------------


def require_table(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool = False) -> None:
    """Raises ``Refused`` if ``by`` may not propose a game of these players on ``ladder``."""
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
    entered = set(Membership.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        if bot.pk not in entered and not _needs_no_entry(by, ladder, bot, rated=rated):
            raise Refused(f"{bot.name} is not on {ladder}. Choose a bot that is.")
    if rated:
        _require_rated(by, bots)
    versions_of(ladder, bots)


def require_free(by: User, bots: Collection[Bot], *, rated: bool) -> None:
    """Raises ``Refused`` if one of the people among ``bots`` already plays as many games as allowed."""
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None and not may_begin(bot.owner_id, rated=rated):
            who = "You play" if bot.owner_id == by.pk else f"{bot.name} plays"
            what = "a rated game already" if rated else "as many games at once as one may"
            raise Refused(f"{who} {what}. Try again when one has ended.")


def _needs_no_entry(by: User, ladder: Ladder, bot: Bot, *, rated: bool) -> bool:
    """People need no membership. In casual games house bots need none, nor own bots on ladders without invitations."""
    if bot.kind == Bot.Kind.PERSON:
        return bot.owner_id is not None
    return not rated and (bot.owner_id is None or (bot.owner_id == by.pk and not ladder.by_invitation))


def _require_rated(by: User, bots: Sequence[Bot]) -> None:
    if by.pk not in people_of(bots):
        raise Refused("A rated challenge is one in which you play yourself. Bots find their rated games themselves.")
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if len(set(owners)) != len(owners):
        raise Refused("Nobody plays their own bot for a rating. Choose other players, or a casual game.")
    require_addresses(by, [bot.owner for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner is not None])


def require_addresses(by: User, people: Iterable[User]) -> None:
    """Raises ``Refused`` if one of ``people`` may not play rated games; for ``by`` with what to do about it."""
    for person in sorted(people, key=lambda one: one.pk != by.pk):
        try:
            require_rated(person)
        except Refused as refused:
            if person.pk == by.pk:
                raise
            raise Refused(f"{person.username} cannot play rated games yet. Propose a casual one.") from refused


# --- Beginning -------------------------------------------------------------------------------------------------------


def begin(
    ladder: Ladder,
    bots: Sequence[Bot],
    *,
    rated: bool = False,
    limits: Limits | None = None,
    proposal: int | None = None,
) -> Match:
    """Begin the game of ``bots``, in a transaction that holds the people among them and whatever it follows from.

    With people the seats are drawn, and without ``limits`` it is played by those of people; else they sit as given.
    ``proposal`` is the one that the players agreed on, if there is one. The rows of the ladder, then of the bots are
    held from here on. Raises ``Refused``.
    """
    people = people_of(bots)
    if people:
        bots = _RANDOM.sample(list(bots), len(bots))
        limits = limits or Limits(**PEOPLE_LIMITS)
        if rated or len(people) > 1:
            end_searches(people, proposal)
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, bots)
    if rated:
        require_code_for_ratings(bots)
    _require_room(bots, people)
    memberships = _memberships(versions, locked) if rated else {}
    players = [Player(version, memberships.get(version.bot_id)) for version in versions]
    try:
        match = open_table(locked, players, rated=rated, limits=limits)
    except NoSeason as none:
        raise Refused(_("No season of %(ladder)s is open.") % {"ladder": ladder}) from none
    tell_found(match)
    return match


def versions_of(ladder: Ladder, bots: Sequence[Bot]) -> list[BotVersion]:
    """By seat, what plays: the frozen version of a membership, else the active one. Raises ``Refused``."""
    if not ladder.open:
        raise Refused(_("The ladder %(ladder)s is closed.") % {"ladder": ladder})
    memberships = {
        membership.bot_id: membership for membership in Membership.objects.filter(ladder=ladder, bot__in=bots)
    }
    found = playing_versions([memberships.get(bot.pk) or Membership(ladder=ladder, bot=bot) for bot in bots])
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


def _memberships(versions: Collection[BotVersion], ladder: Ladder) -> dict[int, Membership]:
    """By bot, whose rows are held in the order in which everybody holds them. Raises ``Refused``."""
    return {version.bot_id: _entry(version, ladder) for version in sorted(versions, key=lambda one: one.bot_id)}


def _entry(version: BotVersion, ladder: Ladder) -> Membership:
    """The membership for which a version plays, made for a person who has none yet. Raises ``Refused``."""
    if version.bot.kind == Bot.Kind.PERSON:
        membership_of(version, ladder)
    membership = Membership.objects.filter(ladder=ladder, bot=version.bot_id, active=True).first()
    if membership is None or membership.pk in merged_on([ladder]):
        raise Refused(_("%(bot)s is not on %(ladder)s.") % {"bot": version.bot.name, "ladder": ladder})
    return membership
