"""Reads what people upload, and refuses what could hurt anybody or mean two things.

>>> archive = read_upload("mybot.zip", data)
>>> archive.manifest.entry, archive.digest
"""

from __future__ import annotations

from bots.archives.archive import Archive
from bots.archives.limits import ArchiveLimits
from bots.archives.reading import read_upload
from bots.archives.refusing import Refused

__all__ = ["Archive", "ArchiveLimits", "Refused", "read_upload"]
