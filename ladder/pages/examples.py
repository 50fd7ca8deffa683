"""Drawn examples of a guide: blocks of code in its Markdown whose first word is one of :data:`KINDS`.

The rest of that line is the caption. In a line of the block two spaces or more part its cells, and tokens are drawn, so
that the same block can be read as text where nothing is drawn::

    ```chain Every bid takes what lies one place to the left
    The display  {S24} {B9}
    abacus  {R20} {S24}  44
    ```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from games.words import IN_BRACES

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
    """The figure of a block. Raises ``KeyError`` for a ``kind`` that is none of :data:`KINDS`."""
    body = KINDS[kind](text.strip("\n").split("\n"), draw)
    told = format_html("<figcaption>{}</figcaption>", draw(caption)) if caption else SafeString()
    return format_html('<figure class="drawn drawn-{}">{}{}</figure>\n', kind, body, told)


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
    found = [[*cells(line), ""][:2] for line in lines]
    items = [
        format_html('<li><span class="tokens">{}</span> <i>{}</i></li>', draw(tokens), draw(why))
        for tokens, why in found
    ]
    return _listed(items)


def _cards(lines: Sequence[str], draw: Draw) -> SafeString:
    """Cards side by side: the number on the coin, and tokens."""
    found = [[*cells(line), ""][:2] for line in lines]
    items = [
        format_html('<li><b class="coin">{}</b> <span class="tokens">{}</span></li>', value, draw(tokens))
        for value, tokens in found
    ]
    return format_html("<ul>{}</ul>", format_html_join("", "{}", ((item,) for item in items)))


def _piles(lines: Sequence[str], draw: Draw) -> SafeString:
    """Who has how many: name, ``2 {R}, 3 {ghost-R}``, what it pays. Whoever has most is marked, alone or not."""
    rows = [[*cells(line), "", ""][:3] for line in lines]
    counts = [sum(int(count) for count, *_ in _SEVERAL.findall(tokens)) for _, tokens, _ in rows]
    mark = "most" if counts.count(max(counts)) == 1 else "tied"
    items = []
    for (name, tokens, paid), count in zip(rows, counts, strict=True):
        pile = _SEVERAL.sub(lambda found: found[2] * int(found[1]), tokens).replace(",", "")
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
    """Drawings beside a number that says the same."""
    return SafeString(re.sub(r' role="img" aria-label="[^"]*"', ' aria-hidden="true"', html))


def _pyramid(lines: Sequence[str], draw: Draw) -> SafeString:
    """Rows from the top down, each one place longer; empty lines part several pyramids, ``name:`` before each."""
    blocks = [block.split("\n") for block in "\n".join(lines).split("\n\n")]
    drawn = [(_one_pyramid(block, draw),) for block in blocks]
    return format_html('<div class="pyramids">{}</div>', format_html_join("", "{}", drawn))


def _one_pyramid(block: Sequence[str], draw: Draw) -> SafeString:
    name = block[0].removesuffix(":") if block[0].endswith(":") else ""
    rows = [(_row(cells(line), draw),) for line in block[1 if name else 0 :]]
    said = format_html("<i>{}</i>", name) if name else SafeString()
    return format_html('<div class="pyramid">{}{}</div>', format_html_join("", "<div>{}</div>", rows), said)


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
