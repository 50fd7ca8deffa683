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
        part = f"{name}.{uuid4().hex}.part"
        beside = Path(self.path(part))
        try:
            super()._save(part, content)  # type: ignore[misc]
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(self.path(name))
        finally:
            beside.unlink(missing_ok=True)
        return name
