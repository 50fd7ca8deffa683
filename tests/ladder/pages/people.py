"""People with bots in every state that a page can meet, brought on the way of an upload and checked in the sandbox."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from django.core.files.base import ContentFile

from bots.models import Bot, BotVersion
from bots.sandbox import SandboxLauncher
from bots.uploads.storage import uploads
from bots.uploads.upload import upload_new_bot, upload_version
from esr_platform.accounts.models import User
from ladder.matches.play import play
from ladder.models import Ladder, Match
from tests.bots.uploads.brought import check
from tests.build import DUEL, DUEL_ONLY, HONEST, built_once, match_of, opened_house, person, staff

SCRIPT = "<script>alert(1)</script>"
NAME = "<b>Magpie</b> & co"
FILENAME = "<img src=x>.zip"

HOSTILE = b"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sys.stderr.write("<script>alert(1)</script> \\x1b[31m \\u202e seed " + message["seed"])
        sys.stderr.flush()
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide" and message["id"] == 2:
        print(json.dumps({"id": 2, "move": "<script>alert(1)</script>"}), flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""
"""Plays on after one illegal answer that is meant for whoever reads the log in a browser."""


@dataclass(frozen=True)
class People:
    """Ada owns everything, Bob has nothing, Eve is staff.

    ``magpie`` plays with version 1; its version 2 was refused, for what ``HOSTILE`` does. ``new`` waits for its check.
    ``match`` was played with the code of ``HOSTILE`` at seat 0.
    """

    ada: User
    bob: User
    eve: User
    magpie: Bot
    new: Bot
    match: Match

    @property
    def own_addresses(self) -> list[str]:
        """Pages for the owner and staff alone."""
        return [
            f"/bots/{self.magpie.slug}/versions/1/",
            f"/bots/{self.magpie.slug}/versions/2/",
            f"/bots/{self.magpie.slug}/versions/1/source/",
            f"/bots/{self.magpie.slug}/versions/2/source/",
            f"/matches/{self.match.pk}/seats/0/log/",
        ]

    @property
    def changing_addresses(self) -> list[str]:
        """Pages with forms for the owner alone."""
        pages = ("upload", "settings", "retire", "source/publish")
        return [f"/bots/{self.magpie.slug}/{page}/" for page in pages]

    @property
    def addresses(self) -> list[str]:
        """Every page that Ada can open and others cannot, or see otherwise."""
        return [
            "/bots/new/",
            "/bots/mine/",
            f"/bots/{self.magpie.slug}/",
            f"/bots/{self.new.slug}/",
            f"/bots/{self.new.slug}/versions/1/",
            f"/matches/{self.match.pk}/",
            *self.own_addresses,
            *self.changing_addresses,
        ]


def zipped(source: bytes) -> bytes:
    """An upload of one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.py", source)
    return buffer.getvalue()


def checked(version: BotVersion, launcher: SandboxLauncher) -> BotVersion:
    """``version`` after its check."""
    done = check(version.pk, launcher)
    assert done is not None, BotVersion.objects.get(pk=version.pk).validation_report
    return done


_archives: dict[str, bytes] = {}
"""The uploads of these people by their path in the storage, since a test may delete them there."""


def built_with(launcher: SandboxLauncher) -> People:
    """All of them, in an empty database."""
    people = built_once("people", lambda: _build(launcher))
    for path in BotVersion.objects.exclude(archive="").values_list("archive", flat=True):
        if path not in _archives:
            with uploads().open(path) as file:
                _archives[path] = file.read()
        elif not uploads().exists(path):
            uploads().save(path, ContentFile(_archives[path]))
    return people


def _build(launcher: SandboxLauncher) -> People:
    opened_house()
    ada, bob, eve = person("ada"), person("bob"), staff("eve")
    magpie = checked(upload_new_bot(ada, NAME, FILENAME, zipped(HONEST), DUEL_ONLY), launcher).bot
    refused = checked(upload_version(magpie, FILENAME, zipped(HOSTILE), DUEL_ONLY), launcher)
    assert refused.state == BotVersion.State.REJECTED
    match = match_of(magpie, Ladder.objects.get(slug=DUEL))
    match.seats.filter(index=0).update(version=_as_if_ready(refused))
    for game in match.block.matches.order_by("seating"):  # the deal and its logs open with the last of them
        assert play(game.pk) == "finished"
    _as_it_was(refused)
    match.refresh_from_db()
    new = upload_new_bot(ada, "Newcomer", "bot.py", HONEST).bot
    return People(ada, bob, eve, magpie, new, match)


def _as_if_ready(version: BotVersion) -> BotVersion:
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.READY, reason="")
    return version


def _as_it_was(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(state=version.state, reason=version.reason)
