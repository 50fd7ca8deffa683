"""Markdown and texts of games as HTML: tokens such as ``{R}`` become drawings, and guides have drawn examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Final
from urllib.parse import unquote

from django.templatetags.static import static
from django.utils import translation
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from games.game import Game
from games.words import IN_BRACES, in_words

# --- Examples --------------------------------------------------------------------------------------------------------
#
# The rest of that line is the caption. In a line of the block two spaces or more part its cells, and tokens are drawn,
# so that the same block can be read as text where nothing is drawn::
#
#     ```chain Every bid takes what lies one place to the left
#     The display  {S24} {B9}
#     abacus  {R20} {S24}  44
#     ```

Draw = Callable[[str], SafeString]
"""Text as HTML, its tokens drawn."""

_APART: Final = re.compile(r" {2,}")
_TOKEN: Final = re.compile(IN_BRACES)
_SEVERAL: Final = re.compile(rf"(\d+) ({IN_BRACES})")
VACANT: Final = "."
"""An empty place of a pyramid."""

LIT: Final = "*"
"""Behind a token of a pyramid: this one is meant."""


def example(kind: str, caption: str, text: str, draw: Draw) -> SafeString:
    """Return the figure of a block. Raises ``KeyError`` for a ``kind`` that is not in :data:`KINDS`."""
    body = KINDS[kind](text.strip("\n").split("\n"), draw)
    figcaption = format_html("<figcaption>{}</figcaption>", draw(caption)) if caption else SafeString()
    return format_html('<figure class="drawn drawn-{}">{}{}</figure>\n', kind, body, figcaption)


def cells(line: str) -> list[str]:
    """The cells of one line of a block."""
    return _APART.split(line.strip())


def _listed(items: Sequence[SafeString]) -> SafeString:
    return format_html("<ol>{}</ol>", format_html_join("", "{}", ((item,) for item in items)))


def _chain(lines: Sequence[str], draw: Draw) -> SafeString:
    """What is passed on: name, tokens, value. The first has no arrow before it."""
    items = []
    for line in lines:
        name, tokens, value = [*cells(line), "", ""][:3]
        items.append(
            format_html(
                '<li><span class="who">{}</span> <span class="tokens">{}</span> <b class="value">{}</b></li>',
                draw(name),
                draw(tokens),
                value,
            )
        )
    return _listed(items)


def _steps(lines: Sequence[str], draw: Draw) -> SafeString:
    """One after the other, each above the one before: tokens, and why."""
    steps = [[*cells(line), ""][:2] for line in lines]
    items = [
        format_html('<li><span class="tokens">{}</span> <i>{}</i></li>', draw(tokens), draw(why))
        for tokens, why in steps
    ]
    return _listed(items)


def _cards(lines: Sequence[str], draw: Draw) -> SafeString:
    """Cards side by side: the number on the coin, and tokens."""
    cards = [[*cells(line), ""][:2] for line in lines]
    items = [
        format_html('<li><b class="coin">{}</b> <span class="tokens">{}</span></li>', value, draw(tokens))
        for value, tokens in cards
    ]
    return format_html("<ul>{}</ul>", format_html_join("", "{}", ((item,) for item in items)))


def _piles(lines: Sequence[str], draw: Draw) -> SafeString:
    """Name, ``2 {R}, 3 {ghost-R}`` and payment of each row. The largest counts are marked, also if they are equal."""
    rows = [[*cells(line), "", ""][:3] for line in lines]
    counts = [sum(int(count) for count, *_ in _SEVERAL.findall(tokens)) for _, tokens, _ in rows]
    mark = "most" if counts.count(max(counts)) == 1 else "tied"
    items = []
    for (name, tokens, paid), count in zip(rows, counts, strict=True):
        pile = _SEVERAL.sub(lambda match: match[2] * int(match[1]), tokens).replace(",", "")
        items.append(
            format_html(
                '<tr><th scope="row">{}</th><td class="tokens">{}</td><td class="num"><b class="{}">{}</b></td>'
                '<td class="num paid">{}</td></tr>',
                draw(name),
                _silent(draw(pile)),
                mark if count == max(counts) else "",
                count,
                paid,
            )
        )
    return format_html("<table><tbody>{}</tbody></table>", format_html_join("", "{}", ((item,) for item in items)))


def _silent(html: SafeString) -> SafeString:
    """Hide drawings from screen readers; the number next to them has the same meaning."""
    return SafeString(re.sub(r' role="img" aria-label="[^"]*"', ' aria-hidden="true"', html))


def _pyramid(lines: Sequence[str], draw: Draw) -> SafeString:
    """Rows from the top down, each one place longer; empty lines part several pyramids, ``name:`` before each."""
    blocks = [block.split("\n") for block in "\n".join(lines).split("\n\n")]
    drawn = [(_one_pyramid(block, draw),) for block in blocks]
    return format_html('<div class="pyramids">{}</div>', format_html_join("", "{}", drawn))


def _one_pyramid(block: Sequence[str], draw: Draw) -> SafeString:
    name = block[0].removesuffix(":") if block[0].endswith(":") else ""
    rows = [(_row(cells(line), draw),) for line in block[1 if name else 0 :]]
    heading = format_html("<i>{}</i>", name) if name else SafeString()
    return format_html('<div class="pyramid">{}{}</div>', format_html_join("", "<div>{}</div>", rows), heading)


def _row(places: Sequence[str], draw: Draw) -> SafeString:
    niches = []
    for place in places:
        kind = "niche" if place == VACANT else "niche lit" if place.endswith(LIT) else "niche held"
        niches.append((kind, "" if place == VACANT else draw(place.removesuffix(LIT))))
    return format_html_join("", '<span class="{}">{}</span>', niches)


KINDS: Final[dict[str, Callable[[Sequence[str], Draw], SafeString]]] = {
    "chain": _chain,
    "steps": _steps,
    "cards": _cards,
    "piles": _piles,
    "pyramid": _pyramid,
}
"""The kinds of drawn examples; none of them is of one game only."""


# --- Texts -----------------------------------------------------------------------------------------------------------

_CODE: Final = re.compile(r"`([^`]+)`")
_COMMENT: Final = re.compile(r"(?m)^<!--.*?-->\n?", re.DOTALL)
_REMOVED_BY_GITHUB: Final = re.compile(r"[^\w\- ]")
_COUNT: Final = re.compile(rf"(\d+)((?:[ \u00a0]?{IN_BRACES})+)")


def drawing(name: str, kind: str, label: str = "", sheet: str = "sprite") -> SafeString:
    """Return one symbol of a sheet. Without ``label`` it is decoration, so the text next to it must say the same."""
    spoken = format_html(' role="img" aria-label="{}"', label) if label else SafeString(' aria-hidden="true"')
    return format_html(
        '<svg class="{}" width="20" height="20"{}><use href="{}#{}"></use></svg>',
        kind,
        spoken,
        static(f"esr/{sheet}.svg"),
        name,
    )


def drawn(text: str, game: Game) -> SafeString:
    """``text``, escaped, with a drawing for each token of ``game``; a number stays on the line of its drawing.

    So do the words of a picture.
    """
    kept = _COUNT.sub(_together, escape(text))
    for name, words in game.presentation.pictures.items() if "{" in kept else ():
        kept = re.sub(re.escape(f"{{{name}}} {escape(words)}"), _together, kept)
    return mark_safe(_TOKEN.sub(lambda match: _symbol(match, game), kept))  # noqa: S308 - escaped before


def _together(match: re.Match[str]) -> str:
    return f'<span class="count">{match[0]}</span>'


def coded(text: str) -> SafeString:
    """Escape ``text`` and mark the parts between backticks as code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(text)))  # noqa: S308 - escaped before


