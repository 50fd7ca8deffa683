"""Who may open and change what: a matrix of all routes of the site by role.

A new route or method must be entered here. What a page with status 200 hides from a role is tested with the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot, BotVersion
from esr_platform.account_pages.digests import unsubscribe_url
from esr_platform.account_pages.notifications import path_of
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Role, Scope, User, flags_of
from ladder.exhibitions.requests import request_scheduled
from ladder.members.memberships import register
from ladder.models import ChatLine, Cup, Exhibition, Invitation, Ladder, Match, Proposal, ProposalPlayer
from tests.build import (
    active_version,
    built_once,
    finish_game,
    finished_block,
    new_version,
    opened_house,
    players_of,
    scheduled,
    signed_in,
    uploaded,
    verified,
)
from tests.esr_platform.endpoints import filled, routes
from tests.ladder.cups.cups import due, entered, house_bots, new_cup
from tests.ladder.matchmaking.people import player
from tests.ladder.pages.lobby.meeting import met

pytestmark = pytest.mark.django_db

ROLES: Final = ("visitor", "user", "owner", "member", "organizer", "moderator", "operator", "admin")
"""The last three belong to the site staff. On the public ladder, ``owner`` has the bots, seats and requests, and
``organizer`` the cup. On the private one, ``member`` has all of them."""

MATRIX: Final = """
DELETE private 401 404 404 200 404 200 200 200
    api/v1/cups/<slug:slug>/organizers/<str:username> api/v1/exhibitions/<int:exhibition_id>
DELETE private 401 404 404 200 404 403 403 403
    api/v1/ladders/<slug:slug>/members/<slug:bot>
DELETE private 401 404 404 200 404 not_your_bot not_your_bot not_your_bot
    api/v1/cups/<slug:slug>/entries/<slug:bot>
DELETE public 401 403 200 403 403 200 200 200
    api/v1/exhibitions/<int:exhibition_id>
DELETE public 401 403 200 403 403 403 403 403
    api/v1/ladders/<slug:slug>/members/<slug:bot>
DELETE public 401 not_organizer not_organizer not_organizer 200 200 200 200
    api/v1/cups/<slug:slug>/organizers/<str:username>
DELETE public 401 not_your_bot 200 not_your_bot not_your_bot not_your_bot not_your_bot not_your_bot
    api/v1/cups/<slug:slug>/entries/<slug:bot>
GET hidden 404 404 200 404 404 200 200 200
    api/v1/bots/<slug:slug> api/v1/bots/<slug:slug>/matches api/v1/bots/<slug:slug>/ratings
    api/v1/bots/<slug:slug>/versions api/v1/bots/<slug:slug>/versions/<int:number> bots/<slug:slug>/
    bots/<slug:slug>/versions/<int:number>/download bots/<slug:slug>/versions/<int:number>/source/
    bots/<slug:slug>/waits/
GET hidden 404 404 404 404 404 404 404 404
    bots/<slug:slug>/feed.atom pictures/bots/<slug:slug>.png
GET hidden login 404 200 404 404 200 200 200
    bots/<slug:slug>/report/ bots/<slug:slug>/versions/<int:number>/
GET hidden login 404 200 404 404 403 403 403
    bots/<slug:slug>/retire/ bots/<slug:slug>/settings/ bots/<slug:slug>/source/publish/ bots/<slug:slug>/upload/
GET hidden login 404 404 404 404 403 403 403
    bots/<slug:slug>/declare/
GET private 401 404 404 200 404 404 404 404
    api/v1/challenges/<int:challenge_id> api/v1/matches/<int:match>/seat/stream
GET private 401 404 404 404 404 404 404 404
    api/v1/matches/<int:match>/decision
GET private 404 404 404 200 404 200 200 200
    api/v1/cups/<slug:slug> api/v1/cups/<slug:slug>/entries api/v1/cups/<slug:slug>/ledger
    api/v1/cups/<slug:slug>/rounds api/v1/cups/<slug:slug>/rounds/<int:number> api/v1/cups/<slug:slug>/standings
    api/v1/exhibitions/<int:exhibition_id> api/v1/ladders/<slug:slug> api/v1/ladders/<slug:slug>/matches
    api/v1/ladders/<slug:slug>/members api/v1/ladders/<slug:slug>/records api/v1/ladders/<slug:slug>/seasons
    api/v1/ladders/<slug:slug>/seasons/<int:number> api/v1/ladders/<slug:slug>/seasons/<int:number>/standings
    api/v1/matches/<int:match>/stream api/v1/matches/<int:match>/view api/v1/matches/<int:match>/viewers
    api/v1/matches/<int:match_id> api/v1/matches/<int:match_id>/log api/v1/matches/<int:match_id>/record
    api/v1/matches/<int:match_id>/replay cups/<slug:slug>/ cups/<slug:slug>/ledger.json cups/<slug:slug>/ledger/
    cups/<slug:slug>/results.csv cups/<slug:slug>/rounds/<int:number>/ cups/<slug:slug>/standings.csv
    exhibitions/<int:exhibition_id>/ ladders/<slug:slug>/ ladders/<slug:slug>/bots/<slug:bot>/
    ladders/<slug:slug>/integrity/ ladders/<slug:slug>/ledger.jsonl ladders/<slug:slug>/seasons/
    ladders/<slug:slug>/seasons/<int:number>/ ladders/<slug:slug>/seasons/<int:number>/deals.jsonl
    ladders/<slug:slug>/standings.csv ladders/<slug:slug>/statistics/ ladders/<slug:slug>/statistics/head-to-head/
    matches/<int:match_id>/ matches/<int:match_id>/record matches/<int:match_id>/replay.json
    matches/<int:match_id>/rounds/ play/links/<str:token>/
