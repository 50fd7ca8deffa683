"""A program: look like another system and be ``esr``. ``python -m tests.bots.elsewhere.commands PROFILE WORDS…``."""

from __future__ import annotations

import sys

from tests.bots.elsewhere.hidden_calls import PROFILES


def main(profile: str, *words: str) -> int:
    PROFILES[profile]()
    from bots.cli import esr

    return esr.main(words)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
