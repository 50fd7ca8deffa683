"""Upload a version, and the formats that it supports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from django.db import transaction
from django.db.models import Max

from bots import archives
from bots.archives import Archive
from bots.limits import archive_limits, require_check, require_new_bot, require_space, require_upload
from bots.machines import offered_libraries
from bots.manifest import Manifest
from bots.models import Bot, BotVersion, Upload
from bots.names import clean_name, free_slug, name_for, save_at_a_free_address
from bots.owners import owner_of_code
from bots.uploads.storage import OutOfReach, keep, kept_already
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import User
from games.registry import GAMES
from games.words import either

__all__ = ["NotStored", "Refused", "TooMany", "upload_new_bot", "upload_version"]

# --- Formats that a version supports ---------------------------------------------------------------------------------

Games = Mapping[str, Collection[int]]
"""Seat counts by the game's slug."""

_SEPARATOR: Final = " "


def claims_of(manifest: Manifest, games: Games | None) -> tuple[dict[str, list[int]], str]:
    """Return the supported formats in game order, and their stored form if the uploader chose them (else empty).

    ``games`` is the uploader's choice, ``None`` to use the manifest. Raises ``Refused`` for unknown formats.
    """
    said = _in_order(manifest.games)
    if games is None:
        return said, ""
    chosen, written = chosen_claims(games)
    return chosen, "" if chosen == said else written


def chosen_claims(games: Games) -> tuple[dict[str, list[int]], str]:
    """Return the chosen formats in game order, and their stored form.

    Raises ``Refused`` for unknown formats and for an empty choice.
    """
    chosen = _in_order(_checked(games))
    if not chosen:
        raise Refused("Choose at least one format (a game with a number of seats).", code="no_format")
    return chosen, _written(chosen)


def _checked(games: Games) -> Games:
    for slug, counts in games.items():
        game = GAMES.get(slug)
        if game is None:
            raise Refused(f"Unknown game {slug[:40]!a}. Use one of {', '.join(GAMES)}.", code="unknown_game")
        if not set(counts) <= set(game.seat_counts):
            message = f"{game.name} has {either(game.seat_counts)} seats. Choose from these seat counts."
            raise Refused(message, code="unknown_format")
    return games


def _in_order(games: Games) -> dict[str, list[int]]:
    return {slug: sorted(set(games[slug])) for slug in GAMES if games.get(slug)}


def _written(claims: Mapping[str, list[int]]) -> str:
    return _SEPARATOR.join(f"{slug}:{','.join(map(str, counts))}" for slug, counts in claims.items())


# --- Uploads ---------------------------------------------------------------------------------------------------------

_SENTENCE: Final = 1000
_State = BotVersion.State
_BotOf = Callable[[Archive], Bot]


class NotStored(Exception):
    """The upload is valid but could not be stored. Nothing has changed; the upload can be repeated."""


def upload_new_bot(owner: User, name: str, filename: str, data: bytes, games: Games | None = None) -> BotVersion:
    """Create a bot from an upload. If ``name`` is empty, the name in the manifest is used.

    ``games`` are the formats that the uploader chose, ``None`` for those in the manifest. A repeated upload returns the
    same bot. Raises ``Refused`` and ``NotStored``.
    """

    def bot_of(archive: Archive) -> Bot:
        called = clean_name(name or archive.manifest.name)
        same = Bot.objects.filter(owner=owner, retired=None, name__iexact=called, versions__digest=archive.digest)
        again = same.first()
        if again is not None:
            return again
        called = name_for(owner, called)
        require_new_bot(owner)
        return Bot(owner=owner, name=called, slug=free_slug(called))

    return _upload(owner, None, filename, data, games, bot_of)


def upload_version(bot: Bot, filename: str, data: bytes, games: Games | None = None) -> BotVersion:
    """Add a version to ``bot``. The same code with the same formats returns the existing version.

    A rejected or undecided version is then validated again. Raises ``Refused`` and ``NotStored``.
    """
    owner = owner_of_code(bot)

    def bot_of(_: Archive) -> Bot:
        found = Bot.objects.get(pk=bot.pk)
        if found.retired is not None:
            raise Refused(f"{bot.name} is retired. Restore it before you upload a version.", code="retired")
        if found.kind == Bot.Kind.REMOTE:
            raise Refused(
                f"{bot.name} is a remote bot. Give its next version a new label, or upload the code as a new bot.",
                code="remote_bot",
            )
        return found

    return _upload(owner, bot, filename, data, games, bot_of)


