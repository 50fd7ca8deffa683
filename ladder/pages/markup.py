"""Text with gems: ``{R}``, ``{Y}``, ``{G}`` and ``{B}`` become drawings that can also be read out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from django.templatetags.static import static
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

GEMS: Final = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}
_TOKEN: Final = re.compile(r"\{([RYGB])\}")
_COUNT: Final = re.compile(r"(\d+)((?:[ \u00a0]?\{[RYGB]\})+)")


def drawing(name: str, kind: str, label: str = "") -> SafeString:
    """One symbol of the sprite; without ``label`` it is decoration, and text beside it must say the same."""
    spoken = format_html(' role="img" aria-label="{}"', label) if label else SafeString(' aria-hidden="true"')
    return format_html(
        '<svg class="{}" width="20" height="20"{}><use href="{}#{}"></use></svg>',
        kind,
        spoken,
        static("esr/sprite.svg"),
        name,
    )


def gem(letter: str, *, named: bool = False) -> SafeString:
    """The gem of a colour letter; ``named`` where the text beside it says the colour."""
    return drawing(f"gem-{letter}", "gem", "" if named else GEMS[letter])


def with_gems(text: str) -> SafeString:
    """``text``, escaped, with a gem for each token; a number stays on the line of its gem."""
    kept = _COUNT.sub(lambda found: f'<span class="count">{found[0]}</span>', escape(text))
    drawn = _TOKEN.sub(lambda found: gem(found[1], named=kept.startswith(f" {GEMS[found[1]]}", found.end())), kept)
    return mark_safe(drawn)  # noqa: S308 - escaped before the drawings came in


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered text, for its contents; ``anchor`` is the id it has there."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Prose:
    """A rendered text, its first paragraph and its headings."""

    html: SafeString
    lead: SafeString
    headings: Sequence[Heading]


@lru_cache(maxsize=32)
def prose(markdown: str) -> Prose:
    """Markdown with tables as HTML; HTML in it is text, and gems are drawn. Its first-level heading is left out.

    The page has a title of its own, so the headings below keep their levels.
    """
    tokens = _without_title(_PARSER.parse(markdown))
    headings = list(_anchored(tokens))
    lead = tokens[:3] if tokens and tokens[0].type == "paragraph_open" else []
    return Prose(_rendered(tokens), _rendered(lead), headings)


def _rendered(tokens: list[Token]) -> SafeString:
    html: str = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return SafeString(html)  # the parser escapes all text


def _without_title(tokens: list[Token]) -> list[Token]:
    titled = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return tokens[3:] if titled else tokens


def _anchored(tokens: list[Token]) -> list[Heading]:
    """Give every heading an id of its own; the headings."""
    headings: list[Heading] = []
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = _TOKEN.sub(lambda found: GEMS[found[1]], "".join(part.content for part in content.children or ()))
        anchor = slugify(text) or "part"
        if any(heading.anchor == anchor for heading in headings):
            anchor = f"{anchor}-{len(headings) + 1}"
        opening.attrSet("id", anchor)
        headings.append(Heading(int(opening.tag[1:]), text, anchor))
    return headings


def _text(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return with_gems(tokens[index].content)


def _scrolling(kind: str) -> Any:
    """Tables get a frame of their own, so that a wide one never widens the page."""

    def rule(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        html = renderer.renderToken(tokens, index, options, env)
        return f'<div class="scroll" tabindex="0">{html}' if kind == "table_open" else f"{html}</div>"

    return rule


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("text", _text)
    for kind in ("table_open", "table_close"):
        parser.add_render_rule(kind, _scrolling(kind))
    return parser


_PARSER: Final = _parser()
