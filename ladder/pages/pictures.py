"""Pictures for link previews (Open Graph) and icons, as PNG.

A picture is drawn as SVG in the light theme, from what everyone may see, and resvg renders it. Pictures are kept under
a hash of their SVG: a picture is rendered again only when its content changes, and old content is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal

import resvg_py
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.core.cache import caches
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.models import Bot
from games.game import Game
from games.registry import GAMES
from ladder.access import bot_seen_by, cup_seen_by, found, ladder_seen_by, matches_seen_by, person_seen_by
from ladder.matches.public_results import by_rank, result_of
from ladder.members.standings import standings_of
from ladder.models import Ladder, Match, Membership
from ladder.openness import opened
from ladder.pages.components.people import player_name
from ladder.pages.components.responses import too_many
from ladder.pages.components.words import day, fitted, grouped, points, seats, text_width, visible
from ladder.pages.cups import CupPage, cup_page
from ladder.pages.matches import names, reached, seats_shown
from ladder.pages.templatetags.people import person_name

# --- Drawing ---------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 1200, 630
MARGIN: Final = 64
ROWS_PER_PICTURE: Final = 5

_COLOUR: Final = re.compile(r"(--[\w-]+): (?:light-dark\((#\w+), #\w+\)|(#\w+));")
_VIEW_BOX: Final = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_VARIABLE: Final = re.compile(r"var\((--[\w-]+)\)")
_FONT: Final = "Source Serif Pro"
_Text = Literal["optimize_speed", "optimize_legibility"]
_Shape = Literal["optimize_speed", "geometric_precision"]


@dataclass(frozen=True)
class PictureRow:
    """A line of a picture: a rank, the symbol of a seat or nothing, a name, and a value at the right."""

    name: str
    value: str
    rank: str = ""
    symbol: str = ""


@dataclass(frozen=True)
class Picture:
    """The content of a picture. ``symbols`` are drawn below the title if there are no rows, as (sheet, name)."""

    title: str
    subtitle: str
    rows: Sequence[PictureRow] = ()
    symbols: Sequence[tuple[str, str]] = ()

    @property
    def svg(self) -> str:
        parts = [_symbol("sprite", "logo", MARGIN, 38, 58), _text(settings.SITE_NAME, MARGIN + 76, 80, 40, 700)]
        parts += [_rule(112, "ink"), _rule(118, "ink")]
        lines = _lines(self.title, 56, WIDTH - 2 * MARGIN)
        parts += [_text(line, MARGIN, 192 + 66 * place, 56) for place, line in enumerate(lines)]
        below = 192 + 66 * (len(lines) - 1) + 48
        parts.append(_text(fitted(self.subtitle, 30, WIDTH - 2 * MARGIN), MARGIN, below, 30, colour="ink2"))
        parts += self._rows(below + 28) if self.rows else self._symbols()
        return _document("".join(parts), WIDTH, HEIGHT)

    def _rows(self, top: int) -> Iterable[str]:
        height = min(68, (HEIGHT - 24 - top) // len(self.rows))
        for place, row in enumerate(self.rows):
            y = top + height * place
            yield _rule(y, "rule")
            line = y + height // 2 + 12
            if row.symbol:
                yield _symbol("sprite", row.symbol, MARGIN, y + height // 2 - 18, 36)
            elif row.rank:
                yield _text(row.rank, MARGIN, line, 30, colour="ink2")
            left = MARGIN + 60 if row.symbol or row.rank else MARGIN
            yield _text(fitted(row.name, 36, 800), left, line, 36)
            yield _text(row.value, WIDTH - MARGIN, line, 36, 700, anchor="end")

    def _symbols(self) -> Iterable[str]:
        height, top = 176, HEIGHT - MARGIN - 176
        x = MARGIN
        for sheet, name in self.symbols:
            width = round(height * _proportion(sheet, name))
            yield _symbol(sheet, name, x, top, width, height)
            x += width + 16


def _rule(y: int, colour: str) -> str:
    return f'<path d="M{MARGIN} {y}H{WIDTH - MARGIN}" stroke="var(--{colour})" stroke-width="2"/>'


def _document(drawn: str, width: int, height: int) -> str:
    """A complete SVG with the symbols that ``drawn`` uses and the colors of the light theme."""
    used = "".join(
        _symbols_of(sheet)[name] for sheet, name in sorted(set(re.findall(r'href="#(\w+)/([\w-]+)"', drawn)))
    )
    paper = f'<rect width="{width}" height="{height}" fill="var(--paper)"/>'
    text = f"<defs>{used}</defs>{paper}{drawn}"
    text = _VARIABLE.sub(lambda variable: _colours().get(variable[1], _FONT), text)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{text}</svg>'


def _text(text: str, x: int, y: int, size: int, weight: int = 400, colour: str = "ink", anchor: str = "start") -> str:
    style = f'font-family="{_FONT}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" fill="var(--{colour})" {style}>{escape(visible(text))}</text>'


def _symbol(sheet: str, name: str, x: int, y: int, width: int, height: int | None = None) -> str:
    return f'<use href="#{sheet}/{name}" x="{x}" y="{y}" width="{width}" height="{height or width}"/>'


def _static(name: str) -> str:
    return Path(str(finders.find(f"esr/{name}"))).read_text(encoding="utf-8")


@cache
def _colours() -> Mapping[str, str]:
    """The custom properties of the light theme, of the site and of all drawings."""
    drawings = {game.presentation.drawing for game in GAMES.values()}
    styles = [f"drawings/{name}.css" for name in sorted(drawings) if finders.find(f"esr/drawings/{name}.css")]
    sheets = "".join(map(_static, ["tokens.css", *styles]))
    return {name: light or both for name, light, both in _COLOUR.findall(sheets)}


@cache
def _symbols_of(sheet: str) -> Mapping[str, str]:
    """The symbols of a sheet by name. Their ids begin with the name of the sheet, because sheets share names."""
    drawn = _static("sprite.svg" if sheet == "sprite" else f"drawings/{sheet}.svg")
    return {
        name: f'<symbol id="{sheet}/{name}"{rest}</symbol>'
        for name, rest in re.findall(r'<symbol id="([\w-]+)"(.*?)</symbol>', drawn, re.DOTALL)
    }


def _proportion(sheet: str, name: str) -> float:
    """The width of a symbol divided by its height."""
    width, height = _VIEW_BOX.findall(_symbols_of(sheet)[name])[0]
    return float(width) / float(height)


def _lines(text: str, size: int, width: int) -> list[str]:
    """``text`` in one or two lines."""
    words, first = text.split(), ""
    while words and text_width(f"{first} {words[0]}".strip(), size) <= width:
        first = f"{first} {words.pop(0)}".strip()
    return [first, fitted(" ".join(words), size, width)] if first and words else [fitted(text, size, width)]


# --- Rendering -------------------------------------------------------------------------------------------------------

MAX_BYTES: Final = 60_000
_VERSION: Final = f"1/{resvg_py.__version__}"
_SMOOTHNESS: Final[Sequence[tuple[_Text, _Shape]]] = (
    ("optimize_legibility", "geometric_precision"),
    ("optimize_speed", "geometric_precision"),
    ("optimize_speed", "optimize_speed"),
)
"""How texts and shapes are rendered: first smooth, then without smooth edges, which takes a third of the bytes."""

_OWN_LETTERS: Final = 0x530
"""The font has Latin, Greek and Cyrillic letters. For others, the fonts of the machine are read, which takes longer."""

_LOCK: Final = Lock()
"""One picture at a time is rendered in a process, so that pictures never take the cores of pages."""


def rendered(svg: str, width: int) -> bytes:
    """The PNG of ``svg``, ``width`` pixels wide and at most :data:`MAX_BYTES` long, rendered at most once."""
    key = sha256(f"{_VERSION}/{width}/{svg}".encode()).hexdigest()
    png: bytes | None = caches["pictures"].get(key)
    if png is None:
        with _LOCK:
            png = caches["pictures"].get(key)
            if png is None:
                png = _smallest(svg, width)
                caches["pictures"].set(key, png)
    return png


def _smallest(svg: str, width: int) -> bytes:
    """The first rendering that is small enough, or the last one."""
    png = b""
    for text, shape in _SMOOTHNESS:
        png = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=_fonts(),
            font_family=_FONT,
            skip_system_fonts=all(ord(char) < _OWN_LETTERS or 0x2000 <= ord(char) < 0x2100 for char in svg),
            text_rendering=text,
            shape_rendering=shape,
        )
        if len(png) <= MAX_BYTES:
            break
    return png


@cache
def _fonts() -> list[str]:
    folder = files("font_source_serif_pro") / "files"
    return [str(folder / f"SourceSerifPro-{weight}.ttf") for weight in ("Regular", "Bold")]


# --- The pictures ----------------------------------------------------------------------------------------------------


def _of_site() -> Picture:
    return Picture(
        _("Board games for bots and human players"),
        " · ".join(game.name for game in GAMES.values()),
        symbols=_cover_of_the_first(),
    )


def _of_rules(slug: str) -> Picture:
    game = GAMES.get(slug)
    if game is None:
        raise Http404(_("Game not found."))
    return Picture(game.name, _("Rules"), symbols=_cover_of(game))


def _of_ladder(slug: str) -> Picture:
    ladder = ladder_seen_by(AnonymousUser(), slug)
    rows = [
        PictureRow(player_name(row.bot), points(row.rating), rank=str(row.rank))
        for row in standings_of(ladder, ROWS_PER_PICTURE)
    ]
    return Picture(ladder.name, _("Ladder"), rows, _cover_of(GAMES[ladder.game]))


def _of_bot(slug: str) -> Picture:
    bot = bot_seen_by(AnonymousUser(), slug)
    if bot.kind == Bot.Kind.PERSON:
        raise Http404(_("Bot not found."))
    by = _("House bot") if bot.owner is None else _("Bot by %(owner)s") % {"owner": person_name(bot.owner)}
    return Picture(bot.name, by, _ratings(Membership.objects.filter(bot=bot)), _cover_of_the_first())


def _of_person(username: str) -> Picture:
    person = person_seen_by(AnonymousUser(), username)
    by_hand = Membership.objects.filter(bot__owner=person, bot__kind=Bot.Kind.PERSON)
    return Picture(person.username, _("Player"), _ratings(by_hand), _cover_of_the_first())


def _of_match(match_id: int) -> Picture:
    seen = matches_seen_by(AnonymousUser()).filter(opened("block"), status=Match.Status.FINISHED)
    match = found(seen.select_related("ladder").prefetch_related(seats_shown()), _("Match not found."), pk=match_id)
    called = names(list(match.seats.all()))
    rows = [
        PictureRow(called[seat.index], reached(match, seat), symbol=f"mark-{seat.index + 1}")
        for seat in by_rank(match)
        if result_of(seat)
    ]
    number = _("Match %(number)s") % {"number": grouped(match.pk)}
    ended = f" · {day(match.ended)}" if match.ended else ""
    return Picture(match.ladder.name, f"{number}{ended}", rows, _cover_of(GAMES[match.ladder.game]))


def _of_cup(slug: str) -> Picture:
    cup = cup_seen_by(AnonymousUser(), slug)
    page = cup_page(cup, None)
    game = GAMES[cup.ladder.game]
    subtitle = f"{_('Cup')} · {page.format} · {game.name}, {seats(cup.ladder.seats)}"
    return Picture(cup.title, subtitle, _standings_of(page) or _times_of(page), _cover_of(game))


def _standings_of(page: CupPage) -> list[PictureRow]:
    """The best entrants once a round has ended, with their match points."""
    best = [row for row in list(page.rows)[:ROWS_PER_PICTURE] if row.standing]
    return [
        PictureRow(row.entry.bot.name, grouped(row.standing.match_points), rank=str(row.standing.rank))
        for row in best
        if row.standing
    ]


def _times_of(page: CupPage) -> list[PictureRow]:
    entered = page.rows.paginator.count
    return [
        PictureRow(_("Registration closes"), page.closes.utc),
        PictureRow(_("Start"), page.starts.utc),
        PictureRow(_("Entrants"), f"{grouped(entered)} / {grouped(page.cup.capacity)}"),
    ]


def _ratings(memberships: QuerySet[Membership]) -> list[PictureRow]:
    """The best ratings on public ladders."""
    seen = memberships.filter(ladder__in=Ladder.objects.visible_to(AnonymousUser()), games__gt=0)
    best = seen.select_related("ladder").order_by("-rating", "pk")[:ROWS_PER_PICTURE]
    return [PictureRow(membership.ladder.name, points(membership.rating)) for membership in best]


def _cover_of(game: Game) -> Sequence[tuple[str, str]]:
    return [(game.presentation.drawing, name) for name in game.presentation.cover]


def _cover_of_the_first() -> Sequence[tuple[str, str]]:
    """The symbols of the first game, for pictures that are about no game."""
    return _cover_of(next(iter(GAMES.values())))


_PICTURES: Final[Mapping[str, Callable[..., Picture]]] = {
    "site": _of_site,
    "rules": _of_rules,
    "ladder": _of_ladder,
    "bot": _of_bot,
    "person": _of_person,
    "match": _of_match,
    "cup": _of_cup,
}
PICTURES_PACE: Final = "pictures"
"""The scope of pictures, in ``settings.REQUESTS_PER_MINUTE``."""


@require_safe
def picture(request: HttpRequest, kind: str, **of: Any) -> HttpResponse:
    """The picture of a page, the same for every reader. Raises ``Http404`` unless everyone may see the content."""
    refused = too_many(request, PICTURES_PACE)
    if refused:
        return refused
    with translation.override(settings.LANGUAGE_CODE):
        svg = _PICTURES[kind](**of).svg
    return _png(rendered(svg, WIDTH), 3600)


# --- Icons -----------------------------------------------------------------------------------------------------------

ICONS: Final = (180, 192, 512)
_ICO: Final = bytes.fromhex("0000010001002020000001002000") + b"%s" + (22).to_bytes(4, "little")


@require_safe
def icon(_request: HttpRequest, size: int) -> HttpResponse:
    """The logo on paper, for home screens of phones."""
    if size not in ICONS:
        raise Http404
    return _png(rendered(_logo(), size), 7 * 86_400)


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """The logo as an ICO file with one PNG of 32 pixels, for browsers that request this path themselves."""
    png = rendered(_logo(), 32)
    response = _png(_ICO % len(png).to_bytes(4, "little") + png, 7 * 86_400)
    response.headers["Content-Type"] = "image/x-icon"
    return response


def _logo() -> str:
    return _document(_symbol("sprite", "logo", 16, 16, 96), 128, 128)


def _png(content: bytes, seconds: int) -> HttpResponse:
    response = HttpResponse(content, content_type="image/png")
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return response
