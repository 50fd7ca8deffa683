"""The Markdown pages of ``docs/`` and of the root folder: their order, links, faults and texts to search.

The site and ``tools/docs.py`` render them with the same code. They differ only in the URLs of links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.utils.translation import pgettext_lazy
from markdown_it.token import Token

from games.registry import GAMES
from ladder.pages.components.markup import Heading, Prose, document, markdown_tokens

INDEX: Final = "docs/README.md"
_ROOT_PAGES: Final = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
_IMAGES: Final = "docs/images/"
IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".jpg": "image/jpeg",
}
SECTIONS: Final = {
    "start": pgettext_lazy("documentation", "Start"),
    "guides": pgettext_lazy("documentation", "Guides"),
    "concepts": pgettext_lazy("documentation", "Concepts"),
    "reference": pgettext_lazy("documentation", "Reference"),
    "internals": pgettext_lazy("documentation", "Internals"),
}
"""The folders of ``docs/``. Pages of other folders are part of the last section."""


@dataclass(frozen=True)
class DocPage:
    """A page: its file, the end of its URL (empty for the index), its title and its text."""

    source: str
    slug: str
    title: str
    markdown: str

    @property
    def section(self) -> str:
        folder = self.slug.split("/")[0]
        return folder if folder in SECTIONS else "internals"

    @property
    def is_decision(self) -> bool:
        return self.slug.startswith("decisions/")

    def resolve(self, href: str) -> tuple[str, str]:
        """The path in the repository and the fragment of a relative link; the page itself for ``#fragment``."""
        path, _, fragment = href.partition("#")
        return normpath(str(PurePosixPath(self.source).parent / path)) if path else self.source, fragment


@dataclass(frozen=True)
class MenuSection:
    """A section of the menu: its title and its pages in order."""

    key: str
    title: str
    pages: Sequence[DocPage]


@dataclass(frozen=True)
class Hit:
    """A part of a page that contains all words of a search; ``before``, ``found`` and ``after`` are an extract."""

    page: DocPage
    heading: str
    anchor: str
    before: str
    found: str
    after: str


Place = Callable[[str, str], str | None]
"""The URL of a page, an image or the rules of a game by kind and name; ``None`` if it has no URL."""


