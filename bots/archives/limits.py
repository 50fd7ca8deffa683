"""How large an upload may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MIB: Final = 1024 * 1024
_SPARE: Final = 5


@dataclass(frozen=True)
class ArchiveLimits:
    """What one upload may take. Sizes are bytes, those of paths bytes of UTF-8; a site's settings make their own.

    ``depth`` is how many names a path may have, the file's own included. What is left out quietly (``names.is_junk``)
    counts as bytes but not as files.
    """

    archive_bytes: int = 8 * _MIB
    unpacked_bytes: int = 16 * _MIB
    file_bytes: int = 8 * _MIB
    files: int = 200
    path_bytes: int = 200
    depth: int = 8

    @property
    def entries(self) -> int:
        """How many entries the archive may list, with its folders and with what is left out."""
        return _SPARE * self.files
