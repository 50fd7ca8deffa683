"""Calls of a site on a command line: what it refuses becomes the one sentence that the command ends with."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager

from bots.client import Client, ClientError
from bots.local.credentials import find_credentials
from bots.local.faults import UsageError


@contextmanager
def site_client(bot: str | None = None, *, needs_token: bool = True) -> Iterator[Client]:
    """A client of the site that was logged in to. Whatever the site refuses in here is raised as ``UsageError``."""
    credentials = find_credentials(needs_token=needs_token)
    with credentials.client(bot) as client:
        try:
            yield client
        except ClientError as error:
            raise UsageError(f"{error} ({credentials.site})") from error


def bot_argument(parser: ArgumentParser) -> None:
    """``--bot``."""
    parser.add_argument("--bot", metavar="SLUG", help="which of your bots, as in the address of its page")
