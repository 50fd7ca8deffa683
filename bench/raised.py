"""The site's settings for ``bench.reading``: nobody is refused for asking often, and bare views lie beside the API."""

from __future__ import annotations

from esr_platform.settings import *  # noqa: F403
from esr_platform.settings import REQUESTS_PER_MINUTE as _AS_THEY_ARE

REQUESTS_PER_MINUTE = dict.fromkeys(_AS_THEY_ARE, 10**9)
ROOT_URLCONF = "bench.bare"
