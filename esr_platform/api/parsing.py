"""JSON as it comes to the API: one bounded document, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, Final

import orjson
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

MOST_BYTES: Final = 64 * 1024


class Json(BaseParser):
    """UTF-8 of at most ``MOST_BYTES``. NaN, and nesting that would exhaust a stack, are refused."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """The document. Raises ``ParseError``."""
        text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ParseError(f"The document is longer than {MOST_BYTES} bytes.")
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ParseError(str(error)) from error
