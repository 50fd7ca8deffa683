"""Which ladders a bot or a person plays on, and which versions may play there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots import owners, remote
from bots.machines import uploads_play_rated
from bots.models import Bot, BotVersion
from bots.owners import is_guest, owner_of_code
from bots.programs import plays
from bots.remote import plays_remotely
from bots.uploads.upload import Games
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import hold_acting
from esr_platform.accounts.models import User
from ladder.live.notify import seat_soon
from ladder.matches.candidates import freeze, frozen_ladders
from ladder.models import Invitation, Ladder, Membership

# --- Formats that a version supports ---------------------------------------------------------------------------------

_ALONE: Final = {
    Bot.Kind.HOSTED: Ladder.Players.HOSTED,
    Bot.Kind.REMOTE: Ladder.Players.REMOTE,
    Bot.Kind.PERSON: Ladder.Players.PEOPLE,
}


def may_sit(version: BotVersion, ladder: Ladder) -> bool:
    """Whether ``version`` may be given a seat on ``ladder``. Its ``bot`` comes with it."""
    if not kind_sits(version.bot, ladder):
        return False
    if version.bot.kind == Bot.Kind.PERSON:
        return version.state == version.State.READY
    of_its_kind = plays_remotely if version.bot.kind == Bot.Kind.REMOTE else plays
    return of_its_kind(version, ladder.game, ladder.seats)


def kind_sits(bot: Bot, ladder: Ladder) -> bool:
    """Whether players of its kind sit there: everybody at open tables, else those alone that the ladder is for."""
    return ladder.players in (_ALONE[Bot.Kind(bot.kind)], Ladder.Players.OPEN)


def hosted_for_ratings() -> QuerySet[Bot]:
    """Hosted bots that can be seated at rated live tables now: only house bots while no machine can play uploads."""
    hosted = Bot.objects.playing().filter(kind=Bot.Kind.HOSTED)
    return hosted if uploads_play_rated() else hosted.filter(owner=None)


def require_code_for_ratings(bots: Iterable[Bot]) -> None:
    """Raises ``Refused`` for hosted bots of a new rated game that are not among :func:`hosted_for_ratings`."""
    uploaded = [bot for bot in bots if bot.kind == Bot.Kind.HOSTED and bot.owner_id is not None]
    if uploaded and not uploads_play_rated():
        raise Refused(
            f"The site cannot run {uploaded[0].name} in rated games at the moment. Choose a casual game or a house bot."
        )


def enters_by_itself(bot: Bot, ladder: Ladder) -> bool:
    """Whether ``bot`` is on ``ladder`` as soon as it claims its tables, without its owner's tick.

    Not where somebody has to be invited. Nor is code on an open ladder unless its owner wants it there: a live game is
    played at the pace of others, a start of the program a decision. People enter when they sit down
    (``membership_of``).
    """
    if ladder.by_invitation or bot.kind == Bot.Kind.PERSON:
        return False
    return not ladder.live or bot.kind == Bot.Kind.REMOTE


# --- Bots on ladders -------------------------------------------------------------------------------------------------
#
# Remote bots are on live ladders, uploaded ones on those that play in blocks, and on open ones, where both meet, by
# their owner's tick alone. To a ladder by invitation a member brings a bot by ticking it, too. Once a ladder has frozen
# nobody new enters it, and who is there goes on with the version of then, whatever the bot's active one claims
# (``ladder.matches.candidates``).
#
# Nothing here touches a match. Pairings are public before they are played, so whoever could end one by leaving could
# choose opponents: what is paired is played, by the version of then.


class CannotJoin(Refused):
    """The bot cannot be on this ladder; the message is a sentence that says why."""


def enter(bot: Bot) -> None:
    """Bring the memberships of ``bot`` up to what its active version claims and its owner wishes.

    To be called when a version has become active; safe at any time and twice at once. A membership that is no longer
    claimed gets no new matches; it keeps its rating and goes on with it when a later version claims the table again.
    The house's bots are entered by ``ladder.creation`` alone. People enter by sitting down (``membership_of``); their
    memberships are active unless they are away.
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
        claimed = _claimed(locked)
        memberships = {membership.ladder_id: membership for membership in _memberships(bot).order_by("pk")}
        frozen = _frozen_ids()
        for membership in memberships.values():
            _set_active(membership, _may_play(membership, locked, claimed, frozen) and not membership.declined)
        welcome = [ladder for ladder in claimed.values() if ladder.open and enters_by_itself(locked, ladder)]
        missing = [ladder for ladder in welcome if ladder.pk not in memberships and ladder.pk not in frozen]
        Membership.objects.bulk_create([Membership(ladder=ladder, bot=bot) for ladder in missing])


