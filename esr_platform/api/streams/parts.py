"""Events with parts of pages, for browsers that ask for them with ``?words=en``.

A part says in words what the event says in data, as HTML. The API imports no pages: ``settings.STREAM_PARTS`` names
the functions that render parts. They are the same for all viewers, so they contain nothing that one viewer alone may
see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string
from rest_framework.request import Request

from esr_platform.api.http import Refusal
from esr_platform.api.streams import threads
from esr_platform.api.streams.stream import JSONLines
from games.rules import Document

KEPT_S: Final = 10.0
"""Seconds after which parts are rendered again for new viewers, because they contain durations."""


def language_of(request: Request) -> str:
    """Return the language in which the client wants parts, or ``""``. Raises ``Refusal`` (400) for unknown ones."""
    code = request.query_params.get("words", "")
    if code and code not in dict(settings.LANGUAGES):
        known = ", ".join(f"`{language}`" for language, _ in settings.LANGUAGES)
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", f"`words` must be a language of this site: {known}.")
    return code


def render(kind: str, *about: object) -> str:
    """Return the parts of an event of this kind in the current language, as HTML."""
    html: str = import_string(settings.STREAM_PARTS[kind])(*about)
    return html


class Encoded:
    """Events that are encoded once for all viewers with the same format and language.

    ``place`` is the id of the events. ``parts`` renders the parts of the last event on a reader thread.
    """

    def __init__(
        self, events: Sequence[Document], place: int | None = None, parts: Callable[[], str] | None = None
    ) -> None:
        self._events, self._place, self._parts = events, place, parts
        self._renderings: dict[str, tuple[float, asyncio.Task[str]]] = {}
        self._encoded: dict[tuple[type[JSONLines], str], bytes] = {}

    async def pieces(self, framing: JSONLines, language: str = "") -> bytes:
        """Return the encoded events, with parts if there is a ``language``. Raises database errors."""
        parts = "" if self._parts is None or not language else await self._rendered(self._parts, language)
        key = type(framing), parts
        if key not in self._encoded:
            events = [*self._events[:-1], {**self._events[-1], "parts": parts}] if parts else self._events
            self._encoded[key] = b"".join(framing.event(event, self._place) for event in events)
        return self._encoded[key]

    async def _rendered(self, parts: Callable[[], str], language: str) -> str:
        """Render parts once for all viewers who wait for them; one who disconnects does not cancel it."""
        now = asyncio.get_running_loop().time()
        since, rendering = self._renderings.get(language, (0.0, None))
        if rendering is None or now > since + KEPT_S or (rendering.done() and rendering.exception() is not None):
            self._encoded.clear()
            rendering = asyncio.create_task(threads.read(_in_language, parts, language))
            self._renderings[language] = now, rendering
        return await asyncio.shield(rendering)


def _in_language(parts: Callable[[], str], language: str) -> str:
    with translation.override(language):
        return parts()
