"""Remote bots: labels, formats and simultaneous games, and whether they are online.

Callers use ``ladder.members.memberships``, which also updates the memberships on ladders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Case, DateTimeField, F, Max, Q, QuerySet, When
from django.db.models.functions import Now

from bots.limits import require_new_bot
from bots.lookalikes import has_invisible
from bots.manifest import every_format
from bots.models import Bot, BotVersion, RemoteBot
from bots.names import clean_name, free_slug, name_for, save_at_a_free_address
from bots.owners import owner_of_code
from bots.uploads.upload import Formats, chosen_formats
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.intake import require_intake
from esr_platform.accounts.limits import HOUR, Limit, lock_active_user
from esr_platform.accounts.models import Intake, User

LANGUAGE: Final = "remote"
"""Language value of the versions of remote bots."""

FIRST_LABEL: Final = "main"
MOST_LABEL: Final = 60
MOST_GAMES: Final = 32

HERE: Final = timedelta(seconds=15)
"""A bot that was not seen for this long is offline: three times the delay of the stored time."""

REST: Final = timedelta(seconds=1)
"""No game starts for this long after one of the bot has ended: time to close the stream on ``game_end``."""


_LABELS: Final = Limit(
    "MAX_UPLOADS_PER_HOUR",
    "You have created %(most)s labels of remote bots in the last hour (the maximum). Continue with an existing label"
    " or try again later.",
    per=HOUR,
    retry_s=600,
    code="labels_per_hour",
)


def new_bot(
    owner: User, name: str, formats: Formats | None = None, label: str = FIRST_LABEL, games_at_once: int = 1
) -> BotVersion:
    """Create a remote bot of ``owner`` and return its first version, which is not active yet.

    ``formats`` are the supported formats, ``None`` for all. A repeated call returns the same bot. Raises ``Refused``.
    """
    supported, chosen = chosen_formats(every_format() if formats is None else formats)
    label, most = _label(label), _games_at_once(games_at_once)
    require_intake(Intake.UPLOADS)
    with transaction.atomic():
        lock_active_user(owner.pk)
        called = clean_name(name)
        again = Bot.objects.filter(owner=owner, kind=Bot.Kind.REMOTE, retired=None, name__iexact=called)
        same = again.filter(versions__digest=digest_of(label), versions__chosen=chosen).first()
        if same is not None:
            return _version(same, label, supported, chosen)
        called = name_for(owner, called)
        require_new_bot(owner)
        bot = Bot(owner=owner, name=called, slug=free_slug(called), kind=Bot.Kind.REMOTE)
        save_at_a_free_address(bot)
        RemoteBot.objects.create(bot=bot, games_at_once=most)
        return _version(bot, label, supported, chosen)


def version_for(bot: Bot, label: str | None = None, formats: Formats | None = None) -> BotVersion:
    """Return the version of ``bot`` with this label and these formats; create it if necessary. It is not activated.

    ``None`` keeps the value of the current version. Raises ``Refused``.
    """
    owner = owner_of_code(bot)
    require_intake(Intake.UPLOADS)
    with transaction.atomic():
        lock_active_user(owner.pk)
        now = bot.versions.filter(active=True).first() or bot.versions.order_by("-number").first()
        if formats is None:
            formats = now.formats if now else every_format()
        if label is None:
            label = now.label if now else FIRST_LABEL
        return _version(bot, _label(label), *chosen_formats(formats))


def play_at_once(bot: Bot, games: int) -> None:
    """Set the number of simultaneous games; 0 means no new games. Running games continue. Raises ``Refused``."""
    RemoteBot.objects.filter(pk=bot.pk).update(games_at_once=_games_at_once(games))


def note_seen(bots: Iterable[int] = (), streams: Mapping[UUID, int] = MappingProxyType({})) -> int:
    """Store that remote bots are online; return their number. Locked rows are skipped.

    ``bots`` have asked for a decision. ``streams`` are open streams with their bots. A stream that has closed or that a
    newer one has replaced changes nothing, so a late note does not bring its bot back.
    """
    with transaction.atomic():
        named = Q(pk__in=list(bots)) | Q(pk__in=list(streams.values()), stream__in=list(streams))
        free = RemoteBot.objects.filter(named).select_for_update(skip_locked=True, no_key=True)
        ids = list(free.order_by("pk").values_list("pk", flat=True))
        still_here = When(here_since__isnull=False, seen_at__gt=Now() - HERE, then=F("here_since"))
        came = Case(still_here, default=Now(), output_field=DateTimeField())
        return RemoteBot.objects.filter(pk__in=ids).update(here_since=came, seen_at=Now()) if ids else 0


def leave(bot: int, stream: UUID) -> bool:
    """Store that the bot is offline because ``stream`` has closed. Returns ``False`` if it has a newer stream."""
    left = RemoteBot.objects.filter(pk=bot, stream=stream)
    return bool(left.update(stream=None, here_since=None))


def rest(bots: Iterable[int]) -> None:
    """Start no game of these bots for ``REST``, because one of their games has ended. Their rows are locked."""
    with transaction.atomic():
        rows = RemoteBot.objects.filter(pk__in=list(bots)).select_for_update(no_key=True).order_by("pk")
        held = list(rows.values_list("pk", flat=True))
        RemoteBot.objects.filter(pk__in=held).update(waits_since=Now() + REST)


def here() -> QuerySet[RemoteBot]:
    """Return the remote bots that are online.

    A bot is online while its stream is open, and for ``HERE`` after its last request for a decision. It is offline as
    soon as its stream has closed. If the web process of the stream dies, it is offline ``HERE`` later.
    """
    return RemoteBot.objects.filter(here_since__isnull=False, seen_at__gt=Now() - HERE)


def available() -> QuerySet[RemoteBot]:
    """Return the remote bots that are online, active and not paused; they may be at their maximum of games."""
    with_a_version = BotVersion.objects.filter(active=True).values("bot")
    return here().filter(bot__in=Bot.objects.playing().filter(pk__in=with_a_version))


def plays_remotely(version: BotVersion, game: str, seats: int) -> bool:
    """Whether ``version`` belongs to a remote bot and supports the format."""
    return version.bot.kind == Bot.Kind.REMOTE and version.state == "ready" and version.supports(game, seats)


def digest_of(label: str) -> str:
    """Return the digest of a version with this label (SHA-256, hex); its code is not known."""
    return sha256(f"{LANGUAGE}/{label}".encode()).hexdigest()


def _version(bot: Bot, label: str, formats: dict[str, list[int]], chosen: str) -> BotVersion:
    """Return or create the version. The caller has locked the owner, which guards the version numbers."""
    current = Bot.objects.get(pk=bot.pk)
    if current.kind != Bot.Kind.REMOTE:
        raise Refused(f"{current.name} is not a remote bot. Upload a new version instead.", code="not_remote")
    if current.retired is not None:
        raise Refused(f"{current.name} is retired. Restore it first.", code="retired")
    known = current.versions.filter(digest=digest_of(label), chosen=chosen).select_related("bot").first()
    if known is not None:
        return known
    _LABELS.require(BotVersion.objects.filter(bot__owner=owner_of_code(current), language=LANGUAGE))
    version = BotVersion.objects.create(
        bot=current,
        number=(current.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        digest=digest_of(label),
        label=label,
        language=LANGUAGE,
        formats=formats,
        chosen=chosen,
        validated=Now(),
    )
    version.refresh_from_db()
    return version


def _label(label: str) -> str:
    text = " ".join(label.split())
    if not 1 <= len(text) <= MOST_LABEL or has_invisible(text):
        raise Refused(f"A label must have 1 to {MOST_LABEL} visible characters.", code="label")
    return text


def _games_at_once(games: int) -> int:
    if not 0 <= games <= MOST_GAMES:
        raise Refused(f"A bot can play 0 to {MOST_GAMES} simultaneous games, not {games}.", code="games_at_once")
    return games