GET private 404 404 404 200 404 302 302 302
    play/tables/<int:match_id>/ play/tables/<int:match_id>/moves/
GET private 404 404 404 404 404 404 404 404
    cups/<slug:slug>/calendar.ics embed/<int:match_id>/ ladders/<slug:slug>/feed.atom pictures/cups/<slug:slug>.png
    pictures/ladders/<slug:slug>.png pictures/matches/<int:match_id>.png
GET private login 404 404 200 404 200 200 200
    cups/<slug:slug>/desk/ cups/<slug:slug>/desk/cancel/ cups/<slug:slug>/desk/entries/<slug:bot>/
    cups/<slug:slug>/desk/pause/ cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/ cups/<slug:slug>/desk/settings/
    cups/<slug:slug>/report/ cups/<slug:slug>/withdraw/ ladders/<slug:slug>/compare/ ladders/<slug:slug>/schedule/
    ladders/<slug:slug>/test/
GET private login 404 404 404 404 200 200 200
    ladders/<slug:slug>/correct/k/ ladders/<slug:slug>/correct/merge/ matches/<int:match_id>/correct/
GET private login 404 404 404 404 404 200 200
    ladders/<slug:slug>/members/
GET private login 404 404 404 404 404 404 404
    matches/<int:match_id>/seats/<int:index>/log.json matches/<int:match_id>/seats/<int:index>/log/
GET public 200 200 200 200 200 200 200 200
    / about/ account/emails/off/<str:signed>/ account/feed/<str:signed>/news.atom api/v1/ api/v1/bots
    api/v1/bots/<slug:slug> api/v1/bots/<slug:slug>/matches api/v1/bots/<slug:slug>/ratings
    api/v1/bots/<slug:slug>/versions api/v1/bots/<slug:slug>/versions/<int:number> api/v1/cups api/v1/cups/<slug:slug>
    api/v1/cups/<slug:slug>/entries api/v1/cups/<slug:slug>/ledger api/v1/cups/<slug:slug>/rounds
    api/v1/cups/<slug:slug>/rounds/<int:number> api/v1/cups/<slug:slug>/standings api/v1/errors
    api/v1/exhibitions/<int:exhibition_id> api/v1/games api/v1/games/<slug:slug>
    api/v1/games/<slug:slug>/schemas/<slug:document> api/v1/head-to-head api/v1/ladders api/v1/ladders/<slug:slug>
    api/v1/ladders/<slug:slug>/matches api/v1/ladders/<slug:slug>/members api/v1/ladders/<slug:slug>/records
    api/v1/ladders/<slug:slug>/seasons api/v1/ladders/<slug:slug>/seasons/<int:number>
    api/v1/ladders/<slug:slug>/seasons/<int:number>/standings api/v1/lobby/stream api/v1/matches
    api/v1/matches/<int:match>/stream api/v1/matches/<int:match>/view api/v1/matches/<int:match>/viewers
    api/v1/matches/<int:match_id> api/v1/matches/<int:match_id>/log api/v1/matches/<int:match_id>/record
    api/v1/matches/<int:match_id>/replay api/v1/people/<str:username> api/v1/redoc api/v1/schema api/v1/uploads/limits
    bots/ bots/<slug:slug>/ bots/<slug:slug>/feed.atom bots/<slug:slug>/waits/ bots/new/ bots/new/remote/
    bots/starter/<slug:slug>.zip compare/ compare/<slug:first>/<slug:second>/ cups/ cups/<slug:slug>/
    cups/<slug:slug>/calendar.ics cups/<slug:slug>/ledger.json cups/<slug:slug>/ledger/ cups/<slug:slug>/results.csv
    cups/<slug:slug>/rounds/<int:number>/ cups/<slug:slug>/standings.csv cups/calendar.ics docs.md docs/
    docs/<path:slug>.md docs/<path:slug>/ docs/images/<str:name> docs/search/ embed/<int:match_id>/ exhibitions/
    exhibitions/<int:exhibition_id>/ favicon.ico icons/<int:size>.png llms.txt ladders/ ladders/<slug:slug>/
    ladders/<slug:slug>/bots/<slug:bot>/
    ladders/<slug:slug>/feed.atom ladders/<slug:slug>/integrity/ ladders/<slug:slug>/ledger.jsonl
    ladders/<slug:slug>/seasons/ ladders/<slug:slug>/seasons/<int:number>/
    ladders/<slug:slug>/seasons/<int:number>/deals.jsonl ladders/<slug:slug>/standings.csv
    ladders/<slug:slug>/statistics/ ladders/<slug:slug>/statistics/head-to-head/ manifest.webmanifest matches/
    matches/<int:match_id>/ matches/<int:match_id>/record matches/<int:match_id>/replay.json
    matches/<int:match_id>/rounds/ people/<str:username>/ pictures/bots/<slug:slug>.png pictures/cups/<slug:slug>.png
    pictures/ladders/<slug:slug>.png pictures/matches/<int:match_id>.png pictures/people/<str:username>.png
    pictures/rules/<slug:slug>.png pictures/site.png play/links/<str:token>/ robots.txt rules/
    rules/<slug:slug>.md rules/<slug:slug>/ rules/<slug:slug>/tutorial/ search/ search/suggestions/ sitemap.xml terms/
GET public 200 200 302 302 200 200 200 200
    play/ play/parts/
GET public 200 302 302 302 302 302 302 302
    account/login/
GET public 302 302 200 302 302 302 302 302
    play/tables/<int:match_id>/ play/tables/<int:match_id>/moves/
