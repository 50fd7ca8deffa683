"""The web entry point: ``uvicorn esr_platform.asgi:application``."""

from __future__ import annotations

import gc
import os
import warnings
from importlib import import_module

from django.conf import settings
from django.core.asgi import get_asgi_application

# WhiteNoise hands files over synchronously; they are read before the first byte leaves, which is fine at their size.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

django_application = get_asgi_application()

from esr_platform.api.streams.application import LiveEndpoints  # noqa: E402  (needs the applications to be there)
from esr_platform.bodies import FORM_BYTES, BoundedBodies  # noqa: E402
from esr_platform.public import require_ready  # noqa: E402

require_ready()
application = BoundedBodies(
    LiveEndpoints(django_application), settings.MAX_ARCHIVE_BYTES + FORM_BYTES, settings.REQUEST_SECONDS
)

# All code is loaded before anybody asks, and the collector looks at none of it again: that stood still for 100 to
# 200 ms every few seconds, and every game with it.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