def _symbol(match: re.Match[str], game: Game) -> str:
    """The drawing of one token, silent where the text behind it says the same; no token of ``game`` stays text."""
    words = game.presentation.drawn.get(match[1])
    if words is None:
        return match[0]
    named = match.string.startswith(f" {words}", match.end())
    kind, parted, _ = match[1].partition("-")
    name = f"{game.presentation.drawing} {kind}" if parted else game.presentation.drawing
    return drawing(match[1], name, "" if named else gettext(words), f"drawings/{game.presentation.drawing}")


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


Address = Callable[[str], str | None]
"""The URL of a link or image in a document; ``None`` turns a link into plain text."""


def document(markdown: str, address: Address) -> Prose:
    """Render a page of documentation without its title. HTML comments are removed, other HTML is shown as text.

    Headings have the same anchors as on GitHub.
    """
    tokens, headings = markdown_tokens(markdown)
    tokens = _without_title(tokens)
    for token in tokens:
        if token.children:
            token.children = list(_addressed(token.children, address))
    _unhead_corners(tokens)
    lead = tokens[:3] if tokens and tokens[0].type == "paragraph_open" else []
    return Prose(_rendered(tokens), _rendered(lead), headings)


def markdown_tokens(markdown: str) -> tuple[list[Token], list[Heading]]:
    """Parse Markdown with tables and without HTML comments; its headings below the title have anchors."""
    tokens = _PARSER.parse(_COMMENT.sub("", markdown))
    return tokens, list(_anchored(_without_title(tokens), _github_anchor))


