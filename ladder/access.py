"""Who may see and change what: ladders, matches, bots and logs. Pages, API, exports and commands all ask here.

- A private ladder, and everything on it, exists only for its members and staff (``Ladder.objects.visible_to``).
- Anyone sees a bot that was ready once. Everything else about a bot is for its owner, and staff may look. For others, a
  bot that was never ready does not exist. The row of a person who plays by hand has a rating and games like a bot, and
  nothing that belongs to code.
- A log is for the owner of its bot and for staff, once its deal is open.
- A challenge is for the user who made it and the owners of its players.
- An open game is for everyone who may know of its ladder, or only for invited players. Players who offered it or joined
  it always see it.

When a deal is open for everyone is decided in ``ladder.openness``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final, TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from ladder.models import Agreement, Exhibition, Invitation, Ladder, Match, Proposal, ProposalPlayer, Seat, SeatLog
from ladder.models.ladders import Viewer
from ladder.openness import opened

_Row = TypeVar("_Row")
_READY: Final = BotVersion.objects.filter(bot=OuterRef("pk"), state=BotVersion.State.READY)
_PUBLIC: Final = Q(owner=None) | Exists(_READY)
_WITH_OWNER: Final = Bot.objects.select_related("owner")


def found(rows: QuerySet[Any, _Row], otherwise: str, **wanted: Any) -> _Row:
    """The row that an address names. Raises ``Http404`` with the sentence ``otherwise``."""
    sayable = not any("\0" in str(value) for value in wanted.values())  # PostgreSQL takes no text with a NUL
    row = rows.filter(**wanted).first() if sayable else None
    if row is None:
        raise Http404(otherwise)
    return row


def ladder_seen_by(user: Viewer, slug: str) -> Ladder:
    """The ladder at an address, if ``user`` may know of it. Raises ``Http404``."""
    return found(Ladder.objects.visible_to(user), gettext("No ladder is called %(name)s.") % {"name": slug}, slug=slug)


def matches_seen_by(user: Viewer) -> QuerySet[Match]:
    """The matches that ``user`` may know of."""
    return among_matches_seen_by(user, Match.objects.all())


def among_matches_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """Those of ``matches``, or of rows of them, that ``user`` may know of."""
    return matches.filter(ladder__in=Ladder.objects.visible_to(user))


def matches_in_order_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """The same matches, for whoever reads some of them by id: each is judged as it is read.

    The other way round a database may gather and sort all matches of all ladders for the newest ten.
    """
    return matches.filter(Exists(Ladder.objects.visible_to(user).filter(pk=OuterRef("ladder"))))


def with_seats_of(matches: QuerySet[Match, _Row], versions: QuerySet[BotVersion]) -> QuerySet[Match, _Row]:
    """Those of ``matches`` at which one of ``versions`` sits. Found from its seats, however much others have played."""
    return matches.filter(pk__in=Seat.objects.filter(version__in=versions).values("match"))


def match_seen_by(user: Viewer, match_id: int) -> Match:
    """The match at an address, with its ladder, if ``user`` may know of it. Raises ``Http404``."""
    return match_among(Match.objects.select_related("ladder"), user, match_id)


def match_among(matches: QuerySet[Match, _Row], user: Viewer, match_id: int) -> _Row:
    """The one of ``matches``, or of rows of them, at an address, as ``match_seen_by`` has it."""
    return found(
        among_matches_seen_by(user, matches),
        gettext("There is no match %(number)s.") % {"number": match_id},
        pk=match_id,
    )


def sees_open_game(person: int | None, game: Proposal, private_ladders: Collection[int]) -> bool:
    """Whether ``person``, a user id, may know of an open game, which comes with its ladder and players.

    ``private_ladders`` are those that ``person`` may know of (:func:`private_ladders_seen_by`).
    """
    if person is not None and person in {game.by_id, *(player.bot.owner_id for player in game.players.all())}:
        return True
    return game.kind == Proposal.Kind.OPEN and (not game.ladder.private or game.ladder_id in private_ladders)


def challenges_seen_by(person: User) -> QuerySet[Proposal]:
    """The challenges that ``person`` made, or in which a bot of theirs is to play. Nobody else knows of them."""
    theirs = ProposalPlayer.objects.filter(bot__owner=person).values("proposal")
    made = Proposal.objects.challenges().filter(Q(by=person) | Q(pk__in=theirs))
    return made.select_related("ladder", "by")


def private_ladders_seen_by(people: Collection[int], ladders: Collection[int]) -> dict[int, set[int]]:
    """By user, those of the private ``ladders`` that the user may know of; two queries, none without ``ladders``."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    if people and ladders:
        members = Invitation.objects.filter(ladder__in=ladders, person__in=people)
        for person, ladder in members.values_list("person", "ladder"):
            found[person].add(ladder)
        for admin in User.objects.filter(pk__in=people, is_staff=True).values_list("pk", flat=True):
            found[admin].update(ladders)
    return found


