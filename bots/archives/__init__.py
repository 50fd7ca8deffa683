"""Reads what people upload, and refuses what could hurt anybody or mean two things.

>>> archive = read_upload("mybot.zip", data)
>>> archive.manifest.entry, archive.digest
"""

from __future__ import annotations

from bots.archives.archive import Archive, read_upload
from bots.archives.policy import ArchiveLimits, Refused

__all__ = ["Archive", "ArchiveLimits", "Refused", "read_upload"]
