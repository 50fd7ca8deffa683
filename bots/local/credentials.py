"""Which site ``esr`` talks to and with which token: two variables, or the file that ``esr login`` has written."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bots.client import Client
from bots.local.faults import UsageError

SITE: Final = "ESR_SITE"
TOKEN: Final = "ESR_TOKEN"  # noqa: S105 - the name of a variable
FOLDER: Final = "ESR_CONFIG_DIR"


@dataclass(frozen=True)
class Credentials:
    """A site's address and a token for it; ``""``: what everybody may read."""

    site: str
    token: str = ""

    def client(self, bot: str | None = None) -> Client:
        """A client of the site. Raises ``UsageError`` for an address that is none."""
        try:
            return Client(self.site, self.token, bot)
        except ValueError as error:
            raise UsageError(str(error)) from error


def find_credentials(*, needs_token: bool = True) -> Credentials:
    """What the variables say, else what was written. Raises ``UsageError`` where that is not enough."""
    written = _written()
    site = os.environ.get(SITE) or str(written.get("site", ""))
    token = os.environ.get(TOKEN, "")
    if not token and site == written.get("site"):  # a token goes to the site that it was made on, and to no other
        token = str(written.get("token", ""))
    if not site:
        raise UsageError(f"No site is known. Say `esr login https://arena.example.org`, or set {SITE}.")
    if needs_token and not token:
        raise UsageError(f"There is no token for {site}. Make one there under Account, then say `esr login {site}`.")
    return Credentials(site, token)


def keep(credentials: Credentials) -> Path:
    """Write the file, for its owner's eyes only; where it is. Raises ``UsageError``."""
    path = credentials_file()
    text = json.dumps({"site": credentials.site, "token": credentials.token}, indent=1) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(new, "w", encoding="utf-8", opener=_for_the_owner) as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    return path


def credentials_file() -> Path:
    """Where the file is, whether it is there or not."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named) / "credentials.json"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / "esr" / "credentials.json"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "esr" / "credentials.json"


def _written() -> dict[str, Any]:
    path = credentials_file()
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}). `esr login` writes it anew.") from error
    return document if isinstance(document, dict) else {}


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
