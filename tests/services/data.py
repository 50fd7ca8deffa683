"""The data folder of a test: where uploads are stored and unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.test import override_settings


@contextmanager
def data_in(folder: Path) -> Iterator[None]:
    """Keep uploads and unpacked archives in ``folder``; static files keep their plain names."""
    options = {"allow_overwrite": True, "location": str(folder / "uploads")}
    storages = {
        **settings.STORAGES,
        "uploads": {"BACKEND": "bots.uploads.storage.WholeFileStorage", "OPTIONS": options},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(VAR_DIR=folder, STORAGES=storages):
        yield