def _github_anchor(heading: str) -> str:
    return _REMOVED_BY_GITHUB.sub("", heading.lower()).replace(" ", "-")


def _addressed(tokens: Sequence[Token], address: Address) -> Iterator[Token]:
    dropped = False
    for token in tokens:
        if token.type == "link_close" and dropped:
            dropped = False
            continue
        attribute = {"link_open": "href", "image": "src"}.get(token.type)
        if attribute:
            url = address(unquote(str(token.attrs[attribute])))
            if url is None and token.type == "link_open":
                dropped = True
                continue
            token.attrSet(attribute, url or "")
        yield token


@lru_cache(maxsize=32)
def prose(markdown: str, game: Game) -> Prose:
    """Markdown with tables as HTML; HTML in it is text, and tokens are drawn. Its first-level heading is left out.

    The page shows its own title, so the other headings keep their levels.
    """
    tokens = _without_title(_PARSER.parse(markdown))
    _unhead_corners(tokens)
    drawn_words = game.presentation.drawn
    headings = list(_anchored(tokens, lambda text: slugify(text) or "part", lambda text: in_words(text, drawn_words)))
    lead = tokens[:3] if tokens and tokens[0].type == "paragraph_open" else []
    return Prose(_rendered(tokens, game), _rendered(lead, game), headings)


def _rendered(tokens: list[Token], game: Game | None = None) -> SafeString:
    with translation.override("en"):  # the language of the text and of its labels for screen readers
        html: str = _PARSER.renderer.render(tokens, _PARSER.options, {"game": game})
    return SafeString(html)  # the parser escapes all text


def _without_title(tokens: list[Token]) -> list[Token]:
    titled = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return tokens[3:] if titled else tokens


def _unhead_corners(tokens: list[Token]) -> None:
    """An empty heading of a column is the head of nothing: a plain cell."""
    for place, opening in enumerate(tokens):
        if opening.type == "th_open" and not tokens[place + 1].content:
            opening.tag = tokens[place + 2].tag = "td"


def _anchored(
    tokens: list[Token], anchor_of: Callable[[str], str], plain: Callable[[str], str] = str
) -> Iterator[Heading]:
    """Give every heading a unique id, and yield the headings."""
    used: dict[str, int] = {}
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = plain("".join(part.content for part in content.children or ()))
        anchor = name = anchor_of(text)
        while anchor in used:
            used[name] += 1
            anchor = f"{name}-{used[name]}"
        used[anchor] = 0
        opening.attrSet("id", anchor)
        yield Heading(int(opening.tag[1:]), text, anchor)


def _text(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    game = env["game"]
    return drawn(tokens[index].content, game) if game else escape(tokens[index].content)


def _fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A drawn example, or code as ever."""
    kind, _, caption = tokens[index].info.strip().partition(" ")
    if kind not in KINDS or not env["game"]:
        code = renderer.fence(tokens, index, options, env)
        return code.replace("<pre", '<pre tabindex="0"', 1)  # long lines scroll, also by keyboard
    return example(kind, caption.strip(), tokens[index].content, partial(drawn, game=env["game"]))


def _scrolling(kind: str) -> Any:
    """Put each table into a frame that scrolls, so that a wide table never widens the page."""

    def rule(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        html = renderer.renderToken(tokens, index, options, env)
        return f'<div class="scroll" tabindex="0">{html}' if kind == "table_open" else f"{html}</div>"

    return rule


def _align_by_class(state: StateCore) -> None:
    """Align the cells of tables by classes: the Content-Security-Policy forbids styles inside of elements."""
    for token in state.tokens:
        style = str(token.attrs.pop("style", ""))
        if style:
            token.attrSet("class", style.replace("text-align:", "align-"))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.core.ruler.push("align_by_class", _align_by_class)
    parser.add_render_rule("text", _text)
    parser.add_render_rule("fence", _fence)
    for kind in ("table_open", "table_close"):
        parser.add_render_rule(kind, _scrolling(kind))
    return parser


_PARSER: Final = _parser()
