"""Start live games that their players have agreed to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import SystemRandom
from types import MappingProxyType
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.owners import is_guest
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.ledger.entries import NoSeason, merged_on
from ladder.live.start import Guest, open_table
from ladder.matches.blocks import BlockPlayer
from ladder.matches.playing_versions import playing_versions
from ladder.matchmaking.limits import (
    end_guest_games,
    end_searches,
    held_free,
    hosted_room,
    people_of,
    require_code,
    why_busy,
)
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
    """The limits of a time control. Raises ``Refused`` if it is unknown or not allowed for rated games."""
    if clock not in CLOCKS:
        raise Refused(_("Unknown time control. Choose Fast, Standard or Slow."), code="unknown_time_control")
    if rated and clock != RATED:
        raise Refused(
            _("Rated games use the Standard time control. Choose Standard or play a casual game."),
            code="rated_time_control",
        )
    return CLOCKS[clock]


# --- Bots that play with people --------------------------------------------------------------------------------------

QUICK: Final = ("greedy", "miser", "magpie", "haggler", "stickler", "vintner", "gleaner", "squire", "sommelier")
"""House bots that answer quickly and play like an experienced human player."""

_RANDOM: Final = SystemRandom()


def house_of(ladder: Ladder) -> QuerySet[Bot]:
    """The house bots that are members of ``ladder``."""
    members = Membership.objects.filter(ladder=ladder, active=True).values("bot")
    return Bot.objects.playing().filter(kind=Bot.Kind.HOSTED, owner=None, pk__in=members)


def quick_bots(ladder: Ladder, seats: int) -> list[Bot]:
    """A random choice of ``seats`` house bots that answer quickly. Raises ``Refused`` if there are too few."""
    return _drawn(house_of(ladder).filter(house_name__in=QUICK), seats)


def table_of(by: int | None, ladder: Ladder, named: Sequence[Bot | None], *, rated: bool) -> list[Bot]:
    """The bots that ``by`` has named for a game on ``ladder``, with house bots in place of ``None``.

    ``by`` is the id of a user, or ``None`` for a guest.

    Raises ``Refused`` for bots that cannot be named: remote bots (they must accept), the user's own bots and two bots
    of one owner in rated games, uploaded bots that no machine can run, and one bot several times, unless it is a house
    bot and the game is casual.
    """
    bots = [bot for bot in named if bot is not None]
    if not _is_each_once(bots, rated=rated):
        raise Refused(_("You named the same bot twice. Choose different bots."), code="same_bot_twice")
    members = set(Membership.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        _require_named(by, bot, member=bot.pk in members, rated=rated, invited=ladder.by_invitation)
    if rated:
        require_code_for_ratings(bots)
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if rated and len(set(owners)) != len(owners):
        raise Refused(
            _("Two bots of one owner cannot play in the same rated game. Choose another bot or a casual game."),
            code="same_owner",
        )
    others = house_of(ladder).exclude(pk__in=[bot.pk for bot in bots])
    return [*bots, *_drawn(others, len(named) - len(bots))]


def _is_each_once(bots: Sequence[Bot], *, rated: bool) -> bool:
    """Whether no player has two seats. House bots can have several seats in casual games."""
    once = [bot.pk for bot in bots if rated or bot.kind != Bot.Kind.HOSTED or bot.owner_id is not None]
    return len(set(once)) == len(once)


def _require_named(by: int | None, bot: Bot, *, member: bool, rated: bool, invited: bool) -> None:
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(
            _("%(bot)s must accept the game first. Send a challenge instead.") % {"bot": bot.name},
            code="needs_challenge",
        )
    if not member and (rated or invited or bot.owner_id not in (None, by)):
        raise Refused(
            _("%(bot)s does not play on this ladder. Choose another bot.") % {"bot": bot.name}, code="not_on_ladder"
        )
    if rated and bot.owner_id == by:
        raise Refused(
            _("You cannot play a rated game against your own bot. Choose another bot or a casual game."), code="own_bot"
        )


def _drawn(bots: Iterable[Bot], seats: int) -> list[Bot]:
    available = list(bots)
    if len(available) < seats:
        raise Refused(
            _("Not enough house bots play on this ladder. Choose another game or number of seats."),
            code="too_few_house_bots",
        )
    return _RANDOM.sample(available, seats)


# --- Challenged players ----------------------------------------------------------------------------------------------


def require_table(by: User, ladder: Ladder, bots: Sequence[Bot], *, rated: bool = False) -> None:
    """Raises ``Refused`` if ``by`` may not propose a game of these players on ``ladder``."""
    if not Ladder.objects.visible_to(by).filter(pk=ladder.pk).exists():
        raise Refused("This ladder does not exist or is not open to you. Choose another one.", code="no_ladder")
    if not ladder.live:
        raise Refused(
            f"{ladder} has no live games. Request a test match there, or choose a ladder with live games.",
            code="not_live",
        )
    if len(bots) != ladder.seats or not _is_each_once(bots, rated=rated):
        raise Refused(
            f"{ladder} has {ladder.seats} seats. Name {ladder.seats} different bots in seat order.",
            code="wrong_players",
        )
    if by.pk not in {bot.owner_id for bot in bots}:
        raise Refused("None of these bots belongs to you. Include at least one of your bots.", code="not_a_player")
    if all(bot.kind == Bot.Kind.HOSTED for bot in bots):
        raise Refused("All of these bots are hosted. Include a remote bot or request a test match.", code="all_hosted")
    members = set(Membership.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        if bot.pk not in members and not _needs_no_membership(by, ladder, bot, rated=rated):
            raise Refused(f"{bot.name} does not play on {ladder}. Choose another bot.", code="not_on_ladder")
    if rated:
        _require_rated(by, bots)
    versions_of(ladder, bots)


def require_free(by: int | None, bots: Collection[Bot], *, rated: bool) -> None:
    """Raises ``Refused`` if one of the people among ``bots`` already plays as many games as allowed."""
    for bot in bots:
        if bot.kind != Bot.Kind.PERSON or bot.owner_id is None:
            continue
        busy = why_busy(bot.owner_id, rated=rated)
        if busy:
            player = "You are" if bot.owner_id == by else f"{bot.name} is"
            playing = "a rated game" if busy == "rated" else "the maximum number of games"
            raise Refused(f"{player} already playing {playing}. Try again after a game has ended.", code="busy")


def _needs_no_membership(by: User, ladder: Ladder, bot: Bot, *, rated: bool) -> bool:
    """Human players need no membership. In casual games, house bots and own bots on ladders open to all need none."""
    if bot.kind == Bot.Kind.PERSON:
        return bot.owner_id is not None
    return not rated and (bot.owner_id is None or (bot.owner_id == by.pk and not ladder.by_invitation))


def _require_rated(by: User, bots: Sequence[Bot]) -> None:
    if by.pk not in people_of(bots):
        raise Refused(
            "You can only propose rated games that you play yourself. Bots are paired for rated games automatically.",
            code="not_yourself",
        )
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if len(set(owners)) != len(owners):
        raise Refused(
            "Two players with the same owner cannot play in a rated game. Choose other players or a casual game.",
            code="same_owner",
        )
    require_addresses(by, [bot.owner for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner is not None])


def require_addresses(by: User, people: Iterable[User]) -> None:
    """Raises ``Refused`` if one of ``people`` may not play rated games. If it is ``by``, the message has the remedy."""
    for person in sorted(people, key=lambda other: other.pk != by.pk):
        try:
            require_rated(person)
        except Refused as refused:
            if person.pk == by.pk:
                raise
            raise Refused(
                f"{person.username} cannot play rated games yet. Propose a casual game.",
                code="opponent_not_rated",
            ) from refused


# --- Beginning -------------------------------------------------------------------------------------------------------


def begin(
    ladder: Ladder,
    bots: Sequence[Bot],
    *,
    rated: bool = False,
    limits: Limits | None = None,
    proposal: int | None = None,
    guests: Collection[Guest] = (),
) -> Match:
    """Start the game of ``bots``. The caller's transaction has locked the human players and the proposal.

    With human players, the seats are drawn and ``limits`` defaults to theirs. Without, bots are seated as given.
    ``proposal`` is the one that the players agreed to, if any. ``guests`` take the seats of the bot of guests; the
    caller checks their limits. The rows of the ladder and then of the bots are locked from here on. Raises ``Refused``.
    """
    people = people_of(bots)
    if people or guests:
        bots = _RANDOM.sample(list(bots), len(bots))
        limits = limits or Limits(**PEOPLE_LIMITS)
        if rated or len(people) + len(guests) > 1:
            end_searches(people, proposal)
            end_guest_games(guests, proposal)
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, bots)
    if rated:
        require_code_for_ratings(bots)
    _require_room(bots, people)
    memberships = _memberships(versions, locked) if rated else {}
    players = [BlockPlayer(version, memberships.get(version.bot_id)) for version in versions]
    seats = [seat for seat, bot in enumerate(bots) if is_guest(bot)]
    drawn = _RANDOM.sample(list(guests), len(guests))
    try:
        match = open_table(locked, players, rated=rated, limits=limits, guests=dict(zip(seats, drawn, strict=True)))
    except NoSeason as none:
        raise no_season(ladder) from none
    tell_found(match)
    return match


def no_season(ladder: Ladder) -> Refused:
    """The error for a game on a ladder without an open season."""
    text = _("%(ladder)s has no open season. Games can start again when the next season opens.") % {"ladder": ladder}
    return Refused(text, code="no_season")


def ladder_paused(ladder: Ladder) -> Refused:
    """The error for a new game on a ladder that operators have paused."""
    text = _("%(ladder)s is paused: %(reason)s Games start again when it is resumed.")
    return Refused(text % {"ladder": ladder, "reason": ladder.pause_reason}, code="ladder_paused")


def versions_of(ladder: Ladder, bots: Sequence[Bot]) -> list[BotVersion]:
    """By seat, the version that plays: the frozen version of a membership or the active one. Raises ``Refused``."""
    if not ladder.open:
        text = _("%(ladder)s is closed, so no new games can start. Choose another ladder.") % {"ladder": ladder}
        raise Refused(text, code="ladder_closed")
    if ladder.paused:
        raise ladder_paused(ladder)
    memberships = {
        membership.bot_id: membership for membership in Membership.objects.filter(ladder=ladder, bot__in=bots)
    }
    playing_by_bot = playing_versions([memberships.get(bot.pk) or Membership(ladder=ladder, bot=bot) for bot in bots])
    playing = set(Bot.objects.playing().filter(pk__in=[bot.pk for bot in bots]).values_list("pk", flat=True))
    for bot in bots:
        if bot.kind == Bot.Kind.PERSON:
            require_sits(bot, ladder)
        if bot.pk not in playing:
            raise Refused(
                _("%(bot)s is paused, retired or suspended. Choose another bot.") % {"bot": bot.name},
                code="not_playing",
            )
        if bot.pk not in playing_by_bot or not may_sit(playing_by_bot[bot.pk], ladder):
            raise Refused(
                _("%(bot)s cannot play on %(ladder)s. Choose another bot.") % {"bot": bot.name, "ladder": ladder},
                code="cannot_play",
            )
    return [playing_by_bot[bot.pk] for bot in bots]


def _require_room(bots: Collection[Bot], people: Collection[int]) -> None:
    """Raises ``Refused`` if a remote bot is offline or busy, ``TooMany`` if no hosted bot can be seated."""
    remote = {bot.pk: bot.name for bot in bots if bot.kind == Bot.Kind.REMOTE}
    free = held_free(remote) if remote else set()
    busy = [name for bot, name in remote.items() if bot not in free]
    if busy:
        raise Refused(
            _("%(bot)s is offline or already plays its maximum number of games. Try again in a minute.")
            % {"bot": busy[0]},
            code="unavailable",
        )
    hosted = sum(bot.kind == Bot.Kind.HOSTED for bot in bots)
    require_hosted_room(hosted)
    require_code(people, hosted)


def require_hosted_room(seats: int) -> None:
    """Raises ``TooMany`` if the site cannot run ``seats`` more hosted bots in live games."""
    if seats and seats > hosted_room():
        raise TooMany(_("All seats for hosted bots are in use. Try again in a minute."), 60, code="no_hosted_seat")


def _memberships(versions: Collection[BotVersion], ladder: Ladder) -> dict[int, Membership]:
    """The memberships by bot. Rows are locked by bot id, as everywhere. Raises ``Refused``."""
    return {
        version.bot_id: _membership(version, ladder) for version in sorted(versions, key=lambda version: version.bot_id)
    }


def _membership(version: BotVersion, ladder: Ladder) -> Membership:
    """The membership for which ``version`` plays, created for a human player without one. Raises ``Refused``."""
    if version.bot.kind == Bot.Kind.PERSON:
        membership_of(version, ladder)
    membership = Membership.objects.filter(ladder=ladder, bot=version.bot_id, active=True).first()
    if membership is None or membership.pk in merged_on([ladder]):
        raise Refused(
            _("%(bot)s does not play on %(ladder)s. Choose another player or ladder.")
            % {"bot": version.bot.name, "ladder": ladder},
            code="not_on_ladder",
        )
    return membership
