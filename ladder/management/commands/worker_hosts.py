from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import localtime

from bots import worker_hosts
from bots.models import WorkerHost, WorkerScope
from ladder.models import Recheck

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")


def name(text: str) -> str:
    """A name of a worker host."""
    if not _NAME.match(text):
        raise ArgumentTypeError(
            f"{text!r} is not a name. Use lower-case letters, digits and hyphens, for example lab-1"
        )
    return text


class Command(BaseCommand):
    help = "Create and revoke the tokens of worker hosts, and list the hosts with their state."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        creating = actions.add_parser("create", help="create a host and print its token, which is shown only once")
        creating.add_argument("name", type=name, help="name of the host, for example lab-1")
        creating.add_argument(
            "--scopes",
            nargs="+",
            choices=WorkerScope.values,
            default=WorkerScope.values,
            help=f"what the host may do (default: {' '.join(WorkerScope.values)})",
        )
        revoking = actions.add_parser("revoke", help="revoke the token of a host")
        revoking.add_argument("name", type=name, help="name of the host")
        actions.add_parser("list", help="list the hosts, and the games that differed when they were played again")

    def handle(self, *_args: Any, **options: Any) -> None:
        match options["action"]:
            case "create":
                self._create(options["name"], options["scopes"])
            case "revoke":
                if not worker_hosts.revoke(options["name"]):
                    raise CommandError(f"No worker host named {options['name']} has a token.")
                self.stdout.write(f"Revoked the token of {options['name']}. Its work is given to others.")
            case _:
                self._list()

    def _create(self, host: str, scopes: list[str]) -> None:
        try:
            _, secret = worker_hosts.create(host, [WorkerScope(scope) for scope in scopes])
        except worker_hosts.NameTaken as taken:
            raise CommandError(f"{taken} Choose another name.") from taken
        self.stdout.write(secret)
        self.stderr.write(f"This is the token of {host}. It is not shown again.")

    def _list(self) -> None:
        for host in WorkerHost.objects.all():
            asked = "never" if host.asked is None else f"{localtime(host.asked):%Y-%m-%d %H:%M:%S}"
            state = f"revoked {localtime(host.revoked):%Y-%m-%d}" if host.revoked else host.get_state_display()
            scopes = ",".join(host.scopes)
            self.stdout.write(f"{host.name}  {host.hint}…  {scopes}  release {host.release or '-'}  {asked}  {state}")
            if host.message and not host.revoked:
                self.stdout.write(f"    {host.message}")
        for recheck in Recheck.objects.filter(outcome="different").select_related("result__attempt"):
            first, match_id = recheck.result.attempt.worker, recheck.result.match_id
            self.stdout.write(
                f"match {match_id}: {first} and {recheck.worker} played different games, from {recheck.detail} on"
            )