GET public 401 200 200 200 200 200 200 200
    api/v1/challenges api/v1/token
GET public 401 404 200 404 404 404 404 404
    api/v1/bot api/v1/bot/stream api/v1/challenges/<int:challenge_id> api/v1/matches/<int:match>/seat/stream
GET public 401 404 204 404 404 404 404 404
    api/v1/bot/decision
GET public 401 404 404 404 404 404 404 404
    api/v1/matches/<int:match>/decision
GET public 403 403 200 403 403 200 200 200
    bots/<slug:slug>/versions/<int:number>/download bots/<slug:slug>/versions/<int:number>/source/
GET public 404 404 404 404 404 404 200 200
    metrics
GET public 404 404 404 404 404 404 404 404
    words/<slug:language>/<slug:version>.json
GET public login 200 200 200 200 200 200 200
    account/ account/tokens/ bots/<slug:slug>/report/ bots/mine/ cups/<slug:slug>/report/ cups/<slug:slug>/withdraw/
    cups/new/ ladders/<slug:slug>/compare/ ladders/<slug:slug>/schedule/ ladders/<slug:slug>/test/
    ladders/invitations/<str:token>/ play/challenge/<slug:slug>/
GET public login 200 404 200 200 200 200 200
    play/challenge/people/<str:username>/
GET public login 302 302 302 302 302 302 302
    account/2fa/webauthn/login/ account/delete/ account/export/
GET public login 403 200 403 403 200 200 200
    bots/<slug:slug>/versions/<int:number>/
GET public login 403 200 403 403 403 403 403
    bots/<slug:slug>/retire/ bots/<slug:slug>/settings/ bots/<slug:slug>/source/publish/ bots/<slug:slug>/upload/
GET public login 403 403 403 200 200 200 200
    cups/<slug:slug>/desk/ cups/<slug:slug>/desk/cancel/ cups/<slug:slug>/desk/entries/<slug:bot>/
    cups/<slug:slug>/desk/pause/ cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/ cups/<slug:slug>/desk/settings/
GET public login 403 404 403 403 403 403 403
    bots/<slug:slug>/declare/
GET public login 403 404 403 403 404 404 404
    matches/<int:match_id>/seats/<int:index>/log.json matches/<int:match_id>/seats/<int:index>/log/
GET public login 404 404 404 404 200 200 200
    ladders/<slug:slug>/correct/k/ ladders/<slug:slug>/correct/merge/ matches/<int:match_id>/correct/ staff/
    staff/collusion/ staff/collusion/<slug:slug>/ staff/collusion/cups/<slug:slug>/ staff/trail/
GET public login 404 404 404 404 200 404 200
    staff/bots/<int:bot_id>/ staff/chat/ staff/cups/ staff/cups/<int:cup_id>/ staff/people/<str:username>/
    staff/reports/
GET public login 404 404 404 404 404 200 200
    staff/ladders/new/ staff/operations/ staff/operations/<slug:action>/<str:subject>/ staff/sandboxes/
GET public login 404 404 404 404 404 404 200
    staff/roles/
GET public login 404 404 404 404 404 404 404
    ladders/<slug:slug>/members/
GET veiled 200 200 200 200 200 200 200 200
    api/v1/matches/<int:match_id> matches/<int:match_id>/ matches/<int:match_id>/rounds/
GET veiled 404 404 404 404 404 404 404 404
    api/v1/matches/<int:match_id>/log api/v1/matches/<int:match_id>/record api/v1/matches/<int:match_id>/replay
    embed/<int:match_id>/ matches/<int:match_id>/record matches/<int:match_id>/replay.json
    pictures/matches/<int:match_id>.png
GET veiled login 403 404 403 403 404 404 404
    matches/<int:match_id>/seats/<int:index>/log.json matches/<int:match_id>/seats/<int:index>/log/
GET veiled login 404 404 404 404 200 200 200
    matches/<int:match_id>/correct/
PATCH private 401 404 404 registration_closed 404 registration_closed registration_closed registration_closed
    api/v1/cups/<slug:slug>
PATCH public 401 404 200 404 404 404 404 404
    api/v1/bot
PATCH public 401 not_organizer not_organizer not_organizer registration_closed registration_closed registration_closed registration_closed
    api/v1/cups/<slug:slug>
POST hidden 401 404 400 404 404 404 404 404
    api/v1/bots/<slug:slug>/versions
POST hidden 401 404 version_not_ready 404 404 404 404 404
    api/v1/bots/<slug:slug>/versions/<int:number>/activate
POST hidden login 404 200 404 404 200 200 200
    bots/<slug:slug>/report/
POST hidden login 404 200 404 404 403 403 403
    bots/<slug:slug>/settings/
POST hidden login 404 302 404 404 403 403 403
    bots/<slug:slug>/ladders/ bots/<slug:slug>/restore/ bots/<slug:slug>/resume/ bots/<slug:slug>/retire/
    bots/<slug:slug>/source/hide/ bots/<slug:slug>/source/publish/ bots/<slug:slug>/versions/<int:number>/activate/
POST hidden login 404 404 404 404 403 403 403
    bots/<slug:slug>/declare/
POST hidden login 404 422 404 404 403 403 403
    bots/<slug:slug>/upload/
POST private 401 404 404 200 404 200 200 200
    api/v1/cups/<slug:slug>/cancel api/v1/cups/<slug:slug>/entries/<slug:bot>/remove api/v1/cups/<slug:slug>/pause
    api/v1/cups/<slug:slug>/resume api/v1/cups/<slug:slug>/rulings
