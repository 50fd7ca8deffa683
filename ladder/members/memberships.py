"""Memberships of bots and human players on ladders, and the versions that may play there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots import remote
from bots.limits import require_bot
from bots.machines import uploads_play_rated
from bots.models import Bot, BotVersion
from bots.owners import is_guest, make_active, owner_of_code
from bots.programs import plays
from bots.remote import plays_remotely
from bots.uploads.upload import Formats
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import User
from ladder.live.notify import seat_soon
from ladder.matches.playing_versions import freeze, frozen_ladders
from ladder.models import Invitation, Ladder, Membership

# --- Formats that a version supports ---------------------------------------------------------------------------------

_ALONE: Final = {
    Bot.Kind.HOSTED: Ladder.Players.HOSTED,
    Bot.Kind.REMOTE: Ladder.Players.REMOTE,
    Bot.Kind.PERSON: Ladder.Players.PEOPLE,
}


def may_sit(version: BotVersion, ladder: Ladder) -> bool:
    """Whether ``version`` may get a seat on ``ladder``; needs the loaded ``bot``."""
    if not kind_sits(version.bot, ladder):
        return False
    if version.bot.kind == Bot.Kind.PERSON:
        return version.state == version.State.READY
    of_its_kind = plays_remotely if version.bot.kind == Bot.Kind.REMOTE else plays
    return of_its_kind(version, ladder.game, ladder.seats)


def kind_sits(bot: Bot, ladder: Ladder) -> bool:
    """Whether ``ladder`` accepts this kind of player."""
    return ladder.players in (_ALONE[Bot.Kind(bot.kind)], Ladder.Players.OPEN)


def hosted_for_ratings() -> QuerySet[Bot]:
    """Hosted bots that can play rated live games now: only house bots if no machine can run uploaded bots."""
    hosted = Bot.objects.playing().filter(kind=Bot.Kind.HOSTED)
    return hosted if uploads_play_rated() else hosted.filter(owner=None)


def require_code_for_ratings(bots: Iterable[Bot]) -> None:
    """Raises ``Refused`` for hosted bots of a new rated game that are not among :func:`hosted_for_ratings`."""
    uploaded = [bot for bot in bots if bot.kind == Bot.Kind.HOSTED and bot.owner_id is not None]
    if uploaded and not uploads_play_rated():
        raise Refused(
            f"{uploaded[0].name} cannot play rated games at the moment, because the sandbox is not working."
            " Choose a casual game or a house bot.",
            code="no_sandbox",
        )


def enters_by_itself(bot: Bot, ladder: Ladder) -> bool:
    """Whether ``bot`` joins ``ladder`` automatically when it supports the format.

    Owners must add bots to invitation-only ladders themselves. Hosted bots do not join open ladders automatically,
    because a live game starts the program for every decision. People join with their first game (``membership_of``).
    """
    if ladder.by_invitation or bot.kind == Bot.Kind.PERSON:
        return False
    return not ladder.live or bot.kind == Bot.Kind.REMOTE


# --- Bots on ladders -------------------------------------------------------------------------------------------------
#
# Remote bots play on live ladders, uploaded bots on ladders with blocks, and both on open ladders if the owner selects
# them. Members also add their bots to invitation-only ladders by selecting them. After the deadline of a ladder no bot
# can join, and each bot continues with the version that was active then (``ladder.matches.playing_versions``).
#
# Nothing here changes matches. Pairings are public before the games, so an owner who could cancel a pairing by leaving
# could choose opponents. Scheduled games are played by the version that was active at that time.


class CannotJoin(Refused):
    """The bot cannot join this ladder."""


def enter(bot: Bot) -> None:
    """Update the memberships of ``bot`` for its active version and its owner's choices.

    Call it when a version has become active; it is safe at any time and concurrently. A membership whose format is no
    longer supported gets no new matches. It keeps its rating and continues when a later version supports the format.
    House bots join only through ``ladder.creation``. People join with their first game (``membership_of``).
    """
    if bot.owner_id is None:
        return
    with transaction.atomic():
        locked = _locked(bot)
        freeze(locked)
        if locked.kind == Bot.Kind.PERSON:
            here = not _away(locked)
            Membership.objects.filter(bot=bot, declined=False, active=not here).update(active=here)
            return
        supported = _supported(locked)
        memberships = {membership.ladder_id: membership for membership in _memberships(bot).order_by("pk")}
        frozen = _frozen_ids()
        for membership in memberships.values():
            _set_active(membership, _may_play(membership, locked, supported, frozen) and not membership.declined)
        welcome = [ladder for ladder in supported.values() if ladder.open and enters_by_itself(locked, ladder)]
        missing = [ladder for ladder in welcome if ladder.pk not in memberships and ladder.pk not in frozen]
        Membership.objects.bulk_create([Membership(ladder=ladder, bot=bot) for ladder in missing])


def enter_everybody() -> None:
    """Update the memberships of all users' bots with an active version, for example for a new ladder."""
    for bot in Bot.objects.of_code().filter(owner__isnull=False, versions__active=True).order_by("pk"):
        enter(bot)


