"""JSON as it leaves the API: written by orjson, which is several times as fast as what the framework brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson
from rest_framework.renderers import BaseRenderer

_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS


class Json(BaseRenderer):
    """Compact UTF-8. Times are UTC and end in Z; what orjson does not know is written as its text."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002
        renderer_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> bytes:
        return b"" if data is None else orjson.dumps(data, default=_plain, option=_OPTIONS)


def _plain(value: Any) -> Any:
    """Containers of the framework as those of Python; everything else, such as a lazy text, as its text."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, list | tuple) else str(value)
