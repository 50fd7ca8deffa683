from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import sendtestemail


class Command(sendtestemail.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            super().handle(*args, **options)
        except OSError as error:  # also those of smtplib
            raise CommandError(f"The mail server of EMAIL_URL did not take the email: {error}") from None
