"""All endpoints of the site, classified by what they can show of a running game, and how to read them.

A new endpoint must be classified here before the tests pass (``test_endpoints``). They then check it like the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import product
from typing import Any

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

_FORM_TOKEN = re.compile(r'(name="(?:csrfmiddlewaretoken|token|secret)" value=")[^"]*')
_CLOCK = re.compile(r"(<time data-clock>)[^<]*")
_SPAN = re.compile("\\d+(\\.\\d+)?\u00a0(s|min)\\b")
"""Since when something is: the clock goes on, whatever is played."""

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


class Exposure(Enum):
    """What an endpoint shows of a running live game."""

    NAMES = auto()
    """At most the players and the start time: the response does not change while a round is played."""

    CUT = auto()
    """The table, with a one-round delay."""

    ENDED = auto()
    """Nothing before the game ends; everything after that."""

    SEAT = auto()
    """The view of one seat, only for the token of its bot or the session of its player.

    ``test_hidden_choices`` tests the pages of live tables.
    """

    ACTS = auto()
    """Nothing: the endpoint accepts only POST requests."""

    APART = auto()
    """Nothing: the page contains no games."""


JUDGED: Mapping[Exposure, str] = {
    Exposure.CUT: """
        matches/<int:match_id>/ matches/<int:match_id>/rounds/
        api/v1/matches/<int:match>/view api/v1/matches/<int:match>/stream
    """,
    Exposure.ENDED: """
        matches/<int:match_id>/record matches/<int:match_id>/replay.json
        embed/<int:match_id>/ pictures/matches/<int:match_id>.png
        api/v1/matches/<int:match_id>/record api/v1/matches/<int:match_id>/log api/v1/matches/<int:match_id>/replay
    """,
    Exposure.SEAT: """
        api/v1/bot api/v1/bot/stream api/v1/bot/decision api/v1/matches/<int:match>/decision
        api/v1/matches/<int:match>/seat/stream
    """,
    Exposure.NAMES: """
        cups/<slug:slug>/withdraw/ cups/<slug:slug>/desk/ cups/<slug:slug>/desk/settings/ cups/<slug:slug>/desk/pause/
        cups/<slug:slug>/desk/cancel/ cups/<slug:slug>/desk/entries/<slug:bot>/
        cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/
        / cups/ cups/calendar.ics cups/<slug:slug>/calendar.ics
        cups/<slug:slug>/ cups/<slug:slug>/rounds/<int:number>/ cups/<slug:slug>/ledger/
        cups/<slug:slug>/ledger.json cups/<slug:slug>/standings.csv cups/<slug:slug>/results.csv
        ladders/ ladders/<slug:slug>/ ladders/<slug:slug>/integrity/ ladders/<slug:slug>/ledger.jsonl
        ladders/<slug:slug>/standings.csv ladders/<slug:slug>/feed.atom ladders/<slug:slug>/statistics/
        ladders/<slug:slug>/statistics/head-to-head/ ladders/<slug:slug>/bots/<slug:bot>/ ladders/<slug:slug>/seasons/
        ladders/<slug:slug>/seasons/<int:number>/ ladders/<slug:slug>/seasons/<int:number>/deals.jsonl
        ladders/<slug:slug>/members/ ladders/<slug:slug>/correct/merge/ ladders/<slug:slug>/correct/k/
        ladders/<slug:slug>/test/ ladders/<slug:slug>/compare/ ladders/<slug:slug>/schedule/
        ladders/<slug:slug>/seasons/<int:number>/close/ ladders/<slug:slug>/seasons/open/
        matches/ matches/<int:match_id>/correct/ exhibitions/ exhibitions/<int:exhibition_id>/
        matches/<int:match_id>/seats/<int:index>/log/ matches/<int:match_id>/seats/<int:index>/log.json
        compare/ compare/<slug:first>/<slug:second>/ search/ search/suggestions/ people/<str:username>/
        bots/ bots/mine/ bots/<slug:slug>/ bots/<slug:slug>/waits/ bots/<slug:slug>/feed.atom
        bots/<slug:slug>/versions/<int:number>/ bots/<slug:slug>/declare/
        staff/trail/ staff/bots/<int:bot_id>/ staff/people/<str:username>/ staff/reports/ staff/reports/<int:bot_id>/
        pictures/ladders/<slug:slug>.png pictures/bots/<slug:slug>.png pictures/people/<str:username>.png
        pictures/cups/<slug:slug>.png sitemap.xml
        staff/ staff/collusion/ staff/collusion/<slug:slug>/ staff/collusion/cups/<slug:slug>/
        staff/sandboxes/ staff/ladders/new/ staff/operations/ staff/roles/ metrics account/export/
        staff/operations/<slug:action>/<str:subject>/
        api/v1/games api/v1/ladders api/v1/ladders/<slug:slug> api/v1/ladders/<slug:slug>/members
        api/v1/ladders/<slug:slug>/members/<slug:bot> api/v1/ladders/<slug:slug>/matches
        api/v1/ladders/<slug:slug>/records api/v1/ladders/<slug:slug>/seasons
        api/v1/ladders/<slug:slug>/seasons/<int:number> api/v1/ladders/<slug:slug>/seasons/<int:number>/standings
        api/v1/bots api/v1/bots/<slug:slug> api/v1/bots/<slug:slug>/versions
        api/v1/bots/<slug:slug>/versions/<int:number> api/v1/bots/<slug:slug>/ratings api/v1/bots/<slug:slug>/matches
        api/v1/matches api/v1/matches/<int:match_id> api/v1/head-to-head api/v1/people/<str:username>
        api/v1/exhibitions api/v1/exhibitions/<int:exhibition_id> api/v1/challenges/<int:challenge_id>
        api/v1/matches/<int:match>/viewers api/v1/lobby/stream
        api/v1/cups api/v1/cups/<slug:slug> api/v1/cups/<slug:slug>/standings api/v1/cups/<slug:slug>/rounds
        api/v1/cups/<slug:slug>/rounds/<int:number> api/v1/cups/<slug:slug>/ledger api/v1/cups/<slug:slug>/entries
        play/ play/parts/ play/tables/<int:match_id>/
        play/tables/<int:match_id>/moves/ play/challenge/<slug:slug>/ play/challenge/people/<str:username>/
        staff/chat/ staff/cups/ staff/cups/<int:cup_id>/
    """,
    Exposure.ACTS: """
        cups/<slug:slug>/desk/resume/ cups/<slug:slug>/desk/organizers/ cups/<slug:slug>/desk/workers/
        cups/<slug:slug>/desk/organizers/<int:person_id>/
        api/v1/bots/<slug:slug>/versions/<int:number>/activate api/v1/challenges
        api/v1/challenges/<int:challenge_id>/accept api/v1/challenges/<int:challenge_id>/decline
        api/v1/challenges/<int:challenge_id>/withdraw
        api/v1/remote-bots api/v1/remote-bots/<slug:slug>/versions
        api/v1/matches/<int:match>/decisions/<int:number> account/tokens/<int:token_id>/revoke/
        account/tokens/revoke/ account/terms/ language/
        exhibitions/<int:exhibition_id>/cancel/ exhibitions/<int:exhibition_id>/answer/
        ladders/<slug:slug>/members/link/ ladders/<slug:slug>/members/bots/ ladders/<slug:slug>/members/accept/
        ladders/<slug:slug>/members/<int:person_id>/remove/
        bots/<slug:slug>/ladders/ bots/<slug:slug>/resume/ bots/<slug:slug>/restore/
        bots/<slug:slug>/source/hide/ bots/<slug:slug>/versions/<int:number>/activate/
        api/v1/matches/<int:match>/seat/resign api/v1/matches/<int:match>/seat/abort
        api/v1/matches/<int:match>/seat/claim api/v1/matches/<int:match>/seat/return
        api/v1/matches/<int:match>/seat/chat api/v1/matches/<int:match>/seat/rematch
        api/v1/matches/<int:match>/seat/report
        play/now/ play/offer/ play/look/ play/stop/ play/open-games/<int:game_id>/join/
        play/open-games/<int:game_id>/leave/ play/open-games/<int:game_id>/withdraw/
        play/challenges/<int:challenge_id>/answer/ play/tables/<int:match_id>/answer/
        play/tables/<int:match_id>/act/ play/tables/<int:match_id>/rematch/
        account/chat/ account/feed/url/ staff/chat/<int:line_id>/ staff/guests/<int:seat_id>/
        matches/<int:match_id>/guests/<int:seat>/report/ cups/<slug:slug>/enter/
        cups/<slug:slug>/report/ api/v1/cups/<slug:slug>/entries/<slug:bot>
        api/v1/cups/<slug:slug>/entries/<slug:bot>/remove api/v1/cups/<slug:slug>/pause
        api/v1/cups/<slug:slug>/resume api/v1/cups/<slug:slug>/cancel api/v1/cups/<slug:slug>/rulings
        api/v1/cups/<slug:slug>/organizers/<str:username>
        api/worker/work
        api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/renew
        api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/code
        api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/result
        api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/give-up
    """,
    Exposure.APART: """
        cups/new/
        account/ account/login/ account/name/ account/delete/ account/emails/ account/emails/off/<str:signed>/
        account/feed/<str:signed>/news.atom account/tokens/ account/2fa/webauthn/login/ terms/
        words/<slug:language>/<slug:version>.json
        pictures/site.png pictures/rules/<slug:slug>.png icons/<int:size>.png favicon.ico manifest.webmanifest
        robots.txt ladders/invitations/<str:token>/
        bots/new/ bots/new/remote/ bots/starter/<slug:slug>.zip bots/<slug:slug>/upload/ bots/<slug:slug>/settings/
        bots/<slug:slug>/retire/ bots/<slug:slug>/source/publish/ bots/<slug:slug>/versions/<int:number>/source/
        bots/<slug:slug>/versions/<int:number>/download bots/<slug:slug>/report/
        docs/ docs.md docs/search/ docs/images/<str:name> docs/<path:slug>/ docs/<path:slug>.md llms.txt
        rules/ rules/<slug:slug>/ rules/<slug:slug>.md rules/<slug:slug>/tutorial/ about/ play/links/<str:token>/
        api/v1/ api/v1/redoc api/v1/schema api/v1/errors api/v1/token api/v1/uploads/limits api/v1/games/<slug:slug>
        api/v1/games/<slug:slug>/schemas/<slug:document>
    """,
}

STREAMS = (
    "api/v1/matches/<int:match>/stream",
    "api/v1/matches/<int:match>/seat/stream",
    "api/v1/bot/stream",
    "api/v1/lobby/stream",
)
"""Responses without an end."""


def judged() -> dict[str, Exposure]:
    """The exposure of every endpoint by its route. A route must not be listed twice."""
    exposures: dict[str, Exposure] = {}
    for exposure, routes in JUDGED.items():
        for route in routes.split():
            key = "" if route == "/" else route
            assert key not in exposures, f"{route} is listed twice"
            exposures[key] = exposure
    return exposures


def routes(patterns: Sequence[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    """Every route in the site's own table, but for those of allauth, which knows of no game."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif not pattern.callback.__module__.startswith("allauth."):
            yield route


def filled(route: str, values: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """The addresses of ``route`` with every combination of ``values``, by the names of its parameters."""
    names = _PARAMETER.findall(route)
    for chosen in product(*(values.get(name, [1]) for name in names)):
        arguments = iter(chosen)
        yield "/" + _PARAMETER.sub(lambda _, arguments=arguments: str(next(arguments)), route)


def read(client: Client, address: str, **headers: Any) -> tuple[int, str]:
    """Status and all that comes back, head and body. What is different each time and means nothing is left out."""
    response = client.get(address, **headers)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    of_the_body = ("ETag", "Content-Length") if "html" in response.headers.get("Content-Type", "") else ()
    kept = ("Expires", "Cache-Control", "RateLimit")  # caches may keep less for a recognized user; requests are counted
    headers = {name: value for name, value in response.headers.items() if name not in (*kept, *of_the_body)}
    text = f"{headers}\n{body.decode(errors='replace')}"
    return response.status_code, timeless(_CLOCK.sub(r"\1", _FORM_TOKEN.sub(r"\1", text)))


def timeless(text: str) -> str:
    """``text`` with the same words for every duration."""
    return _SPAN.sub("a while", text)