def join(bot: Bot, ladder: Ladder) -> Membership:
    """Add ``bot`` to ``ladder``, with its previous rating if it has one. Raises ``CannotJoin``.

    If only a version in validation supports the format, the bot joins when that version becomes active.
    """
    with transaction.atomic():
        locked = _locked(bot)
        if locked.retired is not None:
            raise CannotJoin(f"{bot} is retired. Restore it first.", code="retired")
        if locked.suspended is not None:
            raise CannotJoin(f"{bot} is suspended. {contact_staff('mistake')}", code="suspended")
        _require_welcome(locked, ladder)
        freeze(locked)
        membership = _memberships(bot).filter(ladder=ladder).first() or Membership(ladder=ladder, bot=bot)
        frozen = _frozen_ids()
        supported = _may_play(membership, locked, _supported(locked), frozen)
        if not supported and (ladder.pk in frozen or not _may_support_soon(locked, ladder)):
            raise _unsupported(locked, ladder)
        wanted = {"declined": False, "active": supported}
        return Membership.objects.update_or_create(ladder=ladder, bot=bot, defaults=wanted)[0]


def leave(bot: Bot, ladder: Ladder) -> Membership:
    """Give ``bot`` no new matches on ``ladder``, even after new versions, until it joins again.

    It keeps its rating, and scheduled matches are played.
    """
    with transaction.atomic():
        _locked(bot)
        unwanted = {"declined": True, "active": False}
        return Membership.objects.update_or_create(ladder=ladder, bot=bot, defaults=unwanted)[0]


def activate(version: BotVersion) -> None:
    """Make ``version``, which may be an old one, the active version of its bot and update its memberships.

    Raises ``Refused`` unless it is validated.
    """
    with transaction.atomic():
        freeze(_locked(version.bot))
        version.refresh_from_db()
        if version.state != BotVersion.State.READY:
            problem = _NOT_VALIDATED[BotVersion.State(version.state)]
            text = f"Version {version.number} {problem}. Only a validated version can be active."
            raise Refused(text, code="version_not_ready")
        make_active(version)
        version.refresh_from_db()
        enter(version.bot)


_NOT_VALIDATED: Final = {
    BotVersion.State.RECEIVED: "is still queued for validation",
    BotVersion.State.VALIDATING: "is still being validated",
    BotVersion.State.UNDECIDED: "has not been validated yet",
    BotVersion.State.REJECTED: "was rejected",
}


def retire(bot: Bot) -> None:
    """Retire ``bot``: it gets no new matches until it is restored. Raises ``Refused`` for house bots.

    It keeps its results and ratings, and scheduled matches are played. Open cups withdraw it
    (``ladder.cups.progress``).
    """
    owner_of_code(bot)
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk, retired=None).update(retired=Now())
        bot.refresh_from_db()
        enter(bot)


