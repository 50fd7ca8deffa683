"""Read uploaded archives; reject archives that are dangerous or ambiguous.

>>> archive = read_upload("mybot.zip", data)
>>> archive.manifest.entry, archive.digest
"""

from __future__ import annotations

from bots.archives.archive import ENTRY, Archive, hidden_notice, read_upload
from bots.archives.packing import zip_of
from bots.archives.policy import ArchiveLimits, ArchiveRefused, Notice, is_junk

__all__ = [
    "ENTRY",
    "Archive",
    "ArchiveLimits",
    "ArchiveRefused",
    "Notice",
    "hidden_notice",
    "is_junk",
    "read_upload",
    "zip_of",
]
