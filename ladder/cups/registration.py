"""Enter bots in a cup, withdraw them, and freeze the entrant list at the deadline."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.programs import plays
from bots.tournaments.ledger import entrants_hash
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import User
from games.rules import Document
from ladder.access import organizes
from ladder.cups import ledger, schedules
from ladder.cups.cancellation import cancel, cancel_queued
from ladder.models import Cup, CupEntry, CupTable, Match, Membership


def enter(by: User, cup: Cup, bot: Bot) -> CupEntry:
    """Enter a bot of ``by``; organizers can also enter house bots. The call is idempotent. Raises ``Refused``."""
    with transaction.atomic():
        lock_active_user(by.pk)
        cup = Cup.lock(cup.pk)
        owned = bot.owner_id is not None and bot.owner_id == by.pk
        if not owned and not (bot.owner_id is None and organizes(by, cup)):
            raise Refused(_("You can enter your own bots only."), code="not_your_bot")
        _require_registration(cup)
        existing = CupEntry.objects.filter(cup=cup, bot=bot).first()
        if existing is not None and existing.state == CupEntry.State.ENTERED:
            return existing
        if existing is not None and existing.state == CupEntry.State.DISQUALIFIED:
            text = _("The organizers have disqualified this bot. Ask them, or enter another bot.")
            raise Refused(text, code="disqualified")
        _require_playable(cup, bot)
        entered = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED)
        if entered.count() >= cup.capacity:
            text = _("This cup is full (%(most)s bots). Try again if a bot withdraws, or choose another cup.")
            raise Refused(text % {"most": cup.capacity}, code="full")
        if owned and entered.filter(bot__owner=by).count() >= cup.entries_per_user:
            text = _(
                "You have reached the limit of bots per user in this cup (%(most)s). Withdraw a bot to enter another."
            )
            raise Refused(text % {"most": cup.entries_per_user}, code="entries_per_user")
        entry, _created = CupEntry.objects.update_or_create(
            cup=cup, bot=bot, defaults={"state": CupEntry.State.ENTERED, "reason": ""}
        )
        transaction.on_commit(partial(schedules.update, cup), robust=True)
        return entry


def withdraw(by: User, entry: CupEntry) -> CupEntry:
    """Withdraw an own bot; organizers can also withdraw house bots. The call is idempotent. Raises ``Refused``.

    After the deadline, decided tables keep their results; at an undecided table, the bot ranks last in every game.
    """
    with transaction.atomic():
        lock_active_user(by.pk)
        cup = Cup.lock(entry.cup_id)
        owner = entry.bot.owner_id
        if owner != by.pk and not (owner is None and organizes(by, cup)):
            raise Refused(_("You can withdraw your own bots only."), code="not_your_bot")
        if cup.state not in Cup.OPEN:
            raise Refused(_("This cup has ended. Nothing was changed."), code="already_ended")
        if cup.state == Cup.State.REGISTRATION:
            leave(cup, entry, CupEntry.State.WITHDRAWN, "")
        else:
            leave(cup, entry, CupEntry.State.WITHDRAWN, "Withdrawn by its owner.", by)
        entry.refresh_from_db()
        return entry


def leave(cup: Cup, entry: CupEntry, state: CupEntry.State, reason: str, by: User | None = None) -> bool:
    """Take an entry out of an open cup, in a transaction that holds the row of ``cup``. Only the first call counts.

    Decided tables remain as they are. The ledger records it with its author, or if the entrant list is frozen.
    ``reason`` is public. Returns whether the entry was still in the cup.
    """
    if not CupEntry.objects.filter(pk=entry.pk, state=CupEntry.State.ENTERED).update(state=state, reason=reason):
        return False
    entry = CupEntry.objects.get(pk=entry.pk)
    document: Document = {"entrant": entry.number, "state": str(state)}
    if entry.number is None:
        transaction.on_commit(partial(schedules.update, cup), robust=True)
        if by is not None:
            ledger.append(cup, ledger.Kind.LEFT, {**document, "bot": entry.bot_id}, by, reason)
        return True
    ledger.append(cup, ledger.Kind.LEFT, document, by, reason)
    undecided = CupTable.objects.filter(round__cup=cup, round__ended=None, decided=False)
    tables = [pk for pk, entrants in undecided.values_list("pk", "entrants") if entry.number in entrants]
    cancel_queued(Match.objects.filter(block__cup_table__in=tables), "An entrant of this table has left the cup.")
    return True


def _require_registration(cup: Cup) -> None:
    if cup.state != Cup.State.REGISTRATION or cup.closes_at <= timezone.now():
        raise Refused(_("Registration for this cup has closed."), code="registration_closed")


def _require_playable(cup: Cup, bot: Bot) -> None:
    """Raises ``Refused`` with the problem and, if known, its remedy for the owner of the bot."""
    bot, version = Bot.objects.get(pk=bot.pk), active_version(bot)
    problem, advice = _problem(cup, bot, version), ""
    if bot.kind == Bot.Kind.HOSTED and not bot.plays:
        advice = _("Resume or restore it first.")
    elif bot.kind == Bot.Kind.HOSTED and version is None:
        advice = _("Activate a version first.")
    if problem:
        raise Refused(f"{problem} {advice}".rstrip(), code="not_playable")


def unplayable(cup: Cup, bot: Bot) -> str:
    """Why ``bot`` cannot play in ``cup`` now; empty if it can."""
    return _problem(cup, Bot.objects.get(pk=bot.pk), active_version(bot))


def _problem(cup: Cup, bot: Bot, version: BotVersion | None) -> str:
    """Why ``bot`` cannot play in ``cup`` with its active ``version``; empty if it can. The cup page shows it."""
    if bot.kind != Bot.Kind.HOSTED:
        return _("Only hosted bots can enter this cup.")
    if not bot.plays:
        return _("%(name)s is paused, retired or suspended.") % {"name": bot.name}
    if version is None:
        return _("%(name)s has no active version.") % {"name": bot.name}
    if not plays(version, cup.ladder.game, cup.ladder.seats):
        return _("The active version of %(name)s does not support this format.") % {"name": bot.name}
    return ""


def active_version(bot: Bot) -> BotVersion | None:
    """The version that plays for ``bot`` now, or ``None``."""
    return BotVersion.objects.select_related("bot").filter(bot=bot, active=True).first()


# --- The deadline ----------------------------------------------------------------------------------------------------


def freeze(cup: Cup) -> None:
    """Freeze the entrant list: versions, seeding and owners. Call it in a transaction that holds the row of ``cup``.

    Bots that cannot play are rejected with a reason. The seeding is by rating on the ladder of the format. A cup with
    too few entrants is canceled.
    """
    entries = list(CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED).select_related("bot"))
    active = BotVersion.objects.select_related("bot").defer("validation_report").filter(active=True)
    versions = {version.bot_id: version for version in active.filter(bot__in=[entry.bot_id for entry in entries])}
    ready: list[CupEntry] = []
    for entry in entries:
        entry.version = versions.get(entry.bot_id)
        problem = _problem(cup, entry.bot, entry.version)
        if problem or entry.version is None:
            CupEntry.objects.filter(pk=entry.pk).update(state=CupEntry.State.REJECTED, reason=problem[:500])
        else:
            ready.append(entry)
    least = cup.tournament_format.least_entrants(cup.ladder.seats)
    if len(ready) < least:
        cancel(cup, f"Too few bots were ready at the deadline: {len(ready)} of at least {least}.")
        return
    members = Membership.objects.filter(ladder=cup.ladder_id, bot__in=[entry.bot_id for entry in ready])
    ratings = dict(members.values_list("bot", "rating"))
    ready.sort(key=lambda entry: (-ratings.get(entry.bot_id, 0), entry.bot.slug))
    owners = {owner: index for index, owner in enumerate(dict.fromkeys(entry.bot.owner_id for entry in ready))}
    for number, entry in enumerate(ready):
        entry.number = number
        entry.owner_number = None if entry.bot.owner_id is None else owners[entry.bot.owner_id]
    CupEntry.objects.bulk_update(ready, ["number", "version", "owner_number"], batch_size=100)
    cup.design = [list(table) for table in cup.tournament_format.design(len(ready), cup.ladder.seats)]
    document = ledger.entrant_list(cup, ready)
    cup.state, cup.entrants_hash = Cup.State.READY, entrants_hash(document["entrants"])
    Cup.objects.filter(pk=cup.pk).update(state=cup.state, entrants_hash=cup.entrants_hash, design=cup.design)
    ledger.append(cup, ledger.Kind.ENTRANTS, document)