def exhibition_seen_by(user: Viewer, exhibition_id: int) -> Exhibition:
    """The exhibition at an address, with its ladder. Raises ``Http404``."""
    exhibitions = Exhibition.objects.visible_to(user).select_related("ladder", "requested_by")
    return found(exhibitions, gettext("There is no order %(number)s.") % {"number": exhibition_id}, pk=exhibition_id)


def may_cancel(exhibition: Exhibition, user: Viewer) -> bool:
    """Whether ``user`` may cancel ``exhibition`` while it is open: its requester, staff, and players who agreed to it.

    Players may do so until it begins.
    """
    if is_staff(user) or exhibition.requested_by_id == user.pk:
        return True
    begun = exhibition.state not in (Exhibition.State.INVITED, Exhibition.State.PLANNED)
    agreed = Agreement.objects.filter(exhibition=exhibition, person=user.pk, agreed=True)
    return not begun and user.pk is not None and agreed.exists()


def public_bots() -> QuerySet[Bot]:
    """The bots that everybody knows of: the house's, and those that were ready once. None of them is a person."""
    return public_among(_WITH_OWNER.of_code())


def public_players() -> QuerySet[Bot]:
    """The same with the rows of people, the one of all guests among them."""
    return public_among(_WITH_OWNER)


def public_among(bots: QuerySet[Bot, _Row]) -> QuerySet[Bot, _Row]:
    """Those of ``bots``, or of rows of them, that everybody knows of."""
    return bots.filter(_PUBLIC)


def judged(bots: QuerySet[Bot]) -> QuerySet[Any]:
    """``bots``, each with whether everybody knows of it (``public``)."""
    return bots.annotate(public=ExpressionWrapper(_PUBLIC, output_field=BooleanField()))


_SEEN: Final = judged(_WITH_OWNER)


def bot_seen_by(user: Viewer, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """The bot or person at an address, if ``user`` may know of it. ``of``, bots ``judged``, says what is read of it.

    Raises ``Http404``.
    """
    bot: Any = found(of, _no_bot(slug), slug=slug)
    if not bot.public and not may_read(user, bot):
        raise Http404(_no_bot(slug))
    seen: Bot = bot
    return seen


def code_seen_by(user: Viewer, slug: str, of: QuerySet[Any] = _SEEN) -> Bot:
    """The same for what only a bot has: a person is none. Raises ``Http404``."""
    bot = bot_seen_by(user, slug, of)
    if bot.kind == Bot.Kind.PERSON:
        raise Http404(_no_bot(slug))
    return bot


def _no_bot(slug: str) -> str:
    return gettext("No bot is called %(name)s.") % {"name": slug}


def bot_read_by(user: Viewer, slug: str) -> Bot:
    """The bot at an address, for its owner and staff. Raises ``Http404`` and ``PermissionDenied``."""
    bot = code_seen_by(user, slug)
    if not may_read(user, bot):
        raise PermissionDenied(gettext("This is for the owner of %(name)s alone.") % {"name": bot.name})
    return bot


def bot_changed_by(user: Viewer, slug: str) -> Bot:
    """The bot at an address, for its owner. Raises ``Http404`` and ``PermissionDenied``, the latter for staff too."""
    bot = code_seen_by(user, slug)
    if not owns(user, bot):
        raise PermissionDenied(gettext("Only the owner of %(name)s can do that.") % {"name": bot.name})
    return bot


def owns(user: Viewer, bot: Bot) -> bool:
    """Whether ``bot`` is the bot of ``user``."""
    return bot.owner_id is not None and bot.owner_id == user.pk


def may_read(user: Viewer, bot: Bot) -> bool:
    """Whether ``user`` may see what of ``bot`` is not for everybody."""
    return owns(user, bot) or is_staff(user)


def is_staff(user: Viewer) -> bool:
    """Whether ``user`` looks after the site."""
    return bool(getattr(user, "is_staff", False))


def may_read_source(user: Viewer, version: BotVersion) -> bool:
    """Whether ``user`` may read the code of ``version``: once it is public, everybody that of the one that plays."""
    if not version.archive:
        return False
    return may_read(user, version.bot) or (version.active and version.bot.public_source)


def readable_logs(match: Match, user: Viewer) -> QuerySet[SeatLog]:
    """The owners' logs of ``match`` that ``user`` may read now."""
    if not user.is_authenticated or not user.is_active:
        return SeatLog.objects.none()
    theirs = Q() if getattr(user, "is_staff", False) else Q(seat__version__bot__owner=user.pk)
    return SeatLog.objects.filter(theirs, opened("seat__match__block"), seat__match=match)