class Documentation:
    """All pages below a folder, read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        files = [root / name for name in _ROOT_PAGES if (root / name).is_file()]
        files += sorted((root / "docs").rglob("*.md"))
        pages = [_read(path, path.relative_to(root).as_posix()) for path in files]
        self.by_source = {page.source: page for page in pages}
        self.by_slug = {page.slug: page for page in pages}
        self.images = frozenset(
            path.name for path in (root / _IMAGES).glob("*") if path.suffix in IMAGE_TYPES and path.is_file()
        )
        self._guides = {
            f"games/{game.presentation.folder}/{game.presentation.guide_file}": slug for slug, game in GAMES.items()
        }

    # --- Order ---------------------------------------------------------------------------------------------------

    @cached_property
    def menu(self) -> list[MenuSection]:
        """The sections with their pages in the order of the index below its first heading; other pages follow."""
        index = self.by_source[INDEX]
        below = re.sub(r"(?s)\A.*?\n(?=## )", "", index.markdown)
        listed = [page for page, _ in self._linked_pages(replace(index, markdown=below))]
        pages = [page for page in dict.fromkeys([*listed, *self.by_source.values()]) if page is not index]
        shown = [page for page in pages if not page.is_decision and page.source != "README.md"]
        return [
            MenuSection(key, str(title), [page for page in shown if page.section == key])
            for key, title in SECTIONS.items()
        ]

    @cached_property
    def notes(self) -> dict[str, str]:
        """What the tables of the index say of a page, by slug."""
        index = self.by_source[INDEX]
        rows = re.findall(r"(?m)^\| \[[^\]]*\]\(([^)]+)\) \| (.*) \|$", index.markdown)
        sources = ((index.resolve(href)[0], note) for href, note in rows)
        return {self.by_source[source].slug: note for source, note in sources if source in self.by_source}

    @cached_property
    def _sequence(self) -> list[DocPage]:
        """All pages. The readme and the decisions are not in the menu."""
        shown = [self.by_source[INDEX], *(page for section in self.menu for page in section.pages)]
        return list(dict.fromkeys([*shown, *self.by_source.values()]))

    def neighbors(self, page: DocPage) -> tuple[DocPage | None, DocPage | None]:
        """The previous and the next page."""
        place = self._sequence.index(page)
        following = self._sequence[place + 1] if place + 1 < len(self._sequence) else None
        return (self._sequence[place - 1] if place else None), following

    # --- Links ---------------------------------------------------------------------------------------------------

    def render(self, page: DocPage, place: Place) -> Prose:
        """The page as HTML, its links and images at the URLs that ``place`` returns."""
        return document(page.markdown, lambda href: self._url(page, href, place))

    def markdown(self, page: DocPage, place: Place) -> str:
        """The text of the page, its links and images at the URLs that ``place`` returns, other links as plain text."""
        text = page.markdown
        for attribute, href in dict.fromkeys(self._links(page)):
            url = self._url(page, href, place)
            if url is not None:
                text = text.replace(f"]({href})", f"]({url})")
            elif attribute == "href":
                text = re.sub(rf"\[([^\]]*)\]\({re.escape(href)}\)", r"\1", text)
        return text

    def _url(self, page: DocPage, href: str, place: Place) -> str | None:
        """The URL of a link on ``page``, ``None`` if its target has none."""
        if href.startswith("#") or urlsplit(href).scheme:
            return href
        source, fragment = page.resolve(href)
        url = self._place(source, place)
        return f"{url}#{fragment}" if url is not None and fragment else url

    def _place(self, source: str, place: Place) -> str | None:
        target = self.by_source.get(source) or self.by_source.get(f"{source}/README.md")
        if target:
            return place("page", target.slug)
        if source in self._guides:
            return place("rules", self._guides[source])
        return place("image", source.removeprefix(_IMAGES)) if self._is_image(source) else None

    def _is_image(self, source: str) -> bool:
        return source.startswith(_IMAGES) and source.removeprefix(_IMAGES) in self.images

    def _links(self, page: DocPage) -> Iterator[tuple[str, str]]:
        """Yield ``href`` or ``src`` and the URL of every link and image."""
        for token in self._parsed(page)[0]:
            for part in token.children or ():
                attribute = {"link_open": "href", "image": "src"}.get(part.type)
                if attribute:
                    yield attribute, unquote(str(part.attrs[attribute]))

    def _linked_pages(self, page: DocPage) -> Iterator[tuple[DocPage, str]]:
        for _, href in self._links(page):
            if not urlsplit(href).scheme:
                source, fragment = page.resolve(href)
                target = self.by_source.get(source) or self.by_source.get(f"{source}/README.md")
                if target:
                    yield target, fragment

    # --- Checks --------------------------------------------------------------------------------------------------

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield the file and the description of every wrong link, missing anchor and unreachable page or image."""
        for page in self.by_source.values():
            yield from ((page.source, fault) for fault in self._faults_of(page))
        reached = self._reached()
        yield from ((name, "No page links to this page.") for name in self.by_source if name not in reached)
        used = {page.resolve(href)[0] for page in self.by_source.values() for _, href in self._links(page)}
        for name in sorted(self.images):
            if f"{_IMAGES}{name}" not in used:
                yield f"{_IMAGES}{name}", "No page shows this image."

    def _faults_of(self, page: DocPage) -> Iterator[str]:
        for attribute, href in self._links(page):
            parts = urlsplit(href)
            if parts.scheme:
                is_url = (parts.scheme in {"http", "https"} and parts.netloc) or parts.scheme == "mailto"
                if not is_url or " " in href or attribute == "src":
                    yield f"{href}: not a URL of a page"
            elif href.startswith("/"):
                yield f"{href}: link to a file by its relative path"
            else:
                yield from self._faults_of_relative(page, attribute, href)

    def _faults_of_relative(self, page: DocPage, attribute: str, href: str) -> Iterator[str]:
        source, fragment = page.resolve(href)
        target = self.by_source.get(source) or self.by_source.get(f"{source}/README.md")
        if source.startswith("..") or not (self.root / source).exists():
            yield f"{href}: file not found"
        elif attribute == "src" and not self._is_image(source):
            yield f"{href}: not an image in {_IMAGES}"
        elif target is None and attribute == "href" and source.startswith("docs/") and not self._is_image(source):
            yield f"{href}: not a page"
        elif fragment and (target is None or fragment not in self.anchors(target)):
            yield f"{href}: heading not found"

    def anchors(self, page: DocPage) -> frozenset[str]:
        """The anchors of the headings of ``page``."""
        return frozenset(heading.anchor for heading in self._parsed(page)[1])

    @staticmethod
    @lru_cache(maxsize=256)
    def _parsed(page: DocPage) -> tuple[list[Token], list[Heading]]:
        return markdown_tokens(page.markdown)

    def _reached(self) -> set[str]:
        reached, waiting = {INDEX, "README.md"}, [INDEX, "README.md"]
        while waiting:
            page = self.by_source.get(waiting.pop())
            linked = {target.source for target, _ in self._linked_pages(page)} - reached if page else set()
            reached |= linked
            waiting += linked
        return reached

    # --- Search --------------------------------------------------------------------------------------------------

    def search(self, text: str, most: int) -> list[Hit]:
        """The ``most`` best parts of pages that contain every word of ``text``: titles first, then headings."""
        words = text.casefold().split()[:8]
        ranked = []
        for order, part in enumerate(self._parts if words else ()):
            score = part.score(words)
            if score:
                ranked.append((-score, order, part))
        return [part.hit(words) for _, _, part in sorted(ranked)[:most]]

    @cached_property
    def _parts(self) -> list[_Part]:
        return [part for page in self._sequence for part in _parts(page)]


