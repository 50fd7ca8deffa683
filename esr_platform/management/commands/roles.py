"""``manage.py roles``: list the site staff, and give or take away roles."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.account_pages.roles import give_role
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Role, User
from esr_platform.management.commands.operations import staff_member


class Command(BaseCommand):
    help = "List the site staff, or give a role to a user. `createsuperuser` creates the first site admin."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action")
        actions.add_parser("list", help="list the site staff (default)")
        giving = actions.add_parser("give", help="give a role to a user, or take it away")
        giving.add_argument("user", help="username")
        giving.add_argument("role", choices=[*Role.values, "none"], help="the new role; none takes it away")
        giving.add_argument("--by", required=True, metavar="USER", help="your username; you must be a site admin")
        giving.add_argument("--reason", required=True, help="reason, for the user and the audit log")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["action"] != "give":
            for user in User.objects.exclude(role="").order_by("role", "username"):
                self.stdout.write(f"{user.role:10}{user.username}{'' if user.is_active else '  (suspended)'}")
            return
        role = None if options["role"] == "none" else Role(options["role"])
        try:
            give_role(staff_member(options["user"]), role, staff_member(options["by"]), options["reason"])
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{options['user']} {f'is now {role.value}' if role else 'no longer has a role'}.")
