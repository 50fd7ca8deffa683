#!/usr/bin/env python3
"""The command line of the site: ``python manage.py COMMAND``."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130
"""The exit code of a program that ended by Ctrl-C, as shells count it."""

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