def restore(bot: Bot) -> None:
    """Restore a retired ``bot`` to its ladders. Raises ``TooMany`` if its owner has the maximum number of bots."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        lock_active_user(owner.pk)
        if Bot.objects.filter(pk=bot.pk, retired__isnull=False).exists():
            require_bot(owner)
            Bot.objects.filter(pk=bot.pk).update(retired=None)
        bot.refresh_from_db()
        enter(bot)


def _require_welcome(bot: Bot, ladder: Ladder) -> None:
    """Raises ``CannotJoin`` if ``ladder`` accepts no new bots, or none of this owner."""
    if bot.kind == Bot.Kind.PERSON:
        raise CannotJoin(
            "Human players cannot be added. They join a ladder when they play a rated game on it.", code="human_player"
        )
    if not ladder.open:
        raise CannotJoin(f"The ladder {ladder} is closed. Choose an open ladder.", code="ladder_closed")
    if ladder.by_invitation and not Invitation.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        text = f"{ladder} is open only to invited members. Ask its organizer for the invitation link."
        raise CannotJoin(text, code="invitation_only")
    if frozen_ladders().filter(pk=ladder.pk).exists() and not ladder.memberships.filter(bot=bot).exists():
        raise CannotJoin(
            f"{ladder} is closed to new bots: its deadline has passed. Choose another ladder.", code="deadline_passed"
        )


def _unsupported(bot: Bot, ladder: Ladder) -> CannotJoin:
    if ladder.players == Ladder.Players.PEOPLE:
        return CannotJoin(
            f"{ladder} is only for human players, but {bot} is a bot. Choose a ladder for bots.", code="humans_only"
        )
    if ladder.players == Ladder.Players.REMOTE and bot.kind == Bot.Kind.HOSTED:
        return CannotJoin(
            f"{ladder} is only for remote bots, but {bot} is a hosted bot. Choose a ladder for hosted bots.",
            code="remote_only",
        )
    if not ladder.live and bot.kind == Bot.Kind.REMOTE:
        return CannotJoin(
            f"{ladder} is only for hosted bots, but {bot} is a remote bot. Choose a ladder for remote bots.",
            code="hosted_only",
        )
    text = f"The active version of {bot} does not support the format of {ladder}. Upload a version that does."
    return CannotJoin(text, code="unsupported_format")


def _locked(bot: Bot) -> Bot:
    """Lock the row of the bot until the end of the transaction. Memberships are always locked after it."""
    return Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)


def _supported(bot: Bot) -> dict[int, Ladder]:
    """By id, the ladders on which the bot can play now."""
    version = bot.versions.filter(active=True).select_related("bot").defer("validation_report").first()
    if version is None or _away(bot):
        return {}
    return {ladder.pk: ladder for ladder in Ladder.objects.order_by("pk") if may_sit(version, ladder)}


def _memberships(bot: Bot) -> QuerySet[Membership]:
    return Membership.objects.filter(bot=bot).select_related("ladder", "frozen__bot").defer("frozen__validation_report")


def _frozen_ids() -> set[int]:
    return set(frozen_ladders().values_list("pk", flat=True))


def _may_play(membership: Membership, bot: Bot, supported: Mapping[int, Ladder], frozen: Collection[int]) -> bool:
    """Whether the frozen version (else the active version) supports the format of the membership's ladder."""
    if membership.ladder_id not in frozen:
        return membership.ladder_id in supported
    if membership.frozen is None or _away(bot):
        return False
    return may_sit(membership.frozen, membership.ladder)


def _away(bot: Bot) -> bool:
    """Whether the bot is retired or suspended."""
    return bot.retired is not None or bot.suspended is not None


def _may_support_soon(bot: Bot, ladder: Ladder) -> bool:
    """Whether a version in validation supports the format of ``ladder``."""
    unvalidated = bot.versions.filter(state__in=BotVersion.UNVALIDATED).defer("validation_report")
    return kind_sits(bot, ladder) and any(version.supports(ladder.game, ladder.seats) for version in unvalidated)


def _set_active(membership: Membership, active: bool) -> None:
    if membership.active != active:
        Membership.objects.filter(pk=membership.pk).update(active=active)


