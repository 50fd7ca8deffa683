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
        archive_bytes=settings.UPLOAD_ARCHIVE_BYTES,
        unpacked_bytes=settings.UPLOAD_UNPACKED_BYTES,
        file_bytes=min(settings.UPLOAD_ARCHIVE_BYTES, settings.UPLOAD_UNPACKED_BYTES),
        files=settings.UPLOAD_FILES,
    )


def allowances() -> Allowances:
    """The limits as the settings have them."""
    limits = archive_limits()
    return Allowances(
        archive_bytes=limits.archive_bytes,
        unpacked_bytes=limits.unpacked_bytes,
        file_bytes=limits.file_bytes,
        files=limits.files,
        uploads_an_hour=settings.UPLOADS_AN_HOUR,
        bots=settings.BOTS_A_PERSON,
        bots_ever=settings.BOTS_EVER_A_PERSON,
        checks_waiting=settings.CHECKS_WAITING_A_PERSON,
        stored_bytes=settings.UPLOADED_BYTES_A_PERSON,
        check_seconds=settings.CHECK_SECONDS,
    )


def require_upload(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` has uploaded too often within an hour."""
    most = settings.UPLOADS_AN_HOUR
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
    if waiting.count() >= settings.CHECKS_WAITING_A_PERSON:
        raise TooMany(
            f"{settings.CHECKS_WAITING_A_PERSON} of your versions wait for their check, which is the most."
            " Upload again when one of them is through.",
            60,
        )


def require_bot(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` has all the bots that one may have; retired ones do not count."""
    if Bot.objects.of_code().filter(owner=owner, retired=None).count() >= settings.BOTS_A_PERSON:
        raise TooMany(
            f"You have {settings.BOTS_A_PERSON} bots, which is the most."
            " Retire one of them, or upload a new version of one."
        )


def require_new_bot(owner: User) -> None:
    """Raises ``TooMany`` where ``owner`` may make no other bot: retired ones keep their addresses and their rows."""
    if Bot.objects.of_code().filter(owner=owner).count() >= settings.BOTS_EVER_A_PERSON:
        raise TooMany(
            f"You have made {settings.BOTS_EVER_A_PERSON} bots, retired ones counted, which is the most that one person"
            " may ever make. Upload a new version of one of them; a retired one can be taken back."
        )
    require_bot(owner)


def require_space(owner: User, size: int) -> None:
    """Raises ``TooMany`` where ``size`` bytes more would be too much for everything that ``owner`` has uploaded."""
    kept = BotVersion.objects.filter(bot__owner=owner).aggregate(size=Sum("size"))["size"] or 0
    if kept + size > settings.UPLOADED_BYTES_A_PERSON:
        raise TooMany(
            f"Your versions take {kept / _MIB:.1f} MiB together, and {settings.UPLOADED_BYTES_A_PERSON / _MIB:.0f} MiB"
            " is the most. Versions are kept for ever: upload smaller ones, or ask the people who run the site."
        )