POST private 401 404 404 200 404 404 404 404
    api/v1/matches/<int:match>/seat/abort api/v1/matches/<int:match>/seat/resign
POST private 401 404 404 404 404 404 404 404
    api/v1/challenges/<int:challenge_id>/accept api/v1/challenges/<int:challenge_id>/decline
    api/v1/matches/<int:match>/decisions/<int:number>
POST private 401 404 404 already_seated 404 404 404 404
    api/v1/matches/<int:match>/seat/return
POST private 401 404 404 no_claim 404 404 404 404
    api/v1/matches/<int:match>/seat/claim
POST private 401 404 404 no_line 404 404 404 404
    api/v1/matches/<int:match>/seat/report
POST private 401 404 404 no_message 404 404 404 404
    api/v1/matches/<int:match>/seat/chat
POST private 401 404 404 not_ended 404 404 404 404
    api/v1/matches/<int:match>/seat/rematch
POST private 401 404 404 not_yours 404 404 404 404
    api/v1/challenges/<int:challenge_id>/withdraw
POST private 404 404 404 302 404 302 302 302
    play/links/<str:token>/ play/tables/<int:match_id>/act/ play/tables/<int:match_id>/answer/
    play/tables/<int:match_id>/rematch/
POST private login 404 404 200 404 200 200 200
    cups/<slug:slug>/desk/cancel/ cups/<slug:slug>/desk/entries/<slug:bot>/ cups/<slug:slug>/desk/pause/
    cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/ cups/<slug:slug>/desk/settings/ cups/<slug:slug>/report/
    ladders/<slug:slug>/compare/ ladders/<slug:slug>/schedule/ ladders/<slug:slug>/test/
POST private login 404 404 302 404 302 302 302
    cups/<slug:slug>/desk/organizers/<int:person_id>/ cups/<slug:slug>/desk/resume/
    exhibitions/<int:exhibition_id>/answer/ exhibitions/<int:exhibition_id>/cancel/ play/open-games/<int:game_id>/join/
    play/open-games/<int:game_id>/leave/ play/open-games/<int:game_id>/withdraw/
POST private login 404 404 302 404 404 404 404
    ladders/<slug:slug>/members/accept/
POST private login 404 404 404 404 200 200 200
    ladders/<slug:slug>/correct/k/ ladders/<slug:slug>/correct/merge/ matches/<int:match_id>/correct/
POST private login 404 404 404 404 404 200 200
    ladders/<slug:slug>/members/
POST private login 404 404 404 404 404 302 302
    ladders/<slug:slug>/members/<int:person_id>/remove/ ladders/<slug:slug>/members/bots/
    ladders/<slug:slug>/members/link/ ladders/<slug:slug>/seasons/<int:number>/close/
POST private login 404 404 404 404 404 404 404
    cups/<slug:slug>/withdraw/ matches/<int:match_id>/guests/<int:seat>/report/
    play/challenges/<int:challenge_id>/answer/
POST private login 404 404 404 404 404 422 422
    ladders/<slug:slug>/seasons/open/
POST private login 404 404 422 404 422 302 302
    cups/<slug:slug>/desk/workers/
POST private login 404 404 422 404 422 422 422
    cups/<slug:slug>/desk/organizers/ cups/<slug:slug>/enter/
POST public 200 200 200 200 200 200 200 200
    account/emails/off/<str:signed>/
POST public 200 302 302 302 302 302 302 302
    account/login/
POST public 200 422 422 422 422 422 422 422
    bots/new/ bots/new/remote/
POST public 302 302 302 302 302 302 302 302
    language/ play/now/ play/tables/<int:match_id>/act/ play/tables/<int:match_id>/answer/
POST public 401 400 400 400 400 400 400 400
    api/v1/bots api/v1/challenges api/v1/cups api/v1/exhibitions api/v1/remote-bots
POST public 401 401 401 401 401 401 401 401
    api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/code
    api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/give-up
    api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/renew
    api/worker/leases/<kind:kind>/<int:row>/<uuid:lease>/result api/worker/work
POST public 401 404 200 404 404 404 404 404
    api/v1/bots/<slug:slug>/versions/<int:number>/activate api/v1/matches/<int:match>/seat/abort
    api/v1/matches/<int:match>/seat/resign
POST public 401 404 400 404 404 404 404 404
    api/v1/bots/<slug:slug>/versions api/v1/remote-bots/<slug:slug>/versions
POST public 401 404 404 404 404 404 404 404
    api/v1/matches/<int:match>/decisions/<int:number>
POST public 401 404 already_seated 404 404 404 404 404
    api/v1/matches/<int:match>/seat/return
POST public 401 404 no_claim 404 404 404 404 404
    api/v1/matches/<int:match>/seat/claim
POST public 401 404 no_line 404 404 404 404 404
    api/v1/matches/<int:match>/seat/report
POST public 401 404 no_message 404 404 404 404 404
    api/v1/matches/<int:match>/seat/chat
POST public 401 404 not_a_player 404 404 404 404 404
    api/v1/challenges/<int:challenge_id>/accept api/v1/challenges/<int:challenge_id>/decline
POST public 401 404 not_ended 404 404 404 404 404
    api/v1/matches/<int:match>/seat/rematch
POST public 401 404 not_yours 404 404 404 404 404
    api/v1/challenges/<int:challenge_id>/withdraw
POST public 401 not_organizer not_organizer not_organizer 200 200 200 200
    api/v1/cups/<slug:slug>/cancel api/v1/cups/<slug:slug>/entries/<slug:bot>/remove api/v1/cups/<slug:slug>/pause
    api/v1/cups/<slug:slug>/resume api/v1/cups/<slug:slug>/rulings
