"""The web entry point: ``uvicorn esr_platform.asgi:application``."""

from __future__ import annotations

import os
import warnings

from django.core.asgi import get_asgi_application

# WhiteNoise hands files over synchronously; they are read before the first byte leaves, which is fine at their size.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

application = get_asgi_application()
