"""Where uploads lie on a local disk: a file is there whole or not at all, whatever happens while it is written."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class WholeFileStorage(FileSystemStorage):
    """Django's storage in a folder, whose files appear under their names only once they are on the disk."""

    def _save(self, name: str, content: File[bytes]) -> str:
        """Write beside the place, then rename. Raises ``OSError``, after which what was there before is still there."""
        place = Path(self.path(name))
        part = super()._save(f"{name}.{uuid4().hex}.part", content)  # type: ignore[misc]
        beside = Path(self.path(part))
        try:
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)
        return name
