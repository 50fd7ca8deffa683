"""WSGI application, for servers without ASGI. Streams require ``asgi.py``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

_pages = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Give each request a new id, because a WSGI server does not tell which proxies to trust."""
    environ.pop("HTTP_X_REQUEST_ID", None)
    return _pages(environ, start_response)


from esr_platform.public import require_ready  # noqa: E402  (needs the settings to be there)

require_ready()