POST public 422 302 302 302 302 302 302 302
    play/links/<str:token>/
POST public 422 422 422 422 422 422 422 422
    play/offer/
POST public login 200 200 200 200 200 200 200
    account/tokens/ bots/<slug:slug>/report/ cups/<slug:slug>/report/ cups/new/ ladders/<slug:slug>/compare/
    ladders/<slug:slug>/schedule/ ladders/<slug:slug>/test/ play/challenge/<slug:slug>/
POST public login 200 404 200 200 200 200 200
    play/challenge/people/<str:username>/
POST public login 302 302 302 302 302 302 302
    account/2fa/webauthn/login/ account/chat/ account/delete/ account/emails/ account/export/ account/feed/url/
    account/name/ account/terms/ account/tokens/<int:token_id>/revoke/ account/tokens/revoke/
    exhibitions/<int:exhibition_id>/answer/ ladders/invitations/<str:token>/ play/open-games/<int:game_id>/join/
    play/open-games/<int:game_id>/leave/ play/open-games/<int:game_id>/withdraw/ play/stop/
    play/tables/<int:match_id>/rematch/
POST public login 403 200 403 403 403 403 403
    bots/<slug:slug>/settings/
POST public login 403 302 403 403 302 302 302
    exhibitions/<int:exhibition_id>/cancel/
POST public login 403 302 403 403 403 403 403
    bots/<slug:slug>/ladders/ bots/<slug:slug>/restore/ bots/<slug:slug>/resume/ bots/<slug:slug>/retire/
    bots/<slug:slug>/source/hide/ bots/<slug:slug>/source/publish/ bots/<slug:slug>/versions/<int:number>/activate/
POST public login 403 403 403 200 200 200 200
    cups/<slug:slug>/desk/cancel/ cups/<slug:slug>/desk/entries/<slug:bot>/ cups/<slug:slug>/desk/pause/
    cups/<slug:slug>/desk/rounds/<int:number>/<int:index>/ cups/<slug:slug>/desk/settings/
POST public login 403 403 403 302 302 302 302
    cups/<slug:slug>/desk/organizers/<int:person_id>/ cups/<slug:slug>/desk/resume/
POST public login 403 403 403 422 422 302 302
    cups/<slug:slug>/desk/workers/
POST public login 403 403 403 422 422 422 422
    cups/<slug:slug>/desk/organizers/
POST public login 403 404 403 403 403 403 403
    bots/<slug:slug>/declare/
POST public login 403 422 403 403 403 403 403
    bots/<slug:slug>/upload/
POST public login 404 404 404 404 200 200 200
    ladders/<slug:slug>/correct/k/ ladders/<slug:slug>/correct/merge/ matches/<int:match_id>/correct/
POST public login 404 404 404 404 200 404 200
    staff/people/<str:username>/
POST public login 404 404 404 404 302 404 302
    staff/chat/<int:line_id>/ staff/guests/<int:seat_id>/
POST public login 404 404 404 404 404 200 200
    staff/ladders/new/ staff/operations/<slug:action>/<str:subject>/
POST public login 404 404 404 404 404 302 302
    ladders/<slug:slug>/seasons/<int:number>/close/
POST public login 404 404 404 404 404 404 200
    staff/roles/
POST public login 404 404 404 404 404 404 404
    cups/<slug:slug>/withdraw/ ladders/<slug:slug>/members/ ladders/<slug:slug>/members/<int:person_id>/remove/
    ladders/<slug:slug>/members/accept/ ladders/<slug:slug>/members/bots/ ladders/<slug:slug>/members/link/
    matches/<int:match_id>/guests/<int:seat>/report/ play/challenges/<int:challenge_id>/answer/ play/look/
POST public login 404 404 404 404 404 422 422
    ladders/<slug:slug>/seasons/open/
POST public login 404 404 404 404 422 404 422
    staff/bots/<int:bot_id>/ staff/cups/<int:cup_id>/ staff/reports/<int:bot_id>/
POST public login 422 422 422 422 422 422 422
    cups/<slug:slug>/enter/
POST veiled login 404 404 404 404 200 200 200
    matches/<int:match_id>/correct/
POST veiled login 404 404 404 404 404 404 404
    matches/<int:match_id>/guests/<int:seat>/report/
PUT private 401 404 404 200 404 200 200 200
    api/v1/cups/<slug:slug>/organizers/<str:username>
PUT private 401 404 404 200 404 403 403 403
    api/v1/ladders/<slug:slug>/members/<slug:bot>
PUT private 401 404 404 registration_closed 404 not_your_bot not_your_bot not_your_bot
    api/v1/cups/<slug:slug>/entries/<slug:bot>
PUT public 401 403 200 403 403 403 403 403
    api/v1/ladders/<slug:slug>/members/<slug:bot>
PUT public 401 not_organizer not_organizer not_organizer 200 200 200 200
    api/v1/cups/<slug:slug>/organizers/<str:username>
PUT public 401 not_your_bot registration_closed not_your_bot not_your_bot not_your_bot not_your_bot not_your_bot
    api/v1/cups/<slug:slug>/entries/<slug:bot>
"""  # noqa: E501
"""Method, things (see ``kinds``) and the statuses of an empty request by role, above the routes.

