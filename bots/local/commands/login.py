"""``esr login SITE``: keep a site's address and a token, so that the other commands can talk to it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from getpass import getpass
from urllib.parse import urlsplit

from bots.client import ClientError, Problem
from bots.local.command import Command
from bots.local.credentials import Credentials, keep
from bots.local.faults import UsageError
from bots.local.screen import Screen

_HERE = ("localhost", "127.0.0.1", "::1")


def arguments(parser: ArgumentParser) -> None:
    """The site."""
    parser.add_argument("site", metavar="SITE", help="its address, such as https://arena.example.org")


def run(options: Namespace, screen: Screen) -> int:
    """Ask for the token, try it, write it down."""
    credentials = Credentials(options.site.rstrip("/"), _asked_token())
    with credentials.client() as client:
        try:
            client.get("token")
        except Problem as problem:
            raise UsageError(problem.detail) from problem
        except ClientError as error:
            raise UsageError(str(error)) from error
    path = keep(credentials)
    screen.say(f"The token works, and is kept in {path}, which only you can read.")
    if urlsplit(credentials.site).scheme == "http" and urlsplit(credentials.site).hostname not in _HERE:
        screen.say("Its address begins with http: whoever is on the way can read your token.", "yellow")
    screen.answer({"ok": True, "site": credentials.site, "file": str(path)})
    return 0


def _asked_token() -> str:
    """From the terminal without showing it, else the first line of standard input; never from the command line."""
    token = getpass("Token (esr_…): ") if sys.stdin.isatty() else sys.stdin.readline()
    token = token.strip()
    if not token.startswith("esr_"):
        raise UsageError("A token begins with esr_. The page Account → Tokens of the site makes one.")
    return token


COMMAND = Command(
    "login",
    "Keep the address of a site and a token for it.",
    """\
  esr login https://arena.example.org              asks for the token
  esr login https://arena.example.org < token.txt

The token is made on the site, under Account → Tokens; what it may do is chosen there. Instead of logging in, the
variables ESR_SITE and ESR_TOKEN do. A token never stands on a command line, where other users could see it.""",
    arguments,
    run,
)
