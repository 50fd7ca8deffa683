"""Upload a version, and the formats that it supports."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db import transaction
from django.db.models import Max, QuerySet

from bots import archives
from bots.archives import Archive, ArchiveLimits
from bots.limits import archive_limits, require_check, require_new_bot, require_space, require_upload
from bots.machines import offered_languages, offered_libraries
from bots.manifest import Manifest
from bots.models import Bot, BotVersion, Upload
from bots.names import clean_name, free_slug, name_for, save_at_a_free_address
from bots.owners import owner_of_code
from bots.uploads import hints
from bots.uploads.storage import OutOfReach, StoredFile, discard, keep, kept_already
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.intake import require_intake
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import Intake, User
from games.registry import GAMES
from games.words import either

# --- Formats that a version supports ---------------------------------------------------------------------------------

Formats = Mapping[str, Collection[int]]
"""Seat counts by the game's slug."""

_SEPARATOR: Final = " "


def formats_of(manifest: Manifest, formats: Formats | None) -> tuple[dict[str, list[int]], str]:
    """Return the supported formats in game order, and their stored form if the uploader chose them (else empty).

    ``formats`` are the uploader's choice, ``None`` to use the manifest. Raises ``Refused`` for unknown formats.
    """
    declared = _in_order(manifest.games)
    if formats is None:
        return declared, ""
    chosen, written = chosen_formats(formats)
    return chosen, "" if chosen == declared else written


def chosen_formats(formats: Formats) -> tuple[dict[str, list[int]], str]:
    """Return the chosen formats in game order, and their stored form.

    Raises ``Refused`` for unknown formats and for an empty choice.
    """
    chosen = _in_order(_checked(formats))
    if not chosen:
        raise Refused("Choose at least one format (a game with a number of seats).", code="no_format")
    return chosen, _written(chosen)


def _checked(formats: Formats) -> Formats:
    for slug, counts in formats.items():
        game = GAMES.get(slug)
        if game is None:
            raise Refused(f"Unknown game {slug[:40]!a}. Use one of {', '.join(GAMES)}.", code="unknown_game")
        if not set(counts) <= set(game.seat_counts):
            message = f"{game.name} has {either(game.seat_counts)} seats. Choose from these seat counts."
            raise Refused(message, code="unknown_format")
    return formats


def _in_order(formats: Formats) -> dict[str, list[int]]:
    return {slug: sorted(set(formats[slug])) for slug in GAMES if formats.get(slug)}


def _written(formats: Mapping[str, list[int]]) -> str:
    return _SEPARATOR.join(f"{slug}:{','.join(map(str, counts))}" for slug, counts in formats.items())


# --- Uploads ---------------------------------------------------------------------------------------------------------

_SENTENCE: Final = 1000
_State = BotVersion.State


class NotStored(Exception):
    """The upload is valid but could not be stored. Nothing has changed; the upload can be repeated."""


def upload_new_bot(owner: User, name: str, filename: str, data: bytes, formats: Formats | None = None) -> BotVersion:
    """Create a bot from an upload. If ``name`` is empty, the name in the manifest is used.

    ``formats`` are the uploader's choice, ``None`` for those in the manifest. A repeated upload returns the same bot.
    Raises ``Refused`` and ``NotStored``.
    """
    return _upload(owner, None, name, filename, data, formats)


def upload_version(bot: Bot, filename: str, data: bytes, formats: Formats | None = None) -> BotVersion:
    """Add a version to ``bot``. The same code with the same formats returns the existing version.

    A rejected or undecided version is then validated again. Raises ``Refused`` and ``NotStored``.
    """
    return _upload(owner_of_code(bot), bot, "", filename, data, formats)


def _upload(owner: User, bot: Bot | None, name: str, filename: str, data: bytes, formats: Formats | None) -> BotVersion:
    """Count the upload, read its archive, store its file, and record its version.

    The upload is counted before it is read, because the hourly limit bounds the work of reading. Reading and storing
    are slow and hold no lock. A file that was stored for nothing is deleted here after a refusal, and by
    ``bots.uploads.storage.forget_orphans`` after a crash.
    """
    require_intake(Intake.UPLOADS)
    upload = _count(owner, bot, filename, len(data))
    stored: StoredFile | None = None
    try:
        archive = archives.read_upload(filename, data, upload_limits())
        supported, chosen = formats_of(archive.manifest, formats)
        name = "" if bot else clean_name(name or archive.manifest.name)
        code = _Code(owner, bot, name, archive, supported, chosen)
        known = code.versions.first()
        if known is not None and kept_already(known):
            return _record(upload, code, known.archive)
        stored = keep(*(("bot.zip", archive.packed()) if archive.is_reduced else (filename, data)))
        return _record(upload, code, stored.path)
    except (archives.ArchiveRefused, Refused) as refusal:
        if stored is not None:
            discard(stored)
        _note(upload, str(refusal))
        raise refusal if isinstance(refusal, Refused) else Refused(str(refusal), code=refusal.code) from refusal
    except OutOfReach as failure:
        _note(upload, "The site could not store the file.")
        raise NotStored(
            "The site could not store your file because of a temporary problem. The file is valid. Upload it again in a"
            " few minutes."
        ) from failure


