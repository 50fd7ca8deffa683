from __future__ import annotations

from pathlib import Path

from bots.archives import ArchiveLimits
from bots.archives.policy import size
from bots.languages import LANGUAGES
from bots.manifest import FILE, MAX_BYTES

PAGE = (Path(__file__).parents[3] / "docs" / "uploads.md").read_text(encoding="utf-8")


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
