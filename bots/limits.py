"""Limits on the bots and uploads per user. The numbers are settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from django.conf import settings
from django.db.models import Sum

from bots.archives import ArchiveLimits
from bots.models import Bot, BotVersion, Upload
from esr_platform.accounts.limits import HOUR, Limit
from esr_platform.accounts.mail import contact_staff
from esr_platform.accounts.models import User

_MIB: Final = 1 << 20


@dataclass(frozen=True)
class Allowances:
    """All limits of uploads and users, for pages and the API; sizes in bytes."""

    archive_bytes: int
    unpacked_bytes: int
    file_bytes: int
    executable_archive_bytes: int
    executable_unpacked_bytes: int
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
    """Return the limits of one upload."""
    return ArchiveLimits(
        archive_bytes=settings.MAX_ARCHIVE_BYTES,
        unpacked_bytes=settings.MAX_UNPACKED_BYTES,
        file_bytes=min(settings.MAX_ARCHIVE_BYTES, settings.MAX_UNPACKED_BYTES),
        files=settings.MAX_ARCHIVE_FILES,
        executable_archive_bytes=settings.MAX_EXECUTABLE_ARCHIVE_BYTES,
        executable_unpacked_bytes=settings.MAX_EXECUTABLE_UNPACKED_BYTES,
    )


def allowances() -> Allowances:
    """Return the limits from the settings."""
    limits = archive_limits()
    return Allowances(
        archive_bytes=limits.archive_bytes,
        unpacked_bytes=limits.unpacked_bytes,
        file_bytes=limits.file_bytes,
        executable_archive_bytes=limits.executable_archive_bytes,
        executable_unpacked_bytes=limits.executable_unpacked_bytes,
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
    "You have made %(most)s uploads in the last hour (the maximum). Try again in %(minutes)s min. Use `esr check` to"
    " validate a bot on your computer without a limit.",
    per=HOUR,
    until_free=True,
    code="uploads_per_hour",
)
_CHECKS: Final = Limit(
    "MAX_QUEUED_VALIDATIONS_PER_USER",
    "You have %(most)s versions in validation (the maximum). Wait until one of them is validated.",
    retry_s=60,
    code="queued_validations",
)
_BOTS: Final = Limit(
    "MAX_BOTS_PER_USER",
    "You have %(most)s bots (the maximum). Retire a bot, or upload a new version of an existing one.",
    code="bots_per_user",
)
_BOTS_EVER: Final = Limit(
    "MAX_BOTS_EVER_PER_USER",
    "You have created %(most)s bots, including retired ones (the maximum). Upload a new version of one of them. You can"
    " restore a retired bot.",
    code="bots_ever",
)
_BYTES: Final = Limit(
    "MAX_UPLOADED_BYTES_PER_USER",
    "Your versions use %(kept).1f MiB of %(mib).0f MiB. Versions are kept permanently. Upload a smaller file."
    " %(contact)s",
    code="uploaded_bytes",
)


def require_upload(owner: User) -> None:
    """Raise ``TooMany`` if ``owner`` has uploaded too often within an hour."""
    _UPLOADS.require(Upload.objects.filter(owner=owner))


def require_check(owner: User) -> None:
    """Raise ``TooMany`` if too many versions of ``owner`` wait for validation."""
    _CHECKS.require(BotVersion.objects.filter(bot__owner=owner, state__in=BotVersion.QUEUED))


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
        raise _BYTES.reached(kept=kept / _MIB, mib=_BYTES.most / _MIB, contact=contact_staff("space"))