def upload_limits() -> ArchiveLimits:
    """Return the limits of one upload, with the libraries and languages that all machines offer."""
    return replace(archive_limits(), libraries=offered_libraries(), languages=offered_languages())


def _count(owner: User, bot: Bot | None, filename: str, size: int) -> Upload:
    """Create the row of an upload of ``size`` bytes. It counts whatever follows. Raises ``TooMany``."""
    printable = "".join(char for char in filename if char.isprintable())[:100]
    with transaction.atomic():
        lock_active_user(owner.pk)
        require_upload(owner)
        return Upload.objects.create(owner=owner, bot=bot, filename=printable, size=size)


def _note(upload: Upload, refusal: str) -> None:
    Upload.objects.filter(pk=upload.pk).update(refusal=refusal[:_SENTENCE])


@dataclass(frozen=True)
class _Code:
    """The code of an upload, with the formats that it supports. ``bot`` is ``None`` for a new bot named ``name``."""

    owner: User
    bot: Bot | None
    name: str
    archive: Archive
    formats: dict[str, list[int]]
    chosen: str

    @property
    def bots(self) -> QuerySet[Bot]:
        """The bot that gets the version, if it exists: for a new bot, one with the same name and code."""
        if self.bot is not None:
            return Bot.objects.filter(pk=self.bot.pk)
        same_name = Bot.objects.filter(owner=self.owner, retired=None, name__iexact=self.name)
        return same_name.filter(versions__digest=self.archive.digest)

    @property
    def versions(self) -> QuerySet[BotVersion]:
        """The version with this code and these formats, if it exists. Repacked files count as the same code."""
        same_code = BotVersion.objects.filter(digest=self.archive.digest, chosen=self.chosen)
        return same_code.filter(bot__in=self.bots.order_by().values("pk")).select_related("bot")


def _record(upload: Upload, code: _Code, path: str) -> BotVersion:
    """Check names, bots and limits, and store bot and version. The commit sends a hint to the workers.

    Raises ``Refused``.
    """
    owner = code.owner
    with transaction.atomic():
        lock_active_user(owner.pk)
        bot = code.bots.first() or _new_bot(owner, code.name)
        if bot.retired is not None:
            raise Refused(f"{bot.name} is retired. Restore it before you upload a version.", code="retired")
        if bot.kind == Bot.Kind.REMOTE:
            raise Refused(
                f"{bot.name} is a remote bot. Give its next version a new label, or upload the code as a new bot.",
                code="remote_bot",
            )
        version = code.versions.first()
        if version is None:
            require_check(owner)
            require_space(owner, upload.size)
            version = _new_version(bot, upload, code, path)
        else:
            _reuse(version, owner, path)
        Upload.objects.filter(pk=upload.pk).update(bot=bot, version=version)
        if version.state == _State.RECEIVED:
            hints.send_on_commit()
    return version


def _new_bot(owner: User, name: str) -> Bot:
    """Create a bot of a locked user. Raises ``NameRefused`` and ``TooMany``."""
    name = name_for(owner, name)
    require_new_bot(owner)
    bot = Bot(owner=owner, name=name, slug=free_slug(name))
    save_at_a_free_address(bot)
    return bot


def _new_version(bot: Bot, upload: Upload, code: _Code, path: str) -> BotVersion:
    """Add a version to the validation queue."""
    manifest = code.archive.manifest
    return BotVersion.objects.create(
        bot=bot,
        number=(bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        digest=code.archive.digest,
        state=_State.RECEIVED,
        archive=path,
        filename=upload.filename,
        size=upload.size,
        language=manifest.language,
        command=list(manifest.command),
        formats=code.formats,
        chosen=code.chosen,
        notices=[notice._asdict() for notice in code.archive.notices],
    )


def _reuse(version: BotVersion, owner: User, path: str) -> None:
    """Use an existing version with the archive at ``path``, and queue it again if it was rejected or is undecided.

    The archive has the same content as the earlier one, which may be lost. Raises ``TooMany``.
    """
    rows = BotVersion.objects.filter(pk=version.pk)
    not_passed = rows.filter(state__in=(_State.REJECTED, _State.UNDECIDED))
    if version.archive != path:
        rows.update(archive=path)
    if not_passed.exists():
        require_check(owner)
        unvalidated: dict[str, Any] = {"validation_report": None, "vain_starts": 0, "validated": None, "retry_at": None}
        not_passed.update(state=_State.RECEIVED, reason="", **unvalidated)
    version.refresh_from_db()
