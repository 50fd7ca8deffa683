"""Read uploaded archives; reject archives that are dangerous or ambiguous.

>>> archive = read_upload("mybot.zip", data)
>>> archive.manifest.entry, archive.digest
"""

from __future__ import annotations

from bots.archives.archive import Archive, read_upload
from bots.archives.policy import ArchiveLimits, ArchiveRefused

__all__ = ["Archive", "ArchiveLimits", "ArchiveRefused", "read_upload"]
