"""``esr upload DIR``: bring a bot, or a new version of one, to the site, and wait for what its check says."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, Final

from bots.client import Client
from bots.local.asking import bot_argument, site_client
from bots.local.command import Command
from bots.local.faults import FOUND
from bots.local.packing import packed
from bots.local.screen import Screen

_PAUSE_S: Final = 2.0
_OPEN: Final = ("received", "checking")


def arguments(parser: ArgumentParser) -> None:
    """What, and as which bot."""
    parser.add_argument("path", type=Path, metavar="DIR", help="the bot's folder, one .py file, or a .zip")
    bot_argument(parser)
    parser.add_argument("--name", default="", help="what a new bot is called; else what its bot.toml says")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the check")


def run(options: Namespace, screen: Screen) -> int:
    """Upload, then watch the check until it has decided."""
    filename, data = packed(options.path)
    with site_client() as client:
        version = client.upload(filename, data, options.bot, options.name)
        screen.say(f"{version['bot']} version {version['number']}: {version['state']}")
        if not options.no_wait:
            version = _checked(client, version, screen)
    ok = version["state"] != "refused"
    screen.answer({"ok": ok, "bot": version["bot"], "version": version["number"], "state": version["state"],
                   "reason": version.get("reason", "")})  # fmt: skip
    if not ok:
        screen.say(version["reason"], "red")
    return 0 if ok else FOUND


def _checked(client: Client, version: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """The version once it is ready or refused; each change of its state is said."""
    state = version["state"]
    while version["state"] in _OPEN:
        time.sleep(_PAUSE_S)
        version = client.get(f"bots/{version['bot']}/versions/{version['number']}")
        if version["state"] != state:
            state = version["state"]
            screen.say(f"{version['bot']} version {version['number']}: {state}")
    return version


COMMAND = Command(
    "upload",
    "Upload a bot, or a new version of one, and wait for its check.",
    """\
  esr upload mybot                       a new bot
  esr upload mybot --bot citrine         a new version of the bot at /bots/citrine

A folder is packed without hidden files and Python's caches. The check plays one game at every table that the bot
claims, as `esr check` does here; exit status 1 if it was refused. The token needs the scope `upload`.""",
    arguments,
    run,
)
