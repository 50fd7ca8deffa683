"""WSGI application, for servers without ASGI. Streams require ``asgi.py``."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

application = get_wsgi_application()

from esr_platform.public import require_ready  # noqa: E402  (needs the settings to be there)

require_ready()