``login`` is a redirect to the sign-in page. For the API, the code of an error with status 422 stands for the status.
"""

SCOPES: Final = """
manage
    POST:api/v1/bots/<slug:slug>/versions/<int:number>/activate POST:api/v1/cups PATCH:api/v1/cups/<slug:slug>
    POST:api/v1/cups/<slug:slug>/cancel DELETE:api/v1/cups/<slug:slug>/entries/<slug:bot>
    PUT:api/v1/cups/<slug:slug>/entries/<slug:bot> POST:api/v1/cups/<slug:slug>/entries/<slug:bot>/remove
    DELETE:api/v1/cups/<slug:slug>/organizers/<str:username> PUT:api/v1/cups/<slug:slug>/organizers/<str:username>
    POST:api/v1/cups/<slug:slug>/pause POST:api/v1/cups/<slug:slug>/resume POST:api/v1/cups/<slug:slug>/rulings
    POST:api/v1/exhibitions DELETE:api/v1/exhibitions/<int:exhibition_id>
    DELETE:api/v1/ladders/<slug:slug>/members/<slug:bot> PUT:api/v1/ladders/<slug:slug>/members/<slug:bot>
play
    GET:api/v1/bot PATCH:api/v1/bot GET:api/v1/bot/decision GET:api/v1/bot/stream GET:api/v1/challenges
    POST:api/v1/challenges GET:api/v1/challenges/<int:challenge_id> POST:api/v1/challenges/<int:challenge_id>/accept
    POST:api/v1/challenges/<int:challenge_id>/decline POST:api/v1/challenges/<int:challenge_id>/withdraw
    GET:api/v1/matches/<int:match>/decision POST:api/v1/matches/<int:match>/decisions/<int:number>
upload
    POST:api/v1/bots POST:api/v1/bots/<slug:slug>/versions POST:api/v1/remote-bots
    POST:api/v1/remote-bots/<slug:slug>/versions
