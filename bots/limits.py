"""Limits on the bots and uploads of one person. The numbers are settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from django.conf import settings
from django.db.models import Sum

from bots.archives import ArchiveLimits
from bots.models import Bot, BotVersion, Upload
from esr_platform.accounts.limits import HOUR, Limit
from esr_platform.accounts.models import User

_MIB: Final = 1 << 20


@dataclass(frozen=True)
class Allowances:
    """Every limit of an upload and of a person, for pages and the API; sizes are bytes."""

    archive_bytes: int
    unpacked_bytes: int
    file_bytes: int
    files: int
    uploads_an_hour: int
    bots: int
    bots_ever: int
    checks_waiting: int
    stored_bytes: int
    check_seconds: int

    def document(self) -> dict[str, Any]:
        """The limits as JSON values."""
        return asdict(self)


def archive_limits() -> ArchiveLimits:
    """What one upload may be."""
    return ArchiveLimits(
        archive_bytes=settings.MAX_ARCHIVE_BYTES,
        unpacked_bytes=settings.MAX_UNPACKED_BYTES,
        file_bytes=min(settings.MAX_ARCHIVE_BYTES, settings.MAX_UNPACKED_BYTES),
        files=settings.MAX_ARCHIVE_FILES,
    )


def allowances() -> Allowances:
    """The limits as the settings have them."""
    limits = archive_limits()
    return Allowances(
        archive_bytes=limits.archive_bytes,
        unpacked_bytes=limits.unpacked_bytes,
        file_bytes=limits.file_bytes,
        files=limits.files,
        uploads_an_hour=settings.MAX_UPLOADS_PER_HOUR,
        bots=settings.MAX_BOTS_PER_USER,
        bots_ever=settings.MAX_BOTS_EVER_PER_USER,
        checks_waiting=settings.MAX_QUEUED_VALIDATIONS_PER_USER,
        stored_bytes=settings.MAX_UPLOADED_BYTES_PER_USER,
        check_seconds=settings.MAX_VALIDATION_SECONDS,
    )


_UPLOADS: Final = Limit(
    "MAX_UPLOADS_PER_HOUR",
    "You have uploaded %(most)s times within an hour, which is the most. Try again in %(minutes)s min;"
    " `esr check` tries a bot out on your own machine as often as you like.",
    per=HOUR,
    until_free=True,
)
_CHECKS: Final = Limit(
    "MAX_QUEUED_VALIDATIONS_PER_USER",
    "%(most)s of your versions wait for their check, which is the most. Upload again when one of them is through.",
    retry_s=60,
)
_BOTS: Final = Limit(
    "MAX_BOTS_PER_USER",
    "You have %(most)s bots, which is the most. Retire one of them, or upload a new version of one.",
)
_BOTS_EVER: Final = Limit(
    "MAX_BOTS_EVER_PER_USER",
    "You have made %(most)s bots, retired ones counted, which is the most that one person may ever make. Upload a new"
    " version of one of them; a retired one can be taken back.",
)
_BYTES: Final = Limit(
    "MAX_UPLOADED_BYTES_PER_USER",
    "Your versions take %(kept).1f MiB together, and %(mib).0f MiB is the most. Versions are kept for ever:"
    " upload smaller ones, or ask the people who run the site.",
)


def require_upload(owner: User) -> None:
    """Raise ``TooMany`` if ``owner`` has uploaded too often within an hour."""
    _UPLOADS.require(Upload.objects.filter(owner=owner))


def require_check(owner: User) -> None:
    """Raise ``TooMany`` if too many versions of ``owner`` wait for validation."""
    _CHECKS.require(BotVersion.objects.filter(bot__owner=owner, state__in=BotVersion.UNCHECKED))


def require_bot(owner: User) -> None:
    """Raise ``TooMany`` if ``owner`` has the maximum number of bots; retired ones do not count."""
    _BOTS.require(Bot.objects.of_code().filter(owner=owner, retired=None))


def require_new_bot(owner: User) -> None:
    """Raise ``TooMany`` if ``owner`` may not create another bot: retired ones keep their slugs and their rows."""
    _BOTS_EVER.require(Bot.objects.of_code().filter(owner=owner))
    require_bot(owner)


def require_space(owner: User, size: int) -> None:
    """Raise ``TooMany`` if ``size`` more bytes are too many for all uploads of ``owner``."""
    kept = BotVersion.objects.filter(bot__owner=owner).aggregate(size=Sum("size"))["size"] or 0
    if not _BYTES.allows(kept, size):
        raise _BYTES.reached(kept=kept / _MIB, mib=_BYTES.most / _MIB)
