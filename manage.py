#!/usr/bin/env python3
"""The command line of the site: ``python manage.py COMMAND``."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130
"""Exit code after an interruption with Ctrl-C, as in shells."""


def spelled(command: str) -> str:
    """Replace hyphens: module names of commands use underscores (``demo-data`` is ``demo_data``)."""
    return command if command.startswith("-") else command.replace("-", "_")


SERVERS = ("run_process", "serve_streams")
"""The commands that serve requests and log them. The others print an answer, so they log only problems."""


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
    command = [*map(spelled, sys.argv[1:2])]
    if not {*command} & {*SERVERS}:
        os.environ.setdefault("LOG_LEVEL", "WARNING")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line([*sys.argv[:1], *command, *sys.argv[2:]])
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