def enter_everybody() -> None:
    """Do that for every person's bot that has a version to play with: a ladder may be new."""
    for bot in Bot.objects.of_code().filter(owner__isnull=False, versions__active=True).order_by("pk"):
        enter(bot)


def join(bot: Bot, ladder: Ladder) -> Membership:
    """Put ``bot`` on ``ladder``, or back on it with the rating that it had. Raises ``CannotJoin``.

    Where only a version that still waits for its check claims the table, the bot is entered once that is ready.
    """
    with transaction.atomic():
        locked = _locked(bot)
        if locked.retired is not None:
            raise CannotJoin(f"{bot} is retired. Take it back first.")
        if locked.suspended is not None:
            raise CannotJoin(f"{bot} is suspended. Ask the people who look after the site.")
        _require_welcome(locked, ladder)
        freeze(locked)
        membership = _memberships(bot).filter(ladder=ladder).first() or Membership(ladder=ladder, bot=bot)
        frozen = _frozen_ids()
        claimed = _may_play(membership, locked, _claimed(locked), frozen)
        if not claimed and (ladder.pk in frozen or not _is_to_claim(locked, ladder)):
            raise CannotJoin(_why_not(locked, ladder))
        wanted = {"declined": False, "active": claimed}
        return Membership.objects.update_or_create(ladder=ladder, bot=bot, defaults=wanted)[0]


def leave(bot: Bot, ladder: Ladder) -> Membership:
    """No new matches for ``bot`` on ``ladder``, whatever later versions claim, until it joins again.

    Its rating stays, and what is paired is played. Before its first match this unticks the ladder.
    """
    with transaction.atomic():
        _locked(bot)
        unwanted = {"declined": True, "active": False}
        return Membership.objects.update_or_create(ladder=ladder, bot=bot, defaults=unwanted)[0]


def activate(version: BotVersion) -> None:
    """Give new matches this version of its bot, and bring its memberships up to it. Raises ``Refused``."""
    with transaction.atomic():
        freeze(_locked(version.bot))
        owners.activate(version)
        enter(version.bot)


def retire(bot: Bot) -> None:
    """No new matches for ``bot`` anywhere, until it is taken back. Raises ``esr_platform.accounts.errors.Refused``.

    Its results and ratings stay, and what is paired is played.
    """
    with transaction.atomic():
        owners.retire(bot)
        enter(bot)


def take_back(bot: Bot) -> None:
    """End the retirement of ``bot``: it is on its ladders again. Raises ``esr_platform.accounts.errors.TooMany``."""
    with transaction.atomic():
        owners.take_back(bot)
        enter(bot)


def _require_welcome(bot: Bot, ladder: Ladder) -> None:
    """Raises ``CannotJoin`` where ``ladder`` takes nobody, or nobody of this owner's."""
    if bot.kind == Bot.Kind.PERSON:
        raise CannotJoin("People enter a ladder by sitting down at one of its tables.")
    if not ladder.open:
        raise CannotJoin(f"The ladder {ladder} is closed.")
    if ladder.by_invitation and not Invitation.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        raise CannotJoin(f"{ladder} is by invitation. Ask whoever looks after it for its link.")
    if frozen_ladders().filter(pk=ladder.pk).exists() and not ladder.memberships.filter(bot=bot).exists():
        raise CannotJoin(f"{ladder} takes no more bots: its deadline has passed.")


def _why_not(bot: Bot, ladder: Ladder) -> str:
    if ladder.players == Ladder.Players.PEOPLE:
        return f"{ladder} is for people: {bot} is a bot."
    if ladder.players == Ladder.Players.REMOTE and bot.kind == Bot.Kind.HOSTED:
        return f"{ladder} is for remote bots: {bot} runs here."
    if not ladder.live and bot.kind == Bot.Kind.REMOTE:
        return f"{ladder} is for bots that run here: {bot} is a remote one."
    return f"The active version of {bot} does not claim the tables of {ladder}."


def _locked(bot: Bot) -> Bot:
    """The bot's row, held until the end of the transaction; memberships are locked after it, here and in results."""
    return Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)


def _claimed(bot: Bot) -> dict[int, Ladder]:
    """By id, the ladders whose tables the bot would play at now."""
    version = bot.versions.filter(active=True).select_related("bot").defer("check_report").first()
    if version is None or _away(bot):
        return {}
    return {ladder.pk: ladder for ladder in Ladder.objects.order_by("pk") if may_sit(version, ladder)}


def _memberships(bot: Bot) -> QuerySet[Membership]:
    return Membership.objects.filter(bot=bot).select_related("ladder", "frozen__bot").defer("frozen__check_report")


def _frozen_ids() -> set[int]:
    return set(frozen_ladders().values_list("pk", flat=True))


