"""What one person may take: uploads an hour, bots, checks that wait, bytes. The numbers are settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from bots.archives import ArchiveLimits
from bots.models import Bot, BotVersion, Upload
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User

_HOUR: Final = timedelta(hours=1)
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


def require_upload(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` has uploaded too often within an hour."""
    most = settings.MAX_UPLOADS_PER_HOUR
    recent = Upload.objects.filter(owner=owner, created__gt=timezone.now() - _HOUR).order_by("-created")
    first = recent[most - 1 : most].first()
    if first is not None:
        minutes = max(1, round((first.created + _HOUR - timezone.now()).total_seconds() / 60 + 0.5))
        raise TooMany(
            f"You have uploaded {most} times within an hour, which is the most. Try again in {minutes} min;"
            " `esr check` tries a bot out on your own machine as often as you like.",
            60 * minutes,
        )


def require_check(owner: User) -> None:
    """Raises ``TooMany`` where as many versions of ``owner``'s wait for their check as may."""
    waiting = BotVersion.objects.filter(bot__owner=owner, state__in=BotVersion.UNCHECKED)
    if waiting.count() >= settings.MAX_QUEUED_VALIDATIONS_PER_USER:
        raise TooMany(
            f"{settings.MAX_QUEUED_VALIDATIONS_PER_USER} of your versions wait for their check, which is the most."
            " Upload again when one of them is through.",
            60,
        )


def require_bot(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` has all the bots that one may have; retired ones do not count."""
    if Bot.objects.of_code().filter(owner=owner, retired=None).count() >= settings.MAX_BOTS_PER_USER:
        raise TooMany(
            f"You have {settings.MAX_BOTS_PER_USER} bots, which is the most."
            " Retire one of them, or upload a new version of one."
        )


def require_new_bot(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` may make no other bot: retired ones keep their addresses and their rows."""
    if Bot.objects.of_code().filter(owner=owner).count() >= settings.MAX_BOTS_EVER_PER_USER:
        raise TooMany(
            f"You have made {settings.MAX_BOTS_EVER_PER_USER} bots, retired ones counted, which is the most that one"
            " person may ever make. Upload a new version of one of them; a retired one can be taken back."
        )
    require_bot(owner)


def require_space(owner: User, size: int) -> None:
    """Raises ``TooMany`` where ``size`` bytes more would be too much for everything that ``owner`` has uploaded."""
    kept = BotVersion.objects.filter(bot__owner=owner).aggregate(size=Sum("size"))["size"] or 0
    if kept + size > settings.MAX_UPLOADED_BYTES_PER_USER:
        raise TooMany(
            f"Your versions take {kept / _MIB:.1f} MiB together, and"
            f" {settings.MAX_UPLOADED_BYTES_PER_USER / _MIB:.0f} MiB is the most. Versions are kept for ever:"
            " upload smaller ones, or ask the people who run the site."
        )