@dataclass(frozen=True)
class _Part:
    """The text of a page from one heading to the next."""

    page: DocPage
    heading: str
    anchor: str
    text: str

    def score(self, words: Sequence[str]) -> int:
        """0 if a word is missing."""
        title, heading, text = self.page.title.casefold(), self.heading.casefold(), self.text.casefold()
        scores = [
            8 * (word in title) * (not self.anchor) + 4 * (word in heading) + (word in text or word in title)
            for word in words
        ]
        if not all(scores):
            return 0
        phrase = " ".join(words)
        named = 30 if not self.anchor and phrase in title else 20 if phrase in heading else 0
        return max(4 * sum(scores) + named + 6 * (phrase in text) - 4 * (self.page.section == "internals"), 1)

    def hit(self, words: Sequence[str], around: int = 90) -> Hit:
        """The part with an extract around the first word that its text contains."""
        match = re.search(re.escape(" ".join(words)), self.text, re.IGNORECASE)
        match = match or re.search("|".join(map(re.escape, words)), self.text, re.IGNORECASE)
        start, end = match.span() if match else (0, 0)
        first = self.text.rfind(" ", 0, start - around) + 1 if start > around else 0
        last = self.text.find(" ", end + 2 * around)
        last = len(self.text) if last < 0 else last
        before = ("… " if first else "") + self.text[first:start]
        after = self.text[end:last] + (" …" if last < len(self.text) else "")
        return Hit(self.page, self.heading, self.anchor, before, self.text[start:end], after)


def _parts(page: DocPage) -> Iterator[_Part]:
    """The parts of a page, their Markdown as plain text."""
    heading, anchor, texts = "", "", list[str]()
    tokens, _ = markdown_tokens(page.markdown)
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            if before is not tokens[0]:
                yield _Part(page, heading, anchor, " ".join(texts))
            anchor = str(before.attrGet("id") or "")
            heading, texts = _plain(token) if anchor else "", []
        elif token.type in {"inline", "fence"}:
            texts.append(_plain(token))
    yield _Part(page, heading, anchor, " ".join(texts))


def _plain(token: Token) -> str:
    if not token.children:
        return " ".join(token.content.split())
    return "".join(" " if "break" in part.type else part.content for part in token.children)


def _read(path: Path, source: str) -> DocPage:
    text = path.read_text(encoding="utf-8")
    inner = source.removeprefix("docs/")
    slug = inner.removesuffix(".md")
    if source == inner:
        slug = slug.lower().replace("_", "-")
    elif slug == "README":
        slug = ""
    heading = re.search(r"(?m)^# +(.+)$", text)
    title = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]) if heading else path.stem
    return DocPage(source, slug.removesuffix("/README"), title.strip(), text)


def documentation() -> Documentation | None:
    """The documentation, or ``None`` if the site was installed without it. With ``DEBUG``, changed files are read."""
    root = Path(settings.DOCS_DIR).parent
    if not (root / INDEX).is_file():
        return None
    if settings.DEBUG:
        _documentation.cache_clear()
    return _documentation(root)


@cache
def _documentation(root: Path) -> Documentation:
    return Documentation(root)