def _may_play(membership: Membership, bot: Bot, claimed: Mapping[int, Ladder], frozen: Collection[int]) -> bool:
    """Whether the version that counts on the membership's ladder claims its table: the frozen one, else the active
    one.
    """
    if membership.ladder_id not in frozen:
        return membership.ladder_id in claimed
    if membership.frozen is None or _away(bot):
        return False
    return may_sit(membership.frozen, membership.ladder)


def _away(bot: Bot) -> bool:
    """Whether the bot stands on no ladder, by its owner's wish or because staff suspended it."""
    return bot.retired is not None or bot.suspended is not None


def _is_to_claim(bot: Bot, ladder: Ladder) -> bool:
    """Whether a version that is not through its check yet claims the tables of ``ladder``."""
    unchecked = bot.versions.filter(state__in=BotVersion.UNCHECKED).defer("check_report")
    return kind_sits(bot, ladder) and any(version.claims_table(ladder.game, ladder.seats) for version in unchecked)


def _set_active(membership: Membership, active: bool) -> None:
    if membership.active != active:
        Membership.objects.filter(pk=membership.pk).update(active=active)


# --- Human players on ladders ----------------------------------------------------------------------------------------

PEOPLE_LIMITS: Final = {"move_ms": 45_000, "bank_ms": 180_000, "game_ms": 3_600_000}
"""What a seat may use up where people play for ratings: ``bots.protocol.Limits`` of a whole table with a person."""


def require_rated(user: User) -> None:
    """Raises ``Refused`` where ``user`` may not play for a rating: that takes an address that is theirs."""
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        raise Refused(
            _(
                "Rated games need a verified e-mail address. Add one on your account page, or open the link in the"
                " letter that was sent to it."
            )
        )


def require_sits(bot: Bot, ladder: Ladder) -> None:
    """Raises ``Refused`` where the person of ``bot`` cannot sit at tables of ``ladder``, rated or not."""
    if not bot.plays:
        raise Refused(_("%(name)s cannot play at the moment.") % {"name": bot.name})
    if not kind_sits(bot, ladder):
        raise Refused(_("%(ladder)s is not for people.") % {"ladder": ladder.name})
    if not ladder.open:
        raise Refused(_("The ladder %(ladder)s is closed.") % {"ladder": ladder.name})
    if ladder.by_invitation and not Invitation.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        raise Refused(_("%(ladder)s is by invitation.") % {"ladder": ladder.name})


def membership_of(version: BotVersion, ladder: Ladder) -> Membership:
    """Where the person of ``version`` stands on ``ladder``, made when they first sit down there.

    Raises ``Refused`` where they cannot. Whether they may play for a rating is ``require_rated``'s to say.
    """
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if bot.kind != Bot.Kind.PERSON or is_guest(bot):
            raise Refused(_("Only people with an account have a rating of their own."))
        require_sits(bot, ladder)
        membership = Membership.objects.filter(ladder=ladder, bot=bot).first()
        if membership is None:
            if frozen_ladders().filter(pk=ladder.pk).exists():
                raise Refused(_("%(ladder)s takes nobody new: its deadline has passed.") % {"ladder": ladder.name})
            return Membership.objects.create(ladder=ladder, bot=bot)
        if not membership.active or membership.declined:
            membership.active, membership.declined = True, False
            membership.save(update_fields=["active", "declined"])
        return membership


def retire_player(bot: Bot) -> None:
    """The person of ``bot`` is gone for good: they keep their place in what was played, and are on no ladder."""
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk, kind=Bot.Kind.PERSON, retired=None).update(retired=Now())
        enter(bot)


# --- Remote bots -----------------------------------------------------------------------------------------------------


def register(
    owner: User, name: str, games: Games | None = None, label: str = remote.FIRST_LABEL, games_at_once: int = 1
) -> BotVersion:
    """Make a remote bot of ``owner``'s and put it on the live ladders whose tables it claims; the version that plays.

    ``games`` are seat counts by the game's slug, ``None`` for every table. Sent twice, it is the same bot. Raises
    ``esr_platform.accounts.errors.Refused``, ``NameRefused`` and ``TooMany``.
    """
    with transaction.atomic():
        version = remote.new_bot(owner, name, games, label, games_at_once)
        activate(version)
    return version


def declare(
    bot: Bot, *, label: str | None = None, games: Games | None = None, games_at_once: int | None = None
) -> BotVersion | None:
    """Write down what a remote bot says of itself; the version that plays from now on. What is ``None`` stays.

    Another ``label`` or other ``games`` are another version, and the ladders follow; a label that the bot has had is
    the version that it was. Running games continue with the version they began with. Raises ``Refused``.
    """
    with transaction.atomic():
        hold_acting(owner_of_code(bot).pk)
        if games_at_once is not None:
            remote.play_at_once(bot, games_at_once)
        if label is not None or games is not None:
            activate(remote.version_for(bot, label, games))
        seat_soon()
    return bot.active_version
