"""Print hits per 1,000 words and surface, or list them.

usage: python -m tests.wording                 the rates of all surfaces
       python -m tests.wording --surface ui    also the hits of one surface
       python -m tests.wording --update        lower the stored numbers of hits to the present ones
"""

from __future__ import annotations

import argparse
import os
import sys

import django


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.wording", description="Find odd wordings by surface.")
    parser.add_argument("--surface", action="append", default=[], metavar="NAME", help="list the hits of this surface")
    parser.add_argument("--update", action="store_true", help="lower the stored numbers of hits")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
    django.setup()
    from tests.wording import gate, texts

    for name in options.surface or texts.SURFACES:
        result = gate.check(name)
        if options.surface:
            sys.stdout.writelines(f"{hit}\n" for hit in (*result.hard, *result.soft))
        sys.stdout.write(f"{result}\n")
    if options.update:
        gate.lower_baseline()


if __name__ == "__main__":
    main()
