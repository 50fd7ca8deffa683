"""Which ladders a person's bot is on: every open one whose table it claims, except where its owner has unticked it.

Remote bots are on live ladders, uploaded ones on those that play in blocks, and on open ones, where both meet, by their
owner's tick alone. To a ladder by invitation a member brings a bot by ticking it, too. Once a ladder has frozen nobody
new enters it, and who is there goes on with the version of then, whatever the bot's active one claims
(``ladder.freezing``).

Nothing here touches a match. Pairings are public before they are played, so whoever could end one by leaving could
choose opponents: what is paired is played, by the version of then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db import transaction
from django.db.models import QuerySet

from bots import managing
from bots.models import Bot, BotVersion
from esr_platform.accounts.errors import Refused
from ladder.claiming import enters_by_itself, kind_sits, may_sit
from ladder.freezing import freeze, frozen_ladders
from ladder.models import Entry, Ladder, Membership


class CannotJoin(Refused):
    """The bot cannot be on this ladder; the message is a sentence that says why."""


def enter(bot: Bot) -> None:
    """Bring the entries of ``bot`` up to what its active version claims and its owner wishes.

    To be called when a version has become active; safe at any time and twice at once. An entry that is no longer
    claimed gets no new matches; it keeps its rating and goes on with it when a later version claims the table again.
    The house's bots are entered by ``ladder.opening`` alone. People enter by sitting down (``ladder.persons``); their
    entries are active unless they are away.
    """
    if bot.owner_id is None:
        return
    with transaction.atomic():
        locked = _locked(bot)
        freeze(locked)
        if locked.kind == Bot.Kind.PERSON:
            here = not _away(locked)
            Entry.objects.filter(bot=bot, declined=False, active=not here).update(active=here)
            return
        claimed = _claimed(locked)
        entries = {entry.ladder_id: entry for entry in _entries(bot).order_by("pk")}
        frozen = _frozen_ids()
        for entry in entries.values():
            _set_active(entry, _may_play(entry, locked, claimed, frozen) and not entry.declined)
        welcome = [ladder for ladder in claimed.values() if ladder.open and enters_by_itself(locked, ladder)]
        missing = [ladder for ladder in welcome if ladder.pk not in entries and ladder.pk not in frozen]
        Entry.objects.bulk_create([Entry(ladder=ladder, bot=bot) for ladder in missing])


def enter_everybody() -> None:
    """Do that for every person's bot that has a version to play with: a ladder may be new."""
    for bot in Bot.objects.of_code().filter(owner__isnull=False, versions__active=True).order_by("pk"):
        enter(bot)


def join(bot: Bot, ladder: Ladder) -> Entry:
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
        entry = _entries(bot).filter(ladder=ladder).first() or Entry(ladder=ladder, bot=bot)
        frozen = _frozen_ids()
        claimed = _may_play(entry, locked, _claimed(locked), frozen)
        if not claimed and (ladder.pk in frozen or not _is_to_claim(locked, ladder)):
            raise CannotJoin(_why_not(locked, ladder))
        wanted = {"declined": False, "active": claimed}
        return Entry.objects.update_or_create(ladder=ladder, bot=bot, defaults=wanted)[0]


def leave(bot: Bot, ladder: Ladder) -> Entry:
    """No new matches for ``bot`` on ``ladder``, whatever later versions claim, until it joins again.

    Its rating stays, and what is paired is played. Before its first match this unticks the ladder.
    """
    with transaction.atomic():
        _locked(bot)
        unwanted = {"declined": True, "active": False}
        return Entry.objects.update_or_create(ladder=ladder, bot=bot, defaults=unwanted)[0]


def activate(version: BotVersion) -> None:
    """Give new matches this version of its bot, and bring its entries up to it. Raises ``Refused``."""
    with transaction.atomic():
        freeze(_locked(version.bot))
        managing.activate(version)
        enter(version.bot)


def retire(bot: Bot) -> None:
    """No new matches for ``bot`` anywhere, until it is taken back. Raises ``esr_platform.accounts.errors.Refused``.

    Its results and ratings stay, and what is paired is played.
    """
    with transaction.atomic():
        managing.retire(bot)
        enter(bot)


def take_back(bot: Bot) -> None:
    """End the retirement of ``bot``: it is on its ladders again. Raises ``esr_platform.accounts.errors.TooMany``."""
    with transaction.atomic():
        managing.take_back(bot)
        enter(bot)


def _require_welcome(bot: Bot, ladder: Ladder) -> None:
    """Raises ``CannotJoin`` where ``ladder`` takes nobody, or nobody of this owner's."""
    if bot.kind == Bot.Kind.PERSON:
        raise CannotJoin("People enter a ladder by sitting down at one of its tables.")
    if not ladder.open:
        raise CannotJoin(f"The ladder {ladder} is closed.")
    if ladder.by_invitation and not Membership.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        raise CannotJoin(f"{ladder} is by invitation. Ask whoever looks after it for its link.")
    if frozen_ladders().filter(pk=ladder.pk).exists() and not ladder.entries.filter(bot=bot).exists():
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
    """The bot's row, held until the end of the transaction; entries are locked after it, here and in results."""
    return Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)


def _claimed(bot: Bot) -> dict[int, Ladder]:
    """By id, the ladders whose tables the bot would play at now."""
    version = bot.versions.filter(active=True).select_related("bot").defer("check_report").first()
    if version is None or _away(bot):
        return {}
    return {ladder.pk: ladder for ladder in Ladder.objects.order_by("pk") if may_sit(version, ladder)}


def _entries(bot: Bot) -> QuerySet[Entry]:
    return Entry.objects.filter(bot=bot).select_related("ladder", "frozen__bot").defer("frozen__check_report")


def _frozen_ids() -> set[int]:
    return set(frozen_ladders().values_list("pk", flat=True))


def _may_play(entry: Entry, bot: Bot, claimed: Mapping[int, Ladder], frozen: Collection[int]) -> bool:
    """Whether the version that counts on the entry's ladder claims its table: the frozen one, else the active one."""
    if entry.ladder_id not in frozen:
        return entry.ladder_id in claimed
    if entry.frozen is None or _away(bot):
        return False
    return may_sit(entry.frozen, entry.ladder)


def _away(bot: Bot) -> bool:
    """Whether the bot stands on no ladder, by its owner's wish or because staff suspended it."""
    return bot.retired is not None or bot.suspended is not None


def _is_to_claim(bot: Bot, ladder: Ladder) -> bool:
    """Whether a version that is not through its check yet claims the tables of ``ladder``."""
    unchecked = bot.versions.filter(state__in=BotVersion.UNCHECKED).defer("check_report")
    return kind_sits(bot, ladder) and any(version.claims_table(ladder.game, ladder.seats) for version in unchecked)


def _set_active(entry: Entry, active: bool) -> None:
    if entry.active != active:
        Entry.objects.filter(pk=entry.pk).update(active=active)
