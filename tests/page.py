"""HTML pages as tests read them: elements by their attributes, so that texts can change without breaking a test.

A message that a test asks for has a key in its template: ``<p data-note="no-games">…</p>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Element:
    """An element with its attributes, the elements in it and its text."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.content: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def __iter__(self) -> Iterator[Element]:
        """All elements in it, from the top."""
        for element in self.content:
            if isinstance(element, Element):
                yield element
                yield from element

    def all(self, tag: str = "", **attributes: str | bool) -> list[Element]:
        """The elements in it of this tag with these attributes.

        ``data_note="x"`` is the attribute data-note, ``class_`` one of the classes, and ``True`` any value.
        """
        wanted = {name.strip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self
            if (not tag or element.tag == tag) and all(element._has(name, value) for name, value in wanted.items())
        ]

    def one(self, tag: str = "", **attributes: str | bool) -> Element:
        """The only such element."""
        (element,) = self.all(tag, **attributes)
        return element

    def _has(self, name: str, value: str | bool) -> bool:
        own = self.attributes.get(name)
        if own is None or isinstance(value, bool):
            return (own is not None) == value
        return value in own.split() if name == "class" else own == value

    @property
    def text(self) -> str:
        """All text in it, with single spaces."""
        return " ".join("".join(_texts(self)).split())

    @property
    def notes(self) -> set[str]:
        """The keys of the messages in it."""
        return {note["data-note"] for note in self.all(data_note=True)}

    @property
    def errors(self) -> set[str]:
        """The fields of forms that have errors, and ``""`` for an error of a whole form."""
        fields = {element.attributes.get("id", "") for element in self.all(class_="wrong")}
        whole = {""} if self.all(class_="notice", role="alert") else set()
        return whole | {field.removeprefix("id_").removesuffix("_error") for field in fields}

    @property
    def actions(self) -> set[str]:
        """Where its forms are sent."""
        return {form["action"] for form in self.all("form", action=True)}

    @property
    def links(self) -> list[str]:
        """Where its links lead."""
        return [link["href"] for link in self.all("a", href=True)]


def _texts(element: Element) -> Iterator[str]:
    for part in element.content:
        if isinstance(part, str):
            yield part
        else:
            yield from _texts(part)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def markup(response: HttpResponse) -> str:
    """The HTML of a response without the whitespace at the edges of elements and between blocks.

    Templates break lines there, and browsers do not show it.
    """
    text = re.sub(r"[ \n]+", " ", response.content.decode())
    text = re.sub(r"(<[a-z][^<>]*>) ", r"\1", text)
    text = re.sub(r" (</[a-z])", r"\1", text)
    text = re.sub(r"(<[a-z][^<>]*?) ?(/?>)", r"\1\2", text)
    return re.sub(r"(</(?:div|li|p|section|t[dhr]|thead|tbody|option|d[tld]|h\d|ul|ol)>) ", r"\1", text)


def parsed(page: HttpResponse | str) -> Element:
    """The elements of a page."""
    parser = _Parser()
    parser.feed(page if isinstance(page, str) else page.content.decode())
    return parser.open[0]


def part(html: str) -> Element:
    """The elements of a part of a page, as in ``page``."""
    return parsed(markup(HttpResponse(html)))


def html(client: Client, address: str, status: int = 200) -> str:
    """The markup of a page that answers with ``status``."""
    response = client.get(address)
    assert response.status_code == status, (address, response.status_code)
    return markup(response)


def page(client: Client, address: str, status: int = 200) -> Element:
    """The elements of a page that answers with ``status``."""
    return parsed(html(client, address, status))


@contextmanager
def at_most(queries: int, what: Any = None) -> Iterator[CaptureQueriesContext]:
    """Fail if more than so many queries are sent."""
    with CaptureQueriesContext(connection) as captured:
        yield captured
    assert len(captured) <= queries, (what, [query["sql"] for query in captured])