def _upload(
    owner: User, bot: Bot | None, filename: str, data: bytes, games: Games | None, bot_of: _BotOf
) -> BotVersion:
    """Count the upload, check and store its bytes, and only then take locks. The result is stored in its row."""
    upload = _counted(owner, bot, filename, data)
    try:
        archive = archives.read_upload(filename, data, replace(archive_limits(), libraries=offered_libraries()))
        _, chosen = claims_of(archive.manifest, games)
        _require_room(owner, len(data))
        with transaction.atomic():  # check everything before anything is stored
            lock_active_user(owner.pk)  # else a concurrent identical upload could take the name
            known = _known(bot_of(archive), archive, chosen)
        stored = ("bot.zip", archive.packed()) if archive.is_reduced else (filename, data)
        path = known.archive if known is not None and kept_already(known) else keep(*stored)
        return _recorded(owner, upload, archive, path, games, bot_of)
    except (archives.ArchiveRefused, Refused) as refusal:
        _note(upload, str(refusal))
        raise refusal if isinstance(refusal, Refused) else Refused(str(refusal), code=refusal.code) from refusal
    except OutOfReach as failure:
        _note(upload, "The site could not store the file.")
        raise NotStored(
            "The site could not store your file because of a temporary problem. The file is valid. Upload it again in a"
            " few minutes."
        ) from failure


def _counted(owner: User, bot: Bot | None, filename: str, data: bytes) -> Upload:
    """Create the row of this upload before the file is read. Raises ``TooMany``."""
    shown = "".join(char for char in filename if char.isprintable())[:100]
    with transaction.atomic():
        lock_active_user(owner.pk)
        require_upload(owner)
        return Upload.objects.create(owner=owner, bot=bot, filename=shown, size=len(data))


def _note(upload: Upload, refusal: str) -> None:
    Upload.objects.filter(pk=upload.pk).update(refusal=refusal[:_SENTENCE])


def _recorded(
    owner: User, upload: Upload, archive: Archive, path: str, games: Games | None, bot_of: _BotOf
) -> BotVersion:
    """Store the version, its bot and the upload's row in one transaction."""
    with transaction.atomic():
        lock_active_user(owner.pk)
        bot = bot_of(archive)
        if bot._state.adding:
            save_at_a_free_address(bot)
        version = _version(bot, archive, upload, path, games)
        Upload.objects.filter(pk=upload.pk).update(bot=bot, version=version)
    return version


def _version(bot: Bot, archive: Archive, upload: Upload, path: str, games: Games | None) -> BotVersion:
    """Return the version of ``bot`` with this code and these formats; create it if necessary."""
    manifest = archive.manifest
    claims, chosen = claims_of(manifest, games)
    known = _known(bot, archive, chosen)
    if known is not None:
        return _once_more(upload.owner, known, path)
    _require_room(upload.owner, upload.size)
    return BotVersion.objects.create(
        bot=bot,
        number=(bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        digest=archive.digest,
        state=_State.RECEIVED,
        archive=path,
        filename=upload.filename,
        size=upload.size,
        language=manifest.language,
        command=list(manifest.command),
        claims=claims,
        chosen=chosen,
        notices=[notice._asdict() for notice in archive.notices],
    )


def _known(bot: Bot, archive: Archive, chosen: str) -> BotVersion | None:
    """Return the existing version with this code and these formats. Repacked files count as the same code."""
    return BotVersion.objects.filter(bot=bot.pk, digest=archive.digest, chosen=chosen).first()


def _require_room(owner: User, size: int) -> None:
    """Raise ``TooMany`` at a limit; called before the file is stored, and again under the lock."""
    require_check(owner)
    require_space(owner, size)


def _once_more(owner: User, version: BotVersion, path: str) -> BotVersion:
    """Return the version; queue a rejected or undecided one again.

    The version now uses the archive at ``path``, which has the same content, because the earlier archive may be lost.
    """
    if version.archive != path:
        BotVersion.objects.filter(pk=version.pk).update(archive=path)
        version.refresh_from_db()
    not_passed = BotVersion.objects.filter(pk=version.pk, state__in=(_State.REFUSED, _State.UNDECIDED))
    if not_passed.exists():
        require_check(owner)
    anew = {"reason": "", "check_report": None, "vain_starts": 0, "checked": None, "retry_at": None}
    if not_passed.update(state=_State.RECEIVED, **anew):
        version.refresh_from_db()
    return version
