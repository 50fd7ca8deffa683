"""The first bot for a game as a zip, to be changed and uploaded: the same files that ``esr new-bot`` writes. Pure."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from typing import Final

from bots.local.starting import bot_files
from games.registry import GAMES

NAME: Final = "my-bot"
"""What the bot is called until somebody changes its ``bot.toml``, and the folder that it lies in."""

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE: Final = 0o100644


@cache
def starting_kit(game: str) -> bytes:
    """The zip for the game with this slug, the same bytes every time. Raises ``KeyError`` for a game that is not there.

    It can be uploaded as it is, and passes its check.
    """
    files = bot_files(NAME, GAMES[game])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whatever this is: only there do the permissions mean anything
            entry.external_attr = _PLAIN_FILE << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()
