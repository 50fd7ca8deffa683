"""A person brings code: it is read, refused with a sentence or stored as a new version of a bot, and then checked."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from bots.archives import Archive, ArchiveRefused, Limits, read
from bots.models import Bot, BotVersion, Upload

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

MAX_NAME: Final = Bot._meta.get_field("name").max_length or 60
RESERVED: Final = ("new", "house")


class Refused(ValueError):
    """What was brought is not taken; the message says what to do."""


class TooMany(Refused):
    """A limit of the person is reached. ``retry_after_s`` is when to come again, ``None`` if waiting does not help."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def archive_limits() -> Limits:
    """What an archive may be, by the settings."""
    return Limits(
        archive_bytes=settings.UPLOAD_ARCHIVE_BYTES,
        unpacked_bytes=settings.UPLOAD_UNPACKED_BYTES,
        files=settings.UPLOAD_FILES,
    )


def new_bot(owner: AbstractUser, name: str, filename: str, data: bytes) -> BotVersion:
    """Make a bot called ``name`` (empty: as its manifest says) out of what was brought. Raises ``Refused``."""
    archive = _read(owner, None, filename, data)
    called = clean_name(name or archive.manifest.name)
    with transaction.atomic():
        _lock(owner)
        if Bot.objects.filter(owner=owner, retired=None).count() >= settings.BOTS_A_PERSON:
            raise TooMany(f"You have {settings.BOTS_A_PERSON} bots, which is the most. Retire one, or upload a version.")
        bot = Bot.objects.create(owner=owner, name=called, slug=free_slug(called))
        return _append(bot, archive, filename, data)


def new_version(bot: Bot, filename: str, data: bytes) -> BotVersion:
    """Append what was brought to ``bot``; the same code again is the version it already was. Raises ``Refused``."""
    if bot.owner is None:
        raise Refused(f"{bot.name} belongs to the house.")
    archive = _read(bot.owner, bot, filename, data)
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        return _append(bot, archive, filename, data)


def clean_name(name: str) -> str:
    """A bot's name as it is kept. Raises ``Refused`` for one that nobody could read, or that plays tricks."""
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text or len(text) > MAX_NAME:
        raise Refused(f"A bot's name has 1 to {MAX_NAME} characters.")
    if not text.isprintable() or not any(char.isalnum() for char in text):
        raise Refused("A bot's name has letters or digits, and nothing that cannot be seen.")
    return text


def free_slug(name: str) -> str:
    """An address for a bot called ``name`` that no other bot has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50] or "bot"
    if stem in RESERVED or stem.startswith("house-"):
        stem = f"bot-{stem}"[:50]
    taken = set(Bot.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    return next(slug for slug in _numbered(stem, len(taken) + 2) if slug not in taken)


def _numbered(stem: str, count: int) -> list[str]:
    return [stem, *(f"{stem}-{number}" for number in range(2, count + 2))]


def _read(owner: AbstractUser, bot: Bot | None, filename: str, data: bytes) -> Archive:
    """What was brought, counted, read and kept in mind whether it is taken or not."""
    _require_patience(owner)
    note = Upload(owner=owner, bot=bot, filename=_shown(filename), size=len(data))
    try:
        return read(filename, data, archive_limits())
    except ArchiveRefused as refusal:
        note.refusal = str(refusal)[:1000]
        raise Refused(str(refusal)) from refusal
    finally:
        note.save()


def _require_patience(owner: AbstractUser) -> None:
    hour_ago = timezone.now() - timedelta(hours=1)
    recent = Upload.objects.filter(owner=owner, created__gt=hour_ago).order_by("-created")
    oldest_of_most = recent[settings.UPLOADS_AN_HOUR - 1 : settings.UPLOADS_AN_HOUR].first()
    if oldest_of_most is not None:
        wait = oldest_of_most.created + timedelta(hours=1) - timezone.now()
        minutes = max(1, -(-int(wait.total_seconds()) // 60))
        raise TooMany(
            f"You have uploaded {settings.UPLOADS_AN_HOUR} times within an hour, which is the most."
            f" Try again in {minutes} min; esr check tests a bot on your own machine at any time.",
            60 * minutes,
        )


def _append(bot: Bot, archive: Archive, filename: str, data: bytes) -> BotVersion:
    """Store the version, in a transaction that holds the bot."""
    known = bot.versions.filter(digest=archive.digest).first()
    if known is not None:
        return known
    last = bot.versions.aggregate(last=Max("number"))["last"] or 0
    version = BotVersion(
        bot=bot,
        number=last + 1,
        digest=archive.digest,
        state=BotVersion.State.RECEIVED,
        filename=_shown(filename),
        size=len(data),
        language=archive.manifest.language,
        command=list(archive.manifest.command),
        claims={slug: list(counts) for slug, counts in archive.manifest.games.items()},
    )
    version.archive.save(filename, ContentFile(data), save=False)
    version.save(force_insert=True)
    Upload.objects.filter(owner=bot.owner, version=None, refusal="").order_by("-pk")[:1]
    return version


def _lock(owner: AbstractUser) -> None:
    type(owner)._default_manager.select_for_update(no_key=True).get(pk=owner.pk)


def _shown(filename: str) -> str:
    """A file name that can stand on a page."""
    return "".join(char for char in filename if char.isprintable())[:100]


__all__ = ["IntegrityError", "Refused", "TooMany", "new_bot", "new_version"]
