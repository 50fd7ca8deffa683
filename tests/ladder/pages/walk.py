"""Every address of the site, found in its own table of addresses and by following links, as somebody sees it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import product

from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

QUESTIONS = 8
ENDLESS = "lobby/stream"
"""A public endpoint whose response has no end; its contents are tested with the other endpoints."""

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
_LADDER = re.compile(r"/(?:play/)?ladders/([^/]+)/")
_LINK = re.compile(r'(?:href|src|action)="(/[^"#]*)')


def walk(client: Client, values: Mapping[str, Sequence[object]]) -> Iterator[tuple[str, int, str]]:
    """Address, status and all that comes back, head and body, of every page there is to get.

    ``values`` are what stands for the parameters of addresses, by their names; none may be missing. Of the questions
    that links put to one page, such as orders and filters of its table, the first ``QUESTIONS`` are asked. Pages of
    ladders that ``values`` do not name are left out, and the documentation, with nothing of any game on them.
    """
    waiting = list(addresses(values))
    seen = set(waiting)
    asked: Counter[str] = Counter()
    while waiting:
        address = waiting.pop()
        response = client.get(address)
        text = _text(response)
        yield address, response.status_code, text
        for link in map(unescape, _LINK.findall(text)):
            page, question, _ = link.partition("?")
            if link in seen or link.startswith(("/static/", "/docs/")) or (question and asked[page] == QUESTIONS):
                continue
            if (ladder := _LADDER.match(link)) and ladder[1] not in values["slug"]:
                continue
            seen.add(link)
            asked[page] += bool(question)
            waiting.append(link)


def addresses(values: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """Every address in the site's own table, with every combination of ``values``. Raises ``KeyError``."""
    for route in _routes(get_resolver().url_patterns):
        if "(?P" in route or "^" in route:
            continue  # addresses of letters, each with a secret of its own
        if route.endswith(ENDLESS) or route.startswith("docs/"):
            continue
        names = _PARAMETER.findall(route)
        for chosen in product(*(values[name] for name in names)):
            filled = iter(chosen)
            yield "/" + _PARAMETER.sub(lambda _: str(next(filled)), route)  # noqa: B023 - used before the next turn


def _routes(patterns: Iterable[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _text(response: HttpResponse | StreamingHttpResponse) -> str:
    """Head and body; what is not text becomes something else, but bytes that spell a secret still do."""
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[union-attr, arg-type]
    return f"{dict(response.headers)}\n{body.decode(errors='replace')}"
