"""The Celery application; everything it can be told stands in ``settings.py`` as ``CELERY_…``."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

app = Celery("esr_platform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
