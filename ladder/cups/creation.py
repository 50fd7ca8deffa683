"""Create a cup: its settings, their limits and its slug."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
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

from bots.lookalikes import alike, has_banned_word, has_invisible, is_reserved, is_respelling, mixes_scripts
from bots.names import clean_lines, is_unreadable
from bots.tournaments.formats import FORMATS, MOST_BLOCKS, MOST_ROUNDS
from bots.tournaments.keys import KEY_BYTES, key_hash
from bots.tournaments.seatings import seatings
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.cups.durations import planned_tables
from ladder.models import Cup, Intervention, Ladder, Match

LONGEST_TITLE: Final = 60
LONGEST_ABOUT: Final = 1000
LONGEST_REPEAT: Final = timedelta(days=90)
SOONEST: Final = timedelta(minutes=1)
LATEST: Final = timedelta(days=180)
RESERVED_SLUGS: Final = ("new", "calendar")

OPEN_CUPS: Final = Limit(
    "MAX_OPEN_CUPS_PER_USER",
    "You organize %(most)s open cups (the maximum). Wait until one has ended, or cancel one.",
    retry_s=60,
    code="open_cups",
)
CUPS_PER_DAY: Final = Limit(
    "MAX_CUPS_PER_DAY",
    "You have created %(most)s cups in the last 24 hours (the maximum). Try again later.",
    per=DAY,
    code="cups_per_day",
)
CUP_GAMES_PER_DAY: Final = Limit(
    "MAX_CUP_GAMES_PER_DAY",
    "If they are full, your cups of the last 24 hours can have %(most)s games in total, and %(left)s of them are left."
    " This cup could have %(games)s. Choose fewer bots, blocks or rounds, or try again later.",
    code="games_per_day",
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
    require_times(form.closes_at, form.starts_at)
    _require_size(form, ladder)
    require_repeat(form.repeat_days)
    if form.time_zone not in time_zones():
        raise Refused(_("Choose a time zone from the list, such as Europe/Berlin."), code="time_zone")
    if by.email_address is None:
        text = _(
            "Only users with a verified email address can create a cup. Verify your email address on the account page."
        )
        raise Refused(text, code="email_not_verified")
    form = replace(form, title=clean_title(form.title), about=clean_about(form.about))
    require_not_removed(by, form.title, form.about)
    with transaction.atomic():
        lock_active_user(by.pk)
        OPEN_CUPS.require(Cup.objects.filter(organizer=by, state__in=Cup.OPEN))
        CUPS_PER_DAY.require(Cup.objects.filter(organizer=by, previous=None))  # the site creates the others of a series
        games, created = most_games(form), games_since(by, DAY)
        if not CUP_GAMES_PER_DAY.allows(created, games):
            left = max(0, CUP_GAMES_PER_DAY.most - created)
            raise CUP_GAMES_PER_DAY.reached(games=f"{games:,}", left=f"{left:,}")
        require_free_title(form.title)
        return store_cup(by, ladder, form)


def store_cup(organizer: User, ladder: Ladder, form: CupForm, previous: Cup | None = None) -> Cup:
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
    """Refuse texts that a moderator removed from ``cup`` or a cup of ``by``, also in another spelling."""
    organized = Q(cup__organizer=by) | Q(cup__co_organizers=by)
    here = Q() if cup is None else Q(cup=cup) | Q(cup__organizer__isnull=False, cup__organizer=cup.organizer_id)
    removed = Intervention.objects.filter(organized | here).values_list("action", "before")
    texts = {Intervention.Action.REMOVED_TITLE.value: title, Intervention.Action.REMOVED_ABOUT.value: about}
    if any(texts.get(action, "").strip() and is_respelling(texts[action], before) for action, before in removed):
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


@cache
def time_zones() -> tuple[str, ...]:
    """The time zones to choose from: UTC and all regions with a city."""
    names = (name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return ("UTC", *sorted(names))


def require_repeat(days: int | None) -> None:
    """Require that a cup can be repeated every ``days`` days. Raises ``Refused``."""
    if days is not None and not 1 <= days <= LONGEST_REPEAT.days:
        text = _("Choose 1 to %(most)s days until the next cup, or leave the field empty.")
        raise Refused(text % {"most": LONGEST_REPEAT.days}, code="repeat_days")


def _require_size(form: CupForm, ladder: Ladder) -> None:
    """Require that a cup on ``ladder`` can have this format and these numbers. Raises ``Refused``."""
    format_ = FORMATS.get(form.format)
    if format_ is None:
        raise Refused(_("Choose one of the formats of a cup."), code="unknown_cup_format")
    if ladder.seats not in format_.seat_counts:
        counts = ", ".join(map(str, format_.seat_counts))
        text = _("Choose another format: this one is for tables with %(seats)s players.") % {"seats": counts}
        raise Refused(text, code="unknown_cup_format")
    least, most = format_.least_entrants(ladder.seats), format_.most_entrants(ladder.seats)
    if not least <= form.capacity <= most:
        text = _("Choose a maximum of %(least)s to %(most)s bots.") % {"least": least, "most": most}
        raise Refused(text, code="capacity")
    if not 1 <= form.blocks <= MOST_BLOCKS:
        raise Refused(_("Choose 1 to %(most)s blocks per table.") % {"most": MOST_BLOCKS}, code="blocks")
    if format_.has_chosen_rounds != (form.rounds is not None) or not 1 <= (form.rounds or 1) <= MOST_ROUNDS:
        if format_.has_chosen_rounds:
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
    games, most = most_games(form), settings.MAX_GAMES_PER_CUP
    if games > most:
        text = _(
            "A full cup would have %(games)s games (the maximum is %(most)s). Choose fewer bots, blocks or rounds."
        )
        raise Refused(text % {"games": f"{games:,}", "most": f"{most:,}"}, code="games")


def most_games(form: CupForm) -> int:
    """The number of games of a cup if it is full, without blocks that decide ties."""
    return full_games(form.format, form.seats, form.capacity, form.rounds, form.blocks)


def full_games(format_: str, seats: int, capacity: int, rounds: int | None, blocks: int) -> int:
    """The number of games of a cup with ``capacity`` entrants, without blocks that decide ties."""
    return sum(planned_tables(format_, seats, capacity, rounds)) * blocks * len(seatings(seats))


def games_since(organizer: User, period: timedelta) -> int:
    """The number of games of all cups that ``organizer`` has created within ``period``, if they are full.

    A canceled cup counts with its scheduled games.
    """
    cups = Cup.objects.filter(organizer=organizer, created__gt=Now() - period)
    canceled = Match.objects.filter(block__cup_table__round__cup__in=cups.filter(state=Cup.State.CANCELLED))
    others = cups.exclude(state=Cup.State.CANCELLED)
    columns = ("format", "ladder__seats", "capacity", "rounds", "blocks")
    return canceled.count() + sum(full_games(*row) for row in others.values_list(*columns))
