"""Who may see and change ladders, matches, bots and logs. Pages, API, exports and commands use these rules.

- A private ladder, and everything on it, exists only for its members and staff (``Ladder.objects.visible_to``).
- Anyone sees a bot that has had an active version. Only its owner and staff see everything else about a bot. For
  others, a bot that was never active does not exist. A human player has a rating and games like a bot, but no code.
- Only the owner of a bot and staff see its logs, once the deal is public.
- A challenge is for the user who made it and the owners of its players.
- An open game is for everyone who may know of its ladder, or only for invited players. Players who offered it or joined
  it always see it.
- Everyone who may see its ladder sees a cup. An unlisted cup is in no list, but its games are, without the cup. Its
  organizers and staff run it, and only the main organizer and staff choose the co-organizers. A suspended user
  organizes nothing.

``ladder.openness`` decides when a deal is public.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final, TypeVar

from allauth.account.models import EmailAddress
from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from esr_platform.accounts.roles import has_role
from ladder.models import (
    Agreement,
    Cup,
    CupEntry,
    Exhibition,
    Invitation,
    Ladder,
    Match,
    Proposal,
    ProposalPlayer,
    Season,
    Seat,
    SeatLog,
)
from ladder.models.ladders import Viewer
from ladder.openness import opened

_Row = TypeVar("_Row")
_READY: Final = BotVersion.objects.filter(bot=OuterRef("pk"), state=BotVersion.State.READY)
_PUBLIC: Final = Q(owner=None) | Exists(_READY)
_WITH_OWNER: Final = Bot.objects.select_related("owner")


def found(rows: QuerySet[Any, _Row], otherwise: str, **wanted: Any) -> _Row:
    """The row with the values ``wanted``. Raises ``Http404`` with the message ``otherwise``."""
    sayable = not any("\0" in str(value) for value in wanted.values())  # PostgreSQL takes no text with a NUL
    row = rows.filter(**wanted).first() if sayable else None
    if row is None:
        raise Http404(otherwise)
    return row


def ladder_seen_by(user: Viewer, slug: str) -> Ladder:
    """The ladder with this slug, if ``user`` may see it. Raises ``Http404``."""
    return found(Ladder.objects.visible_to(user), gettext("Ladder not found."), slug=slug)


def matches_seen_by(user: Viewer) -> QuerySet[Match]:
    """The matches that ``user`` may see."""
    return among_matches_seen_by(user, Match.objects.all())


def among_matches_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """The ``matches`` (or rows of them) that ``user`` may see."""
    return matches.filter(ladder__in=Ladder.objects.visible_to(user))


def matches_in_order_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """Like ``among_matches_seen_by``, for queries that read a few matches in the order of their ids.

    Each match is filtered as it is read, so the database does not sort the matches of all ladders first.
    """
    return matches.filter(Exists(Ladder.objects.visible_to(user).filter(pk=OuterRef("ladder"))))


def with_seats_of(matches: QuerySet[Match, _Row], versions: QuerySet[BotVersion]) -> QuerySet[Match, _Row]:
    """The ``matches`` in which one of ``versions`` has a seat, found through its seats."""
    return matches.filter(pk__in=Seat.objects.filter(version__in=versions).values("match"))


def match_seen_by(user: Viewer, match_id: int) -> Match:
    """The match with its ladder, if ``user`` may see it. Raises ``Http404``."""
    return match_among(Match.objects.select_related("ladder"), user, match_id)


def match_among(matches: QuerySet[Match, _Row], user: Viewer, match_id: int) -> _Row:
    """The match of ``matches`` (or rows of them) with this id, if ``user`` may see it. Raises ``Http404``."""
    return found(among_matches_seen_by(user, matches), gettext("Match not found."), pk=match_id)


def sees_open_game(person: int | None, game: Proposal, private_ladders: Collection[int]) -> bool:
    """Whether the user with the id ``person`` may see an open game (with its ladder and players loaded).

    ``private_ladders`` are those that ``person`` may see (:func:`private_ladders_seen_by`).
    """
    if person is not None and person in {game.by_id, *(player.bot.owner_id for player in game.players.all())}:
        return True
    return game.kind == Proposal.Kind.OPEN and (not game.ladder.private or game.ladder_id in private_ladders)


def challenges_seen_by(person: User) -> QuerySet[Proposal]:
    """The challenges that ``person`` created, or in which one of their bots is to play."""
    joined = ProposalPlayer.objects.filter(bot__owner=person).values("proposal")
    made = Proposal.objects.challenges().filter(Q(by=person) | Q(pk__in=joined))
    return made.select_related("ladder", "by")


def private_ladders_seen_by(people: Collection[int], ladders: Collection[int]) -> dict[int, set[int]]:
    """By user id, the private ``ladders`` that the user may see; two queries, none without ``ladders``."""
    visible: defaultdict[int, set[int]] = defaultdict(set)
    if people and ladders:
        members = Invitation.objects.filter(ladder__in=ladders, person__in=people)
        for person, ladder in members.values_list("person", "ladder"):
            visible[person].add(ladder)
        for admin in User.objects.filter(pk__in=people, is_active=True).exclude(role="").values_list("pk", flat=True):
            visible[admin].update(ladders)
    return visible


def season_among(seasons: QuerySet[Season, _Row], user: Viewer, slug: str, number: int) -> _Row:
    """The season of ``seasons`` (or of rows of them) that ``user`` may see. Raises ``Http404``."""
    ladder = ladder_seen_by(user, slug)
    return found(seasons.filter(ladder=ladder), gettext("Season not found."), number=number)


def exhibition_seen_by(user: Viewer, exhibition_id: int) -> Exhibition:
    """The match request with this id, with its ladder, if ``user`` may see it. Raises ``Http404``."""
    exhibitions = Exhibition.objects.visible_to(user).select_related("ladder", "requested_by")
    return found(exhibitions, gettext("Match request not found."), pk=exhibition_id)


def may_cancel(exhibition: Exhibition, user: Viewer) -> bool:
    """Whether ``user`` may cancel ``exhibition`` while it is open: its requester, staff, and players who agreed to it.

    Players may do so until it begins.
    """
    if is_staff(user) or exhibition.requested_by_id == user.pk:
        return True
    begun = exhibition.state not in (Exhibition.State.INVITED, Exhibition.State.PLANNED)
    agreed = Agreement.objects.filter(exhibition=exhibition, person=user.pk, agreed=True)
    return not begun and user.pk is not None and agreed.exists()


def cups_seen_by(user: Viewer) -> QuerySet[Cup]:
    """The cups whose pages ``user`` may see, with their ladder and organizer. Lists show only those with ``listed``."""
    return Cup.objects.select_related("ladder", "organizer").filter(ladder__in=Ladder.objects.visible_to(user))


def cups_of(user: User) -> QuerySet[Cup]:
    """The cups that ``user`` organizes or has entered a bot in, also unlisted ones."""
    entered = CupEntry.objects.filter(bot__owner=user).exclude(state=CupEntry.State.WITHDRAWN)
    helped = Cup.co_organizers.through.objects.filter(user=user)
    own = Q(organizer=user) | Q(pk__in=helped.values("cup")) | Q(pk__in=entered.values("cup"))
    return cups_seen_by(user).filter(own)


def cup_seen_by(user: Viewer, slug: str) -> Cup:
    """The cup with this slug, if ``user`` may see it. Raises ``Http404``."""
    return found(cups_seen_by(user), gettext("Cup not found."), slug=slug)


def organizes(user: Viewer, cup: Cup) -> bool:
    """Whether ``user`` organizes ``cup``, alone or with others."""
    if user.pk is None or not user.is_active:
        return False
    return cup.organizer_id == user.pk or cup.co_organizers.filter(pk=user.pk).exists()


def may_run(user: Viewer, cup: Cup) -> bool:
    """Whether ``user`` may manage ``cup``: its organizers and staff."""
    return is_staff(user) or organizes(user, cup)


def chooses_organizers(user: Viewer, cup: Cup) -> bool:
    """Whether ``user`` may add and remove co-organizers of ``cup``: the main organizer and staff."""
    return is_staff(user) or (user.pk is not None and user.is_active and cup.organizer_id == user.pk)


def public_bots() -> QuerySet[Bot]:
    """The bots that everyone may see: house bots and bots that have had an active version. No human players."""
    return public_among(_WITH_OWNER.of_code())


def public_players() -> QuerySet[Bot]:
    """The bots that everyone may see, and all human players, including the row that all guests share."""
    return public_among(_WITH_OWNER)


def public_among(bots: QuerySet[Bot, _Row]) -> QuerySet[Bot, _Row]:
    """The ``bots`` (or rows of them) that everyone may see."""
    return bots.filter(_PUBLIC)


_PROVEN: Final = Exists(EmailAddress.objects.filter(user=OuterRef("pk"), verified=True))
_PLAYING: Final = Exists(public_players().filter(owner=OuterRef("pk")))


def person_seen_by(viewer: Viewer, username: str) -> User:
    """The user with this name, in any case. Raises ``Http404``.

    Other viewers can see users who have verified an email address or have a public bot or game. Deleted accounts have
    no page.
    """
    known = User._default_manager.filter(_PROVEN | _PLAYING | Q(pk=viewer.pk), deleted=None)
    return found(known, gettext("Player not found."), username__iexact=username)


def judged(bots: QuerySet[Bot]) -> QuerySet[Any]:
    """``bots`` with the annotation ``public``: whether everyone may see the bot."""
    return bots.annotate(public=ExpressionWrapper(_PUBLIC, output_field=BooleanField()))


_SEEN: Final = judged(_WITH_OWNER)


def bot_seen_by(user: Viewer, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """The bot or human player with this slug, if ``user`` may see it. ``of`` is a queryset of ``judged`` bots.

    Raises ``Http404``.
    """
    bot: Any = found(of, _no_bot(), slug=slug)
    if not bot.public and not may_read(user, bot):
        raise Http404(_no_bot())
    seen: Bot = bot
    return seen


def code_seen_by(user: Viewer, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """Like ``bot_seen_by``, but not for human players. Raises ``Http404``."""
    bot = bot_seen_by(user, slug, of)
    if bot.kind == Bot.Kind.PERSON:
        raise Http404(_no_bot())
    return bot


def _no_bot() -> str:
    return gettext("Bot not found.")


def bot_read_by(user: Viewer, slug: str) -> Bot:
    """The bot with this slug, for its owner and staff. Raises ``Http404`` and ``PermissionDenied``."""
    bot = code_seen_by(user, slug)
    if not may_read(user, bot):
        raise PermissionDenied(
            gettext("Only the owner of %(name)s can see this page. Sign in as the owner.") % {"name": bot.name}
        )
    return bot


def bot_changed_by(user: Viewer, slug: str) -> Bot:
    """The bot with this slug, for its owner only. Raises ``Http404`` and ``PermissionDenied`` (also for staff)."""
    bot = code_seen_by(user, slug)
    if not owns(user, bot):
        raise PermissionDenied(
            gettext("Only the owner of %(name)s can do that. Sign in as the owner.") % {"name": bot.name}
        )
    return bot


def owns(user: Viewer, bot: Bot) -> bool:
    """Whether ``bot`` is the bot of ``user``."""
    return bot.owner_id is not None and bot.owner_id == user.pk


def may_read(user: Viewer, bot: Bot) -> bool:
    """Whether ``user`` may see the private parts of ``bot``."""
    return owns(user, bot) or is_staff(user)


def is_staff(user: Viewer) -> bool:
    """Whether ``user`` is site staff."""
    return has_role(user)


def may_read_source(user: Viewer, version: BotVersion) -> bool:
    """Whether ``user`` may read the code of ``version``; if it is public, anyone may read the active version."""
    if not version.archive:
        return False
    return may_read(user, version.bot) or (version.active and version.bot.public_source)


def readable_logs(match: Match, user: Viewer) -> QuerySet[SeatLog]:
    """The bot logs of ``match`` that ``user`` may read now."""
    if not user.is_authenticated or not user.is_active:
        return SeatLog.objects.none()
    own = Q() if is_staff(user) else Q(seat__version__bot__owner=user.pk)
    return SeatLog.objects.filter(own, opened("seat__match__block"), seat__match=match)
