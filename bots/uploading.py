"""A person brings code: it is refused with a sentence, or stored as a new version of a bot that is then checked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from bots import archives
from bots.archives import Archive, ArchiveLimits
from bots.models import Bot, BotVersion, Upload, uploads

MAX_NAME: Final = 40
RESERVED_SLUGS: Final = ("new", "house", "starter")
_HOUR: Final = timedelta(hours=1)


class Refused(ValueError):
    """What was brought is not taken; the message is a sentence that says what to do."""


class TooMany(Refused):
    """A limit of the person is reached; ``retry_after_s`` says when to come again, ``None`` where waiting is no use."""

    def __init__(self, sentence: str, retry_after_s: int | None = None) -> None:
        super().__init__(sentence)
        self.retry_after_s = retry_after_s


def archive_limits() -> ArchiveLimits:
    """What an upload may be, by the settings."""
    return ArchiveLimits(
        archive_bytes=settings.UPLOAD_ARCHIVE_BYTES,
        unpacked_bytes=settings.UPLOAD_UNPACKED_BYTES,
        file_bytes=settings.UPLOAD_UNPACKED_BYTES,
        files=settings.UPLOAD_FILES,
    )


def upload_new_bot(owner: AbstractUser, name: str, filename: str, data: bytes) -> BotVersion:
    """Make a bot of what was brought, called ``name``, or what its manifest says if that is empty. Raises ``Refused``."""

    def bot_of(archive: Archive) -> Bot:
        called = clean_name(name or archive.manifest.name)
        if Bot.objects.filter(owner=owner, retired=None).count() >= settings.BOTS_A_PERSON:
            raise TooMany(
                f"You have {settings.BOTS_A_PERSON} bots, which is the most."
                " Retire one of them, or upload a new version of one."
            )
        return Bot.objects.create(owner=owner, name=called, slug=free_slug(called))

    return _upload(owner, None, filename, data, bot_of)


def upload_version(bot: Bot, filename: str, data: bytes) -> BotVersion:
    """Append what was brought to ``bot``; the same code again is the version it already was. Raises ``Refused``."""
    if bot.owner is None:
        raise Refused(f"{bot.name} belongs to the house.")
    if bot.retired is not None:
        raise Refused(f"{bot.name} is retired. Take it back first, then upload.")
    return _upload(bot.owner, bot, filename, data, lambda _archive: bot)


def clean_name(name: str) -> str:
    """A bot's name as it is kept. Raises ``Refused`` for one that nobody could read, or that plays tricks."""
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not 1 <= len(text) <= MAX_NAME:
        raise Refused(f"A bot's name has 1 to {MAX_NAME} characters.")
    if not text.isprintable() or not any(char.isalnum() for char in text):
        raise Refused("A bot's name has letters or digits, and nothing that cannot be seen.")
    return text


def free_slug(name: str) -> str:
    """An address for a bot called ``name`` that no other bot has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_NAME] or "bot"
    if stem in RESERVED_SLUGS or stem.startswith("house-"):
        stem = f"bot-{stem}"
    taken = set(Bot.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    candidates = [stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))]
    return next(slug for slug in candidates if slug not in taken)


def _upload(
    owner: AbstractUser, bot: Bot | None, filename: str, data: bytes, bot_of: Callable[[Archive], Bot]
) -> BotVersion:
    """Count the upload, read it, store its bytes, and only then take locks. Its row says what became of it."""
    upload = _counted(owner, bot, filename, data)
    try:
        archive = archives.read_upload(filename, data, archive_limits())
        path = _stored(filename, data)
        with transaction.atomic():
            _lock(owner)
            its_bot = bot_of(archive)
            version = _version(its_bot, archive, upload, path)
            Upload.objects.filter(pk=upload.pk).update(bot=its_bot, version=version)
    except (archives.Refused, Refused) as refusal:
        Upload.objects.filter(pk=upload.pk).update(refusal=str(refusal)[:1000])
        raise refusal if isinstance(refusal, Refused) else Refused(str(refusal)) from refusal
    return version


def _counted(owner: AbstractUser, bot: Bot | None, filename: str, data: bytes) -> Upload:
    """The row of this upload, written before anything is read. Raises ``TooMany``."""
    with transaction.atomic():
        _lock(owner)
        recent = Upload.objects.filter(owner=owner, created__gt=timezone.now() - _HOUR).order_by("-created")
        first = recent[settings.UPLOADS_AN_HOUR - 1 : settings.UPLOADS_AN_HOUR].first()
        if first is not None:
            minutes = max(1, round((first.created + _HOUR - timezone.now()).total_seconds() / 60 + 0.5))
            raise TooMany(
                f"You have uploaded {settings.UPLOADS_AN_HOUR} times within an hour, which is the most. Try again in"
                f" {minutes} min; `esr check` tries a bot out on your own machine as often as you like.",
                60 * minutes,
            )
        shown = "".join(char for char in filename if char.isprintable())[:100]
        return Upload.objects.create(owner=owner, bot=bot, filename=shown, size=len(data))


def _stored(filename: str, data: bytes) -> str:
    """Where the bytes lie in the storage, as they came. Nobody's file name decides where anything is written."""
    digest = sha256(data).hexdigest()
    path = f"{digest[:2]}/{digest}.{'py' if filename.lower().endswith('.py') else 'zip'}"
    storage = uploads()
    if not storage.exists(path):
        storage.save(path, ContentFile(data))
    return path


def _version(bot: Bot, archive: Archive, upload: Upload, path: str) -> BotVersion:
    """The version of ``bot`` with this code, appended if there is none yet."""
    known = bot.versions.filter(digest=archive.digest).first()
    if known is not None:
        return known
    manifest = archive.manifest
    return BotVersion.objects.create(
        bot=bot,
        number=(bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        digest=archive.digest,
        state=BotVersion.State.RECEIVED,
        archive=path,
        filename=upload.filename,
        size=upload.size,
        language=manifest.language,
        command=list(manifest.command),
        claims={slug: list(counts) for slug, counts in manifest.games.items()},
    )


def _lock(owner: AbstractUser) -> None:
    """One upload of a person at a time: their limits and their bots' version numbers hang on it."""
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=owner.pk)
