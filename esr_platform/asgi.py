"""The web entry point: ``uvicorn esr_platform.asgi:application``."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

application = get_asgi_application()