"""
"""The scope that a token needs, above the methods and routes."""

SECRET: Final = "The seminar for the very secretive"
"""The name of the private ladders."""

PRIVATE: Final = (
    *("challenges/", "cups/", "embed/", "exhibitions/", "ladders/", "matches/"),
    *("play/challenges/", "play/links/", "play/open-games/", "play/tables/"),
)
"""Routes to things that a private ladder can have, without their prefixes of the API and of pictures."""

QUERIES: Final = {
    "api/v1/bots/<slug:slug>/ratings": "ladder=edel-stein-reich-duel",
    "api/v1/head-to-head": "ladder=edel-stein-reich-duel",
    "api/v1/bot/decision": "wait=0",
    "api/v1/matches/<int:match>/decision": "wait=0",
}
BODIES: Final = {
    "play/challenges/<int:challenge_id>/answer/": "answer=decline",
    **dict.fromkeys(("api/v1/cups/<slug:slug>/cancel", "api/v1/cups/<slug:slug>/pause"), '{"reason": "A test."}'),
    "api/v1/cups/<slug:slug>/entries/<slug:bot>/remove": '{"reason": "A test.", "disqualified": false}',
    "api/v1/cups/<slug:slug>/rulings": '{"reason": "A test.", "round": 1, "table": 1, "ruling": "void"}',
}
"""Requests that are not empty, so that permissions are judged before fields."""


# --- A site with everything on it ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Things:
    """One of everything on a ladder. The deal of ``match`` is public, that of ``veiled`` is not yet."""

    ladder: Ladder
    bot: Bot
    other: Bot
    match: Match
    veiled: Match
    live: Match
    line: ChatLine
    exhibition: Exhibition
    challenge: Proposal
    game: Proposal
    link: Proposal
    cup: Cup
    helper: User
    """A co-organizer of the cup."""


@dataclass(frozen=True)
class Site:
    public: Things
    private: Things
    hidden: Bot
    """A bot without an active version."""

    remote: Bot


def things(game: str, seats: int, owner: User, organizer: User) -> Things:
    hosted, people = (Ladder.objects.get(game=game, seats=seats, players=players) for players in ("hosted", "people"))
    soon, name = timezone.now() + timedelta(hours=1), owner.username
    friend, *friends = (verified(f"friend{i}-of-{name}") for i in range(seats - 1))
    bot = uploaded(owner, f"Bot of {name}", formats={game: [seats]})
    others = list(hosted.memberships.exclude(bot=bot).select_related("bot").order_by("pk")[: seats - 1])
    members = [hosted.memberships.get(bot=bot), *others]
    match = finished_block(hosted, members).matches.get(seating=0)
    veiled = scheduled(hosted, players_of(members)).matches.select_related("ladder", "block").get(seating=0)
    live = met(owner, friend, *friends, ladder=people.slug)
    seat = live.seats.get(version__bot__owner=owner)
    proposals = []
    for kind, by in ((Proposal.Kind.CHALLENGE, friend), (Proposal.Kind.OPEN, owner), (Proposal.Kind.LINK, owner)):
        token = f"link-of-{name}" if kind == Proposal.Kind.LINK else ""
        made = Proposal.objects.create(ladder=people, by=by, kind=kind, token=token, clock="usual", expires=soon)
        for index, person in enumerate({by: None, owner: None}):
            accepted = True if person == by else None
            ProposalPlayer.objects.create(proposal=made, bot=player(person), index=index, accepted=accepted)
        proposals.append(made)
    cup = entered(new_cup("swiss", organizer, game, seats), [bot, *house_bots(game, seats)[: 2 * seats - 1]])
    cup.co_organizers.add(friend, User.objects.get(username="suspended"))
    return Things(
        hosted,
        bot,
        others[0].bot,
        match,
        finish_game(veiled),
        live,
        ChatLine.objects.create(match=live, seat=seat, by=owner, text="Hello."),
        request_scheduled(owner, hosted, [active_version(member.bot).pk for member in members], 1, soon, uuid4()),
        *proposals,
        due(cup),
        friend,
    )


def build() -> Site:
    opened_house()
    users = {name: verified(name) for name in (*ROLES[1:], "suspended")}
    roles = {"moderator": Role.MODERATOR, "operator": Role.OPERATOR, "admin": Role.ADMIN, "suspended": Role.ADMIN}
    for name, role in roles.items():
        User.objects.filter(username=name).update(role=role, **flags_of(role))
    public = things("edel-stein-reich-duel", 2, users["owner"], users["organizer"])
    private = things("edel-stein-reich", 3, users["member"], users["member"])
    hidden = Bot.objects.create(owner=users["owner"], name="Hidden", slug="hidden")
    BotVersion.objects.filter(pk=new_version(hidden).pk).update(state=BotVersion.State.RECEIVED)
    remote = register(users["owner"], "Remote", {public.ladder.game: [2]}).bot
    for ladder in (private.ladder, private.live.ladder):
        values = {"private": True, "by_invitation": True, "name": SECRET, "invitation": f"invitation-{ladder.pk}"}
        Ladder.objects.filter(pk=ladder.pk).update(**values)
        for name in ("member", "suspended"):
            Invitation.objects.create(ladder=ladder, person=users[name])
    return Site(public, private, hidden, remote)


@pytest.fixture
def site(settings: Settings) -> Site:
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)
    settings.EXPORT_PAUSE_SECONDS = 0
    return built_once("access", build)


def kinds(route: str) -> Iterator[str]:
    """The things that a route is requested for: public ones, those of a private ladder, a hidden bot, a veiled deal."""
    yield "public"
    noun = route.removeprefix("api/v1/").removeprefix("pictures/").partition("<")[0]
    if "<" in route and noun.startswith(PRIVATE) and noun != "ladders/invitations/":
        yield "private"
    if noun == "bots/" and "<" in route:
        yield "hidden"
    if "match_id" in route and noun in ("matches/", "embed/") and "<int:number>" not in route:
        yield "veiled"


def address(site: Site, kind: str, route: str) -> str:
    """The URL of ``route``."""
    subject = site.private if kind == "private" else site.public
    bot = site.hidden if kind == "hidden" else subject.bot
    match = subject.veiled if kind == "veiled" else subject.match
    owner = subject.bot.owner
    assert owner is not None
    if route.startswith("account/feed/<"):
        return path_of(owner)
    if route.startswith("account/emails/off/"):
        return unsubscribe_url(owner).removeprefix(settings.SITE_URL)
    noun = route.removeprefix("api/v1/").removeprefix("pictures/").removeprefix("staff/collusion/").partition("/")[0]
    slugs = {"bots": bot.slug, "play": bot.slug, "remote-bots": site.remote.slug, "cups": subject.cup.slug}
    slugs |= {"docs": "start/library"} | dict.fromkeys(("rules", "games"), "edel-stein-reich")
    person = subject.helper if noun == "cups" else owner
    values = {
        "slug": "edel-stein-reich" if "starter" in route else slugs.get(noun, subject.ladder.slug),
        "bot": bot.slug,
        "bot_id": bot.pk,
        "first": bot.slug,
        "second": subject.other.slug,
        "match": subject.live.pk,
        "match_id": subject.live.pk if noun == "play" else match.pk,
        "index": match.seats.get(version__bot=subject.bot).index if noun == "matches" else 1,
        "username": person.username,
        "person_id": person.pk,
        "exhibition_id": subject.exhibition.pk,
        "challenge_id": subject.challenge.pk,
        "game_id": subject.game.pk,
        "token": subject.link.token if noun == "play" else f"invitation-{site.private.ladder.pk}",
        "cup_id": subject.cup.pk,
        "line_id": subject.line.pk,
        "seat_id": subject.line.seat_id,
        "document": "decision",
        "name": "home.png",
        "size": 180,
        "language": "de",
        "version": "another",
        "kind": "matches",
        "row": 1,
        "lease": uuid4(),
        "action": "pause",
        "subject": subject.ladder.slug,
    }
    query = QUERIES.get(route) or (f"bot={subject.bot.slug}" if route.endswith("/withdraw/") else "")
    url = next(filled(route, {name: [value] for name, value in values.items()}))
    return f"{url}?{query}" if query else url


# --- Requests --------------------------------------------------------------------------------------------------------


class Caller:
    """A user with a session for pages and seats, and with a token for the rest of the API."""

    def __init__(self, role: str, scopes: Collection[Scope] = tuple(Scope)) -> None:
        user = User.objects.filter(username=role).first()
        self.browser = signed_in(user)
        self.program = Client()
        if user is not None:
            secret = tokens.issue(user, "matrix", scopes, None)[1]
            self.program = Client(headers={"Authorization": f"Bearer {secret}"})

    def send(self, method: str, route: str, url: str) -> HttpResponse:
        """The response to a request whose changes are rolled back."""
        api = route.startswith("api/")
        client = self.program if api and "/seat/" not in route else self.browser
        kind = "application/json" if api else "application/x-www-form-urlencoded"
        body = "" if method == "GET" else BODIES.get(route, "{}" if api else "")
        with transaction.atomic():
            response: HttpResponse = client.generic(method, url, body, kind)
            transaction.set_rollback(True)
        client.cookies.pop("messages", None)  # of the page after the change
        return response


def status(response: HttpResponse) -> str:
    if response.status_code == 302 and response.headers["Location"].startswith("/account/login/"):
        return "login"
    if response.status_code == 422 and response.headers["Content-Type"] == "application/problem+json":
        return str(json.loads(response.content)["code"])
    return str(response.status_code)


def methods(admin: Caller, url: str) -> set[str]:
    """The methods of a view. Views of forms treat PUT as POST."""
    view: Any = resolve(url.partition("?")[0]).func
    view_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if view_class is not None:
        names = ("GET", "POST", "PUT", "PATCH", "DELETE") if hasattr(view, "cls") else ("GET", "POST")
        return {name for name in names if hasattr(view_class, name.lower())}
    response = admin.browser.generic("PURGE", url)
    assert response.status_code == 405, url
    return {*response.headers["Allow"].split(", ")} - {"HEAD"}


def matrix() -> dict[tuple[str, str, str], dict[str, str]]:
    """The statuses by role for each method, kind of things and route."""
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for line in MATRIX.strip().splitlines():
        if not line.startswith(" "):
            method, kind, *statuses = line.split()
            row = dict(zip(ROLES, statuses, strict=True))
            continue
        for word in line.split():
            key = (method, kind, word.removeprefix("/"))
            assert key not in cells, key
            cells[key] = row
    return cells


def entered_by_scope() -> Iterator[tuple[Scope, str, str]]:
    scope = Scope.PLAY
    for line in SCOPES.strip().splitlines():
        if not line.startswith(" "):
            scope = Scope(line)
            continue
        for word in line.split():
            method, _, route = word.partition(":")
            yield scope, method, route


# --- Tests -----------------------------------------------------------------------------------------------------------


def test_the_matrix_has_every_route_with_every_method(site: Site) -> None:
    admin = Caller("admin")
    every = {
        (method, kind, route)
        for route in routes()
        for method in methods(admin, address(site, "public", route))
        for kind in kinds(route)
    }
    assert sorted(every ^ set(matrix())) == []


@pytest.mark.parametrize(
    "role", [role if role in ROLES[:3] else pytest.param(role, marks=pytest.mark.slow) for role in ROLES]
)
def test_a_role_sees_and_changes_what_the_matrix_says(site: Site, role: str) -> None:
    """Where all users get the same, only ``user`` is asked among them."""
    caller, wrong = Caller(role), []
    for (method, kind, route), row in matrix().items():
        if role not in ("visitor", "user") and len({row[other_role] for other_role in ROLES[1:]}) == 1:
            continue
        response = caller.send(method, route, address(site, kind, route))
        if status(response) != row[role]:
            wrong.append((method, kind, route, row[role], status(response)))
        is_invited = role in ("member", "moderator", "operator", "admin") or "invitations" in route
        if not response.streaming and not is_invited and SECRET.encode() in response.content:
            wrong.append((method, kind, route, "no private name", "the name of the private ladder"))
    assert wrong == []


def test_a_suspended_admin_gets_what_visitors_get(site: Site) -> None:
    caller, wrong = Caller("suspended"), []
    User.objects.filter(username="suspended").update(is_active=False)
    for (method, kind, route), row in matrix().items():
        program = route.startswith("api/") and "/seat/" not in route
        expected = "401" if program and "<" in route else row["visitor"]
        if row["visitor"] != "200" and status(caller.send(method, route, address(site, kind, route))) != expected:
            wrong.append((method, kind, route))
    assert wrong == []


def test_a_token_needs_the_scope_of_its_endpoint(site: Site) -> None:
    listed = {(method, route): scope for scope, method, route in entered_by_scope()}
    closed = {(method, route) for (method, _, route), row in matrix().items() if row["visitor"] == "401"}
    of_tokens = {endpoint for endpoint in closed if not re.search("/seat/|^api/worker/", endpoint[1])}
    assert of_tokens == {*listed, ("GET", "api/v1/token")}
    wrong = []
    for owner in ("owner", "organizer"):
        callers = {scope: Caller(owner, [scope]) for scope in Scope}
        for (method, route), scope in listed.items():
            if ("cups/" in route) == (owner == "organizer"):
                url = address(site, "public", route)
                admitted = [held for held in Scope if callers[held].send(method, route, url).status_code != 403]
                wrong += [] if admitted == [scope] else [(method, route, admitted)]
    assert wrong == []


def test_a_token_of_a_member_without_the_scope_read_sees_nothing_private(site: Site) -> None:
    caller = Caller("member", set(Scope) - {Scope.READ})
    for (method, kind, route), row in matrix().items():
        if method == "GET" and kind == "private" and route.startswith("api/") and row["visitor"] == "404":
            assert status(caller.send(method, route, address(site, kind, route))) == "404", route


@pytest.mark.parametrize(("role", "expected"), [("visitor", "404"), ("user", "404"), ("member", "200")])
def test_a_filter_by_a_private_ladder_is_for_its_members(site: Site, role: str, expected: str) -> None:
    caller, bot = Caller(role), f"api/v1/bots/{site.private.other.slug}"
    lists = ("matches/", "api/v1/matches", "api/v1/bots", "api/v1/head-to-head", f"{bot}/matches", f"{bot}/ratings")
    found = {route: caller.send("GET", route, f"/{route}?ladder={site.private.ladder.slug}") for route in lists}
    assert {route: status(response) for route, response in found.items()} == dict.fromkeys(lists, expected)


def test_every_form_of_a_page_needs_its_token(site: Site) -> None:
    """But for the choice of a language and the link of an email, whose form mail programs send (RFC 8058)."""
    browsers = {}
    for role in ROLES[1:]:
        browsers[role] = Client(enforce_csrf_checks=True)
        browsers[role].force_login(User.objects.get(username=role))
    for (method, kind, route), row in matrix().items():
        if method == "POST" and kind == "public" and not route.startswith(("api/", "account/emails/off/", "language/")):
            role = next(role for role in reversed(ROLES) if row[role] != "403")
            assert browsers[role].post(address(site, kind, route)).status_code == 403, route
