"""``python -m tests.bots.hostile``: run all, and write their table if all failed."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from bots.sandbox import SandboxLauncher, sandbox
from tests.bots.hostile.aftermath import harm
from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.table import HOSTILE, PAGE, written


def tried(launcher: SandboxLauncher, kinds: Iterable[Hostile]) -> int:
    """Try these, say what each came to, and return how many did harm."""
    harmful = 0
    for kind in kinds:
        faults = harm(launcher, kind)
        harmful += bool(faults)
        print(f"{'HARM' if faults else 'ok':5}{kind.family}: {kind.title}", *faults, sep="\n     ", flush=True)
    return harmful


def main(words: list[str]) -> int:
    """Try all kinds whose family and title have all ``words`` in them; the table is written after a try of all."""
    launcher, test = sandbox()
    if launcher is None:
        print(f"There is no sandbox here. {test.problem} {test.remedy}", file=sys.stderr)
        return 2
    kinds = [kind for kind in HOSTILE if all(word in f"{kind.family}: {kind.title}".lower() for word in words)]
    harmful = tried(launcher, kinds)
    print(f"{len(kinds)} kinds tried, {harmful} did harm.")
    if not harmful and kinds == list(HOSTILE):
        PAGE.write_text(written(PAGE.read_text()))
    return 1 if harmful else 0


sys.exit(main(sys.argv[1:]))
