"""Storages that fail."""

from __future__ import annotations

from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class FullDisk(FileSystemStorage):
    """A folder on a disk with no room left."""

    def save(self, name: str | None, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        raise OSError(28, "No space left on device")


class Gone(FileSystemStorage):
    """A storage at the other end of a cut cable."""

    def open(self, name: str, mode: str = "rb") -> Any:
        raise ConnectionError("nobody answers")

    def save(self, name: str | None, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        raise ConnectionError("nobody answers")

    def listdir(self, path: str) -> Any:
        raise ConnectionError("nobody answers")
