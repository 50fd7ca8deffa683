"""Create a cup or the next one of a series, enter and withdraw bots, and freeze the entrant list at the deadline."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from bots.lookalikes import alike, has_banned_word, has_invisible, is_reserved, mixes_scripts
from bots.models import Bot, BotVersion
from bots.names import clean_lines, is_unreadable, letters_of
from bots.programs import plays
from bots.tournaments.formats import FORMATS, MOST_BLOCKS, MOST_ROUNDS
from bots.tournaments.keys import key_hash
from bots.tournaments.ledger import entrants_hash
from bots.tournaments.seatings import seatings
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import User
from games.registry import GAMES
from games.rules import Document
from ladder.access import organizes
from ladder.cups import proof
from ladder.cups.durations import planned_tables
from ladder.matches.blocks import KEY_BYTES
from ladder.models import Cup, CupEntry, CupRound, CupTable, Intervention, Ladder, Match, Membership

LONGEST_TITLE: Final = 60
LONGEST_ABOUT: Final = 1000
LONGEST_REPEAT: Final = timedelta(days=90)
SOONEST: Final = timedelta(minutes=1)
LATEST: Final = timedelta(days=180)
RESERVED_SLUGS: Final = ("new", "calendar")

_OPEN: Final = Limit(
    "MAX_OPEN_CUPS_PER_USER",
    "You organize %(most)s open cups (the maximum). Wait until one has ended, or cancel one.",
    retry_s=60,
    code="open_cups",
)
_A_DAY: Final = Limit(
    "MAX_CUPS_PER_DAY",
    "You have created %(most)s cups in the last 24 hours (the maximum). Try again later.",
    per=DAY,
    code="cups_per_day",
)


_GAMES_A_DAY: Final = Limit(
    "MAX_CUP_GAMES_PER_DAY",
    "If they are full, your cups of the last 24 hours can have %(most)s games in total, and %(left)s of them are left."
    " This cup could have %(games)s. Choose fewer bots, blocks or rounds, or try again later.",
    code="games_per_day",
)
REPEATED_EARLIER: Final = timedelta(hours=1)
"""How much earlier than a day ago the last cup of a daily series may have been created without being counted."""


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
    require_times(form.closes_at, form.starts_at)
    _require_size(form, ladder)
    _require_games(form)
    _require_repeat(form)
    if by.email_address is None:
        text = _(
            "Only users with a verified email address can create a cup. Verify your email address on the account page."
        )
        raise Refused(text, code="email_not_verified")
    form = replace(form, title=clean_title(form.title), about=clean_about(form.about))
    require_not_removed(by, form.title, form.about)
    with transaction.atomic():
        lock_active_user(by.pk)
        _OPEN.require(Cup.objects.filter(organizer=by, state__in=Cup.OPEN))
        _A_DAY.require(Cup.objects.filter(organizer=by, previous=None))  # the site creates the others of a series
        games, created = most_games(form), games_since(by, DAY)
        if not _GAMES_A_DAY.allows(created, games):
            left = max(0, _GAMES_A_DAY.most - created)
            raise _GAMES_A_DAY.reached(games=f"{games:,}", left=f"{left:,}")
        require_free_title(form.title)
        return _create(by, ladder, form)


def _create(organizer: User, ladder: Ladder, form: CupForm, previous: Cup | None = None) -> Cup:
    """Store a cup whose settings are valid."""
    key = secrets.token_bytes(KEY_BYTES)
    values = {name: value for name, value in asdict(form).items() if name not in ("game", "seats")}
    cup = Cup(ladder=ladder, organizer=organizer, previous=previous, key=key, key_hash=key_hash(key), **values)
    cup.slug = _slug(cup)
    try:
        with transaction.atomic():
            cup.save(force_insert=True)
    except IntegrityError as error:
        text = _("Another cup was created at the same time. Nothing was changed. Try again.")
        raise Refused(text, code="slug_taken") from error
    return cup


def _slug(cup: Cup) -> str:
    """The slug of a new cup: from its title, and the date if it is taken. That of an unlisted cup is also random."""
    base = slugify(cup.title)[:40].strip("-_") or "cup"
    if not cup.listed:
        return f"{base}-{secrets.token_hex(8)}"
    day = f"{base}-{cup.starts_at.astimezone(ZoneInfo(cup.time_zone)):%Y-%m-%d}"
    for slug in (base, day):
        if slug not in RESERVED_SLUGS and not Cup.objects.filter(slug=slug).exists():
            return slug
    return f"{day}-{secrets.token_hex(3)}"


def clean_title(title: str) -> str:
    """Normalize a title. Raises ``Refused`` for unreadable, misleading or offensive titles."""
    text = " ".join(unicodedata.normalize("NFKC", title).split())
    if not 1 <= len(text) <= LONGEST_TITLE:
        raise Refused(_("Enter a title of 1 to %(most)s characters.") % {"most": LONGEST_TITLE}, code="title")
    if has_invisible(text) or not any(char.isalnum() for char in text):
        raise Refused(_("A title must contain a letter or digit and no invisible characters."), code="title")
    if mixes_scripts(text):
        raise Refused(_("Each word of a title must use a single alphabet. Choose another title."), code="title")
    if is_reserved(text) or has_banned_word(text):
        raise Refused(_("This title is reserved or offensive. Choose another title."), code="title")
    return text


def clean_about(about: str) -> str:
    """Normalize a description. Raises ``Refused`` if it is too long or unreadable."""
    text = clean_lines(about)
    if len(text) > LONGEST_ABOUT:
        raise Refused(_("Enter a description of up to %(most)s characters.") % {"most": LONGEST_ABOUT}, code="about")
    if is_unreadable(text):
        raise Refused(_("The description contains invisible characters. Remove them."), code="about")
    return text


def require_free_title(title: str, but: Collection[int | None] = ()) -> None:
    """Require that no open cup in the list, other than ``but``, has a title that looks like ``title``."""
    others = Cup.objects.filter(state__in=Cup.OPEN, listed=True).exclude(pk__in=[cup_id for cup_id in but if cup_id])
    if any(alike(title, other) for other in others.values_list("title", flat=True)):
        raise Refused(_("Another open cup has this title. Choose a different title."), code="title_taken")


def hosted_ladders() -> QuerySet[Ladder]:
    """The public ladders of hosted bots. Cups have their formats."""
    return Ladder.objects.filter(players=Ladder.Players.HOSTED, by_invitation=False)


def _ladder(form: CupForm) -> Ladder:
    """The official hosted ladder of the format, whose game and limits the cup uses."""
    game = GAMES.get(form.game)
    if game is None or form.seats not in game.seat_counts:
        raise Refused(_("Choose a game and a number of players that it supports."), code="unknown_format")
    ladder = hosted_ladders().filter(game=form.game, seats=form.seats).order_by("pk").first()
    if ladder is None:
        raise Refused(
            _("This site has no ladder of hosted bots for this format. Choose another one."), code="no_ladder"
        )
    return ladder


def require_not_removed(by: User, title: str, about: str, cup: Cup | None = None) -> None:
    """Refuse texts that a moderator removed from ``cup`` or a cup of ``by``, ignoring spaces and punctuation."""
    organized = Q(cup__organizer=by) | Q(cup__co_organizers=by)
    here = Q() if cup is None else Q(cup=cup) | Q(cup__organizer__isnull=False, cup__organizer=cup.organizer_id)
    removed = Intervention.objects.filter(organized | here).values_list("action", "before")
    known = {(action, letters_of(text)) for action, text in removed}
    texts = {Intervention.Action.REMOVED_TITLE: title, Intervention.Action.REMOVED_ABOUT: about}
    if any((action.value, letters_of(text)) in known for action, text in texts.items() if text.strip()):
        text = _("A moderator removed this title or description from one of your cups. Choose another one.")
        raise Refused(f"{text} {contact_staff('mistake')}", code="removed_by_moderator")


def require_times(closes_at: datetime, starts_at: datetime) -> None:
    """Require that a cup can have these times. Raises ``Refused``."""
    now = timezone.now()
    if closes_at < now + SOONEST:
        text = _("Registration must close at least 1 minute from now. Choose a later time.")
        raise Refused(text, code="too_early")
    if starts_at < closes_at:
        text = _("The cup cannot start before registration closes. Choose a later start.")
        raise Refused(text, code="start_early")
    if starts_at > now + LATEST:
        text = _("Choose a start within the next %(days)s days.") % {"days": LATEST.days}
        raise Refused(text, code="too_late")


def _require_repeat(form: CupForm) -> None:
    if form.time_zone not in time_zones():
        raise Refused(_("Choose a time zone from the list, such as Europe/Berlin."), code="time_zone")
    require_repeat(form.repeat_days)


def require_repeat(days: int | None) -> None:
    """Require that a cup can be repeated every ``days`` days. Raises ``Refused``."""
    if days is not None and not 1 <= days <= LONGEST_REPEAT.days:
        text = _("Choose 1 to %(most)s days until the next cup, or leave the field empty.")
        raise Refused(text % {"most": LONGEST_REPEAT.days}, code="repeat_days")


def _require_size(form: CupForm, ladder: Ladder) -> None:
    rules = FORMATS.get(form.format)
    if rules is None:
        raise Refused(_("Choose one of the formats of a cup."), code="unknown_cup_format")
    if ladder.seats not in rules.seat_counts:
        counts = ", ".join(map(str, rules.seat_counts))
        text = _("Choose another format: this one is for tables with %(seats)s players.") % {"seats": counts}
        raise Refused(text, code="unknown_cup_format")
    least, most = max(2, ladder.seats), rules.most_entrants(ladder.seats)
    if not least <= form.capacity <= most:
        text = _("Choose a maximum of %(least)s to %(most)s bots.") % {"least": least, "most": most}
        raise Refused(text, code="capacity")
    if not 1 <= form.blocks <= MOST_BLOCKS:
        raise Refused(_("Choose 1 to %(most)s blocks per table.") % {"most": MOST_BLOCKS}, code="blocks")
    if rules.has_chosen_rounds != (form.rounds is not None) or not 1 <= (form.rounds or 1) <= MOST_ROUNDS:
        if rules.has_chosen_rounds:
            text = _("Choose 1 to %(most)s rounds.") % {"most": MOST_ROUNDS}
        else:
            text = _("Leave the number of rounds empty: in this format, it follows from the number of bots.")
        raise Refused(text, code="rounds")
    if not 1 <= form.entries_per_user <= form.capacity:
        text = _("Choose 1 to %(most)s bots per user.") % {"most": form.capacity}
        raise Refused(text, code="entries")
    if not 1 <= form.at_a_table <= ladder.seats:
        text = _("Choose 1 to %(most)s bots of one user at a table.") % {"most": ladder.seats}
        raise Refused(text, code="at_a_table")


def most_games(form: CupForm) -> int:
    """The number of games of a cup if it is full, without blocks that decide ties."""
    return _full(form.format, form.seats, form.capacity, form.rounds, form.blocks)


def _full(format_: str, seats: int, capacity: int, rounds: int | None, blocks: int) -> int:
    return sum(planned_tables(format_, seats, capacity, rounds)) * blocks * len(seatings(seats))


def games_since(organizer: User, period: timedelta) -> int:
    """The number of games of all cups that ``organizer`` has created within ``period``, if they are full.

    A canceled cup counts with its scheduled games.
    """
    cups = Cup.objects.filter(organizer=organizer, created__gt=Now() - period)
    canceled = Match.objects.filter(block__cup_table__round__cup__in=cups.filter(state=Cup.State.CANCELLED))
    others = cups.exclude(state=Cup.State.CANCELLED)
    columns = ("format", "ladder__seats", "capacity", "rounds", "blocks")
    return canceled.count() + sum(_full(*row) for row in others.values_list(*columns))


def _require_games(form: CupForm) -> None:
    games, most = most_games(form), settings.MAX_GAMES_PER_CUP
    if games > most:
        text = _(
            "A full cup would have %(games)s games (the maximum is %(most)s). Choose fewer bots, blocks or rounds."
        )
        raise Refused(text % {"games": f"{games:,}", "most": f"{most:,}"}, code="games")


# --- Entries ---------------------------------------------------------------------------------------------------------


def enter(by: User, cup: Cup, bot: Bot) -> CupEntry:
    """Enter a bot of ``by``; organizers can also enter house bots. The call is idempotent. Raises ``Refused``."""
    with transaction.atomic():
        lock_active_user(by.pk)
        cup = _held(cup)
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
        return entry


def withdraw(by: User, entry: CupEntry) -> CupEntry:
    """Withdraw an own bot; organizers can also withdraw house bots. The call is idempotent. Raises ``Refused``.

    After the deadline, decided tables keep their results; at an undecided table, the bot ranks last in every game.
    """
    with transaction.atomic():
        lock_active_user(by.pk)
        cup = _held(entry.cup)
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
        if by is not None:
            proof.append(cup, proof.Kind.LEFT, {**document, "bot": entry.bot_id}, by, reason)
        return True
    proof.append(cup, proof.Kind.LEFT, document, by, reason)
    undecided = CupTable.objects.filter(round__cup=cup, round__ended=None, decided=False)
    tables = [pk for pk, entrants in undecided.values_list("pk", "entrants") if entry.number in entrants]
    cancel_queued(Match.objects.filter(block__cup_table__in=tables), "An entrant of this table has left the cup.")
    return True


def cancel_queued(matches: QuerySet[Match], reason: str) -> int:
    """Cancel those of ``matches`` that are queued, in a transaction that holds the row of their cup; how many."""
    queued = Match.objects.filter(pk__in=matches.values("pk"), status=Match.Status.QUEUED)  # a worker may claim one
    return queued.update(status=Match.Status.CANCELLED, reason=reason, ended=Now())


def _held(cup: Cup) -> Cup:
    return Cup.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder").get(pk=cup.pk)


def _require_registration(cup: Cup) -> None:
    if cup.state != Cup.State.REGISTRATION or cup.closes_at <= timezone.now():
        raise Refused(_("Registration for this cup has closed."), code="registration_closed")


def _require_playable(cup: Cup, bot: Bot) -> None:
    bot, version = Bot.objects.get(pk=bot.pk), active_version(bot)
    problem = _problem(cup, bot, version)
    if problem:
        raise Refused(f"{problem} {_advice(bot, version)}".rstrip(), code="not_playable")


def _advice(bot: Bot, version: BotVersion | None) -> str:
    """What the owner of a hosted bot can do so that it can play; empty if unknown."""
    if bot.kind != Bot.Kind.HOSTED:
        return ""
    if not bot.plays:
        return _("Resume or restore it first.")
    return _("Activate a version first.") if version is None else ""


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
    active = BotVersion.objects.select_related("bot").defer("check_report").filter(active=True)
    versions = {version.bot_id: version for version in active.filter(bot__in=[entry.bot_id for entry in entries])}
    ready: list[CupEntry] = []
    for entry in entries:
        entry.version = versions.get(entry.bot_id)
        problem = _problem(cup, entry.bot, entry.version)
        if problem or entry.version is None:
            CupEntry.objects.filter(pk=entry.pk).update(state=CupEntry.State.REJECTED, reason=problem[:500])
        else:
            ready.append(entry)
    if len(ready) < max(2, cup.ladder.seats):
        text = f"Too few bots were ready at the deadline: {len(ready)} of at least {max(2, cup.ladder.seats)}."
        cancel(cup, text)
        return
    ratings = _ratings(cup, {entry.bot_id for entry in ready})
    ready.sort(key=lambda entry: (-ratings.get(entry.bot_id, 0), entry.bot.slug))
    owners = {owner: index for index, owner in enumerate(dict.fromkeys(entry.bot.owner_id for entry in ready))}
    for number, entry in enumerate(ready):
        entry.number = number
        entry.owner_number = None if entry.bot.owner_id is None else owners[entry.bot.owner_id]
    CupEntry.objects.bulk_update(ready, ["number", "version", "owner_number"], batch_size=100)
    cup.design = [list(table) for table in cup.rules.design(len(ready), cup.ladder.seats)]
    document = proof.entrant_list(cup, ready)
    cup.state, cup.entrants_hash = Cup.State.READY, entrants_hash(document["entrants"])
    Cup.objects.filter(pk=cup.pk).update(state=cup.state, entrants_hash=cup.entrants_hash, design=cup.design)
    proof.append(cup, proof.Kind.ENTRANTS, document)


def _ratings(cup: Cup, bots: Collection[int]) -> dict[int, int]:
    return dict(Membership.objects.filter(ladder=cup.ladder_id, bot__in=bots).values_list("bot", "rating"))


def cancel(cup: Cup, reason: str, author: User | None = None) -> None:
    """Cancel an open cup. Call it in a transaction that holds its row."""
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.CANCELLED, reason=reason, ended=Now())
    CupRound.objects.filter(cup=cup, ended=None).update(stopped=True)
    cup.state = Cup.State.CANCELLED
    proof.append(cup, proof.Kind.CANCELLED, {}, author, reason)


# --- Time zones and series -------------------------------------------------------------------------------------------


@cache
def time_zones() -> tuple[str, ...]:
    """The time zones to choose from: UTC and all regions with a city."""
    names = (name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return ("UTC", *sorted(names))


def in_zone(local: datetime, zone: str) -> datetime | None:
    """The moment at which clocks in ``zone`` show ``local``, the first one if there are two.

    ``None`` if they never show it because they are put forward.
    """
    there = local.replace(tzinfo=ZoneInfo(zone), fold=0)
    try:
        back = there.astimezone(UTC).astimezone(ZoneInfo(zone))
    except OverflowError:
        return None
    return there if back.replace(tzinfo=None) == local else None


def repeat(cup: Cup) -> Cup | None:
    """Create the next cup of a series once registration for ``cup`` has closed. Hold the row of ``cup``.

    The series ends if the organizer has left or is suspended, after two cups in a row with too few bots, or if the
    organizer has too many other open cups or games of cups per day. A cup and its next one may be open at the same
    time, so twice as many cups may be open as for new cups.
    """
    organizer = cup.organizer
    if not cup.repeat_days or organizer is None or not organizer.is_active or _failed_twice(cup):
        return None
    if Cup.objects.filter(previous=cup).exists():
        return None
    others = Cup.objects.filter(organizer=organizer, state__in=Cup.OPEN).exclude(pk=cup.pk).count()
    games = _full(cup.format, cup.ladder.seats, cup.capacity, cup.rounds, cup.blocks)
    why = ""
    if others + 1 >= 2 * _OPEN.most:
        why = f"its organizer has {others} other open cups"
    elif not _GAMES_A_DAY.allows(games_since(organizer, DAY - REPEATED_EARLIER), games):
        why = f"the cups of its organizer can have {_GAMES_A_DAY.most:,} games per day"
    if why:
        Cup.objects.filter(pk=cup.pk).update(repeat_days=None)
        reason = f"The series ends here because {why}."
        proof.append(cup, proof.Kind.CHANGED, {"fields": ["repeat_days"], "reason": reason})
        return None
    named = {field.name: getattr(cup, field.name) for field in fields(CupForm) if field.name not in ("game", "seats")}
    closes_at, starts_at = next(_later(cup, cup.repeat_days))
    form = CupForm(game=cup.ladder.game, seats=cup.ladder.seats, **named)
    following = _create(organizer, cup.ladder, replace(form, closes_at=closes_at, starts_at=starts_at), cup)
    following.co_organizers.set(cup.co_organizers.all())
    return following


def _failed_twice(cup: Cup) -> bool:
    """Whether ``cup`` and the one before had too few bots at their deadline."""
    last = (cup, cup.previous)
    return all(
        last_cup is not None and last_cup.state == Cup.State.CANCELLED and not last_cup.entrants_hash
        for last_cup in last
    )


def _later(cup: Cup, days: int) -> Iterator[tuple[datetime, datetime]]:
    """Deadline and start of the following cups, at the same local times. Days without one of the times are left out."""
    local = [time.astimezone(ZoneInfo(cup.time_zone)).replace(tzinfo=None) for time in (cup.closes_at, cup.starts_at)]
    while True:
        local = [time + timedelta(days=days) for time in local]
        closes_at, starts_at = (in_zone(time, cup.time_zone) for time in local)
        if closes_at is not None and starts_at is not None and closes_at >= timezone.now() + SOONEST:
            yield closes_at, max(starts_at, closes_at)  # clocks that are put back can exchange the two
