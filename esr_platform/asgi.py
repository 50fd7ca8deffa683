"""ASGI application: ``uvicorn esr_platform.asgi:application``."""

from __future__ import annotations

import gc
import os
import warnings
from importlib import import_module

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# WhiteNoise reads each file before it sends the first byte. The files are small enough for this.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")


class PageHandler(ASGIHandler):
    """Runs a request on one thread from the first middleware to the last, because all pages are synchronous.

    In Django's own chain, most middlewares change threads twice, which takes longer than many pages.
    """

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - as in Django
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response)(request)


django.setup(set_prefix=False)

from esr_platform.admission import BoundedPages, reserve_connections  # noqa: E402  (requires loaded apps)
from esr_platform.api.streams.application import LiveEndpoints  # noqa: E402
from esr_platform.bodies import FORM_BYTES, BoundedBodies  # noqa: E402
from esr_platform.handover import allow_many_connections  # noqa: E402
from esr_platform.probes import Probes  # noqa: E402
from esr_platform.public import require_ready  # noqa: E402
from esr_platform.request_ids import RequestIds  # noqa: E402

require_ready()
reserve_connections()
allow_many_connections()
live_endpoints = LiveEndpoints(BoundedPages(PageHandler()))
stream_application = RequestIds(live_endpoints)
"""For stream processes, to which no request with a body comes (``esr_platform.handover``)."""
bounded_bodies = BoundedBodies(
    live_endpoints,
    settings.MAX_ARCHIVE_BYTES + FORM_BYTES,
    max(settings.MAX_ARCHIVE_BYTES, settings.MAX_EXECUTABLE_ARCHIVE_BYTES) + FORM_BYTES,
    settings.REQUEST_SECONDS,
)
application = Probes(RequestIds(bounded_bodies))

# Load all code before the first request and exclude it from garbage collection, which otherwise stopped all games for
# 100 to 200 ms every few seconds. Collect less often than by default, because requests leave little to collect.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 50)
