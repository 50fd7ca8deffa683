"""Emails on the terminal of a site without a mail server."""

from __future__ import annotations

from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends import console


class EmailBackend(console.EmailBackend):
    """Writes sender, recipients, subject and plain text. The HTML part says the same and would hide the code."""

    def write_message(self, message: EmailMessage) -> Any:
        """Write one email."""
        lines = [f"From: {message.from_email}", f"To: {', '.join(message.to)}", f"Subject: {message.subject}"]
        self.stream.write("\n".join([*lines, "", str(message.body), "-" * 79, ""]))
