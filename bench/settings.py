"""Settings for request benches: no rate limits, minimal views (``bench.views``), and the cost of each view."""

from __future__ import annotations

from esr_platform.settings import *  # noqa: F403
from esr_platform.settings import MIDDLEWARE as _MIDDLEWARE
from esr_platform.settings import REQUESTS_PER_MINUTE as _AS_THEY_ARE

REQUESTS_PER_MINUTE = dict.fromkeys(_AS_THEY_ARE, 10**9)
ROOT_URLCONF = "bench.views"
MIDDLEWARE = ["bench.request_costs.count", *_MIDDLEWARE]
