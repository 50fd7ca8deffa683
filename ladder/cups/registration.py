"""Create a cup, enter and withdraw bots, and freeze the entrant list at the deadline."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.names import letters_of
from bots.programs import plays
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, hold_acting
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import User
from games.registry import GAMES
from games.rules import Document
from ladder.cups import proof
from ladder.matches.blocks import KEY_BYTES, key_hash
from ladder.models import Cup, CupEntry, Intervention, Ladder, Membership
from ladder.pairings.round_robin import MOST_BALANCED

MOST_ENTRANTS: Final = 512
MOST_BLOCKS: Final = 20
MOST_ROUNDS: Final = 30
SOONEST: Final = timedelta(minutes=1)
LATEST: Final = timedelta(days=180)

_OPEN: Final = Limit(
    "MAX_OPEN_CUPS_PER_USER",
    "You organize %(most)s open cups (the maximum). Wait until one has ended, or cancel one.",
    retry_s=60,
)
_A_DAY: Final = Limit(
    "MAX_CUPS_PER_DAY",
    "You have created %(most)s cups in the last 24 hours (the maximum). Try again later.",
    per=DAY,
)


@dataclass(frozen=True)
class CupForm:
    """What an organizer decides. ``game`` and ``seats`` name a format; times are aware."""

    title: str
    game: str
    seats: int
    format: str
    closes_at: datetime
    starts_at: datetime
    blocks: int = 1
    rounds: int | None = None
    capacity: int = 64
    entries_per_user: int = 1
    at_a_table: int = 1
    about: str = ""
    listed: bool = True
    time_zone: str = "UTC"
    repeat_days: int | None = None


def create_cup(by: User, form: CupForm) -> Cup:
    """Create a cup with a new key. Raises ``Refused`` with a sentence for the user."""
    ladder = _ladder(form)
    _require_times(form)
    _require_size(form, ladder)
    _require_not_removed(by, form)
    slug = slugify(form.title)[:60].strip("-")
    if not slug or not re.search(r"[a-z0-9]", slug):
        raise Refused(_("The title must contain letters (a to z) or digits for its URL."), code="no_slug")
    key = secrets.token_bytes(KEY_BYTES)
    try:
        with transaction.atomic():
            hold_acting(by.pk)
            _OPEN.require(Cup.objects.filter(organizer=by, state__in=Cup.OPEN))
            _A_DAY.require(Cup.objects.filter(organizer=by))
            return Cup.objects.create(
                slug=slug,
                title=form.title.strip(),
                about=form.about.strip(),
                ladder=ladder,
                format=form.format,
                blocks=form.blocks,
                rounds=form.rounds,
                capacity=form.capacity,
                entries_per_user=form.entries_per_user,
                at_a_table=form.at_a_table,
                listed=form.listed,
                organizer=by,
                closes_at=form.closes_at,
                starts_at=form.starts_at,
                time_zone=form.time_zone,
                repeat_days=form.repeat_days,
                key=key,
                key_hash=key_hash(key),
            )
    except IntegrityError as error:
        raise Refused(_("Another cup has this title. Choose a different title."), code="slug_taken") from error


def _ladder(form: CupForm) -> Ladder:
    """The official hosted ladder of the format, whose game and limits the cup uses."""
    game = GAMES.get(form.game)
    if game is None or form.seats not in game.seat_counts:
        raise Refused(_("Choose a game and one of its numbers of players."), code="unknown_format")
    hosted = Ladder.objects.filter(game=form.game, seats=form.seats, players=Ladder.Players.HOSTED, by_invitation=False)
    ladder = hosted.order_by("pk").first()
    if ladder is None:
        raise Refused(
            _("This site has no ladder of hosted bots for this format. Choose another one."), code="no_ladder"
        )
    return ladder


def _require_not_removed(by: User, form: CupForm) -> None:
    """Refuse texts that a moderator removed from a cup of ``by``, ignoring spaces and punctuation."""
    removed = Intervention.objects.filter(cup__organizer=by).values_list("action", "before")
    known = {(action, letters_of(text)) for action, text in removed}
    texts = {Intervention.Action.REMOVED_TITLE: form.title, Intervention.Action.REMOVED_ABOUT: form.about}
    if any((action.value, letters_of(text)) in known for action, text in texts.items() if text.strip()):
        text = _("A moderator removed this title or description from one of your cups. Choose another one.")
        raise Refused(f"{text} {contact_staff('mistake')}", code="removed_by_moderator")


def _require_times(form: CupForm) -> None:
    now = timezone.now()
    if form.time_zone not in available_timezones():
        raise Refused(_("Choose a time zone from the list, such as Europe/Berlin."), code="time_zone")
    if form.closes_at < now + SOONEST:
        raise Refused(
            _("The registration must close at least 1 minute from now. Choose a later time."), code="too_early"
        )
    if form.starts_at < form.closes_at:
        raise Refused(_("The cup must start after its registration closes. Choose a later start."), code="start_early")
    if form.starts_at > now + LATEST:
        text = _("Choose a start within the next %(days)s days.") % {"days": LATEST.days}
        raise Refused(text, code="too_late")


def _require_size(form: CupForm, ladder: Ladder) -> None:
    if form.format not in Cup.Format.values:
        raise Refused(_("Choose one of the formats of a cup."), code="unknown_cup_format")
    bounded = form.format == Cup.Format.ROUND_ROBIN and ladder.seats > 2
    most = MOST_BALANCED if bounded else MOST_ENTRANTS
    if not max(2, ladder.seats) <= form.capacity <= most:
        text = _("Choose a capacity of %(least)s to %(most)s entrants.") % {"least": max(2, ladder.seats), "most": most}
        raise Refused(text, code="capacity")
    if not 1 <= form.blocks <= MOST_BLOCKS:
        raise Refused(_("Choose 1 to %(most)s blocks per table.") % {"most": MOST_BLOCKS}, code="blocks")
    swiss = form.format == Cup.Format.SWISS
    if swiss != (form.rounds is not None) or not 1 <= (form.rounds or 1) <= MOST_ROUNDS:
        text = _("Choose 1 to %(most)s rounds for a Swiss cup, and none in other formats.") % {"most": MOST_ROUNDS}
        raise Refused(text, code="rounds")
    if not 1 <= form.entries_per_user <= form.capacity or not 1 <= form.at_a_table <= ladder.seats:
        raise Refused(_("The limits of entries per user and at a table must be at least 1."), code="entries")


# --- Entries ---------------------------------------------------------------------------------------------------------


def organizes(user: User, cup: Cup) -> bool:
    """Whether ``user`` organizes ``cup``, alone or with others."""
    return cup.organizer_id == user.pk or cup.co_organizers.filter(pk=user.pk).exists()


def enter(by: User, cup: Cup, bot: Bot) -> CupEntry:
    """Enter a bot of ``by``; organizers can also enter house bots. The call is idempotent. Raises ``Refused``."""
    with transaction.atomic():
        hold_acting(by.pk)
        cup = _held(cup)
        mine = bot.owner_id is not None and bot.owner_id == by.pk
        if not mine and not (bot.owner_id is None and organizes(by, cup)):
            raise Refused(_("You can enter your own bots only."), code="not_your_bot")
        _require_registration(cup)
        existing = CupEntry.objects.filter(cup=cup, bot=bot).first()
        if existing is not None and existing.state == CupEntry.State.ENTERED:
            return existing
        _require_playable(cup, bot)
        entered = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED)
        if entered.count() >= cup.capacity:
            raise Refused(_("This cup is full (%(most)s entries).") % {"most": cup.capacity}, code="full")
        if mine and entered.filter(bot__owner=by).count() >= cup.entries_per_user:
            text = _("You have entered %(most)s bots (the maximum). Withdraw one to enter another.")
            raise Refused(text % {"most": cup.entries_per_user}, code="entries_per_user")
        entry, _created = CupEntry.objects.update_or_create(
            cup=cup, bot=bot, defaults={"state": CupEntry.State.ENTERED, "reason": ""}
        )
        return entry


def withdraw(by: User, entry: CupEntry) -> CupEntry:
    """Withdraw an entry before the deadline. Raises ``Refused``; later, use ``ladder.cups.desk.remove``."""
    with transaction.atomic():
        cup = _held(entry.cup)
        _require_registration(cup)
        if entry.bot.owner_id != by.pk and not organizes(by, cup):
            raise Refused(_("You can withdraw your own bots only."), code="not_your_bot")
        CupEntry.objects.filter(pk=entry.pk, state=CupEntry.State.ENTERED).update(state=CupEntry.State.WITHDRAWN)
        entry.refresh_from_db()
        return entry


def _held(cup: Cup) -> Cup:
    return Cup.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder").get(pk=cup.pk)


def _require_registration(cup: Cup) -> None:
    if cup.state != Cup.State.REGISTRATION or cup.closes_at <= timezone.now():
        raise Refused(_("The registration of this cup has closed."), code="registration_closed")


def _require_playable(cup: Cup, bot: Bot) -> None:
    problem = unplayable(cup, bot)
    if problem:
        raise Refused(problem, code="not_playable")


def unplayable(cup: Cup, bot: Bot) -> str:
    """Why ``bot`` cannot play in ``cup`` now; empty if it can."""
    if bot.kind != Bot.Kind.HOSTED:
        return _("Only hosted bots can enter this cup.")
    if not Bot.objects.playing().filter(pk=bot.pk).exists():
        return _("%(name)s is paused, retired or suspended. Resume or restore it first.") % {"name": bot.name}
    version = active_version(bot)
    if version is None:
        return _("%(name)s has no active version. Activate a version first.") % {"name": bot.name}
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
    ready: list[tuple[CupEntry, BotVersion]] = []
    for entry in entries:
        problem = unplayable(cup, entry.bot)
        version = active_version(entry.bot)
        if problem or version is None:
            CupEntry.objects.filter(pk=entry.pk).update(state=CupEntry.State.REJECTED, reason=problem[:500])
        else:
            ready.append((entry, version))
    if len(ready) < max(2, cup.ladder.seats):
        text = f"Only {len(ready)} bots were ready at the deadline. The cup needs {max(2, cup.ladder.seats)}."
        cancel(cup, text)
        return
    ratings = _ratings(cup, {entry.bot_id for entry, _version in ready})
    ready.sort(key=lambda one: (-ratings.get(one[0].bot_id, 0), one[0].bot.slug))
    owners = {owner: index for index, owner in enumerate(dict.fromkeys(entry.bot.owner_id for entry, _v in ready))}
    for number, (entry, version) in enumerate(ready):
        CupEntry.objects.filter(pk=entry.pk).update(number=number, version=version)
    entrants = [
        _entrant(entry, version, None if entry.bot.owner_id is None else owners[entry.bot.owner_id])
        for entry, version in ready
    ]
    document: Document = {
        "cup": cup.pk,
        "game": cup.ladder.game,
        "seats": cup.ladder.seats,
        "format": cup.format,
        "blocks": cup.blocks,
        "rounds": cup.rounds,
        "at_a_table": cup.at_a_table,
        "key_hash": cup.key_hash,
        "entrants": entrants,
    }
    hash_ = proof.entrants_hash(entrants)
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.READY, entrants_hash=hash_)
    cup.state, cup.entrants_hash = Cup.State.READY, hash_
    proof.append(cup, proof.Kind.ENTRANTS, document)


def _entrant(entry: CupEntry, version: BotVersion, owner: int | None) -> Document:
    """An entrant of the frozen list. ``owner`` is a number, so that the list stays true when names change."""
    return {"bot": entry.bot_id, "version": version.number, "digest": version.digest, "owner": owner}


def _ratings(cup: Cup, bots: Collection[int]) -> dict[int, int]:
    return dict(Membership.objects.filter(ladder=cup.ladder_id, bot__in=bots).values_list("bot", "rating"))


def cancel(cup: Cup, reason: str) -> None:
    """Cancel a cup that has not ended. Call it in a transaction that holds its row."""
    Cup.objects.filter(pk=cup.pk, state__in=Cup.OPEN).update(
        state=Cup.State.CANCELLED, reason=reason[:500], ended=Now()
    )