# --- Human players on ladders ----------------------------------------------------------------------------------------

PEOPLE_LIMITS: Final = {"move_ms": 45_000, "bank_ms": 180_000, "game_ms": 3_600_000}
"""The limits of rated games between people (``bots.protocol.Limits``)."""


def require_rated(user: User) -> None:
    """Raises ``Refused`` if ``user`` has no verified email address, which rated games require."""
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        text = _("Rated games require a verified email address. Verify your address on the account page.")
        raise Refused(text, code="email_not_verified")


def require_sits(bot: Bot, ladder: Ladder) -> None:
    """Raises ``Refused`` if the human player ``bot`` cannot play games of ``ladder``, rated or casual."""
    names = {"name": bot.name, "ladder": ladder.name}
    if not bot.plays:
        raise Refused(_("%(name)s cannot play at the moment.") % names, code="cannot_play")
    if not kind_sits(bot, ladder):
        raise Refused(_("%(ladder)s is not open to human players. Choose another ladder.") % names, code="bots_only")
    if not ladder.open:
        raise Refused(_("The ladder %(ladder)s is closed. Choose an open ladder.") % names, code="ladder_closed")
    if ladder.by_invitation and not Invitation.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        raise Refused(
            _("%(ladder)s is open only to invited members. Ask its organizer for the invitation link.") % names,
            code="invitation_only",
        )


def membership_of(version: BotVersion, ladder: Ladder) -> Membership:
    """The membership of the human player of ``version`` on ``ladder``; creates it before the first game.

    Raises ``Refused`` if the player cannot play there. ``require_rated`` checks whether the user may play rated games.
    """
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if bot.kind != Bot.Kind.PERSON or is_guest(bot):
            raise Refused(
                _("Guests cannot play rated games. Create an account or play a casual game."), code="no_account"
            )
        require_sits(bot, ladder)
        membership = Membership.objects.filter(ladder=ladder, bot=bot).first()
        if membership is None:
            if frozen_ladders().filter(pk=ladder.pk).exists():
                text = _("%(ladder)s is closed to new players: its deadline has passed. Choose another ladder.")
                raise Refused(text % {"ladder": ladder.name}, code="deadline_passed")
            return Membership.objects.create(ladder=ladder, bot=bot)
        if not membership.active or membership.declined:
            membership.active, membership.declined = True, False
            membership.save(update_fields=["active", "declined"])
        return membership


def retire_player(bot: Bot) -> None:
    """Retire the human player ``bot`` permanently. Its results stay; it leaves all ladders."""
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk, kind=Bot.Kind.PERSON, retired=None).update(retired=Now())
        enter(bot)


# --- Remote bots -----------------------------------------------------------------------------------------------------


def register(
    owner: User, name: str, formats: Formats | None = None, label: str = remote.FIRST_LABEL, games_at_once: int = 1
) -> BotVersion:
    """Register a remote bot of ``owner``, add it to the live ladders that it supports, and return its active version.

    ``formats`` are seat counts by game slug, ``None`` for all formats. A repeated call returns the same bot.
    Raises ``esr_platform.accounts.errors.Refused``, ``NameRefused`` and ``TooMany``.
    """
    with transaction.atomic():
        version = remote.new_bot(owner, name, formats, label, games_at_once)
        activate(version)
    return version


def declare(
    bot: Bot, *, label: str | None = None, formats: Formats | None = None, games_at_once: int | None = None
) -> BotVersion | None:
    """Update what a remote bot declares, and return its active version. ``None`` leaves a value unchanged.

    A new ``label`` or new ``formats`` create a new version and update the memberships. A label that the bot has used
    before activates that version. Running games continue with their version. Raises ``Refused``.
    """
    with transaction.atomic():
        lock_active_user(owner_of_code(bot).pk)
        if games_at_once is not None:
            remote.play_at_once(bot, games_at_once)
        if label is not None or formats is not None:
            activate(remote.version_for(bot, label, formats))
        seat_soon()
    return bot.active_version
