from __future__ import annotations

from pathlib import Path

from bots.archives import ArchiveLimits
from bots.archives.policy import size
from bots.languages import LANGUAGES
from bots.limits import allowances
from bots.manifest import FILE, MAX_BYTES
from bots.protocol import Limits

PAGE = (Path(__file__).parents[3] / "docs" / "uploads.md").read_text(encoding="utf-8")


def test_the_page_has_the_limits_of_a_person() -> None:
    limits = allowances()
    for said in (
        f"| {limits.uploads_an_hour} | `MAX_UPLOADS_PER_HOUR` |",
        f"| {limits.bots} | `MAX_BOTS_PER_USER` |",
        f"| {limits.bots_ever} | `MAX_BOTS_EVER_PER_USER` |",
        f"| {limits.checks_waiting} | `MAX_QUEUED_VALIDATIONS_PER_USER` |",
        f"| {limits.stored_bytes >> 20} MiB | `MAX_UPLOADED_BYTES_PER_USER` |",
        f"| {limits.check_seconds // 60} min | `MAX_VALIDATION_SECONDS` |",
        f"A bot has {Limits().memory_mb} MiB of address space",
    ):
        assert said in PAGE


def test_the_settings_take_what_the_reader_of_archives_takes() -> None:
    limits, reader = allowances(), ArchiveLimits()
    assert (limits.archive_bytes, limits.unpacked_bytes) == (reader.archive_bytes, reader.unpacked_bytes)
    assert (limits.file_bytes, limits.files) == (reader.file_bytes, reader.files)


def test_the_page_has_the_limits() -> None:
    limits = ArchiveLimits()
    for name, said in {
        "upload": size(limits.archive_bytes),
        "unpacked, together": size(limits.unpacked_bytes),
        "one file": size(limits.file_bytes),
        "files": str(limits.files),
        "a path": f"{limits.path_bytes} bytes of UTF-8, {limits.depth} names",
        f"`{FILE}`": size(MAX_BYTES),
    }.items():
        assert f"| {name} | {said} |\n" in PAGE


def test_the_page_has_the_languages() -> None:
    for language in LANGUAGES.values():
        assert f"| `{language.name}` | {language.about} |\n" in PAGE
