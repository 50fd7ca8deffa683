"""Started the way every bot is started, it says what it sees of the world. ``bots.sandbox.judging`` judges that.

It is started twice: as a bot, and once more without the seccomp filter, to see that the other walls stand without it.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    print('{"type": "begun"}', flush=True)
    hello = json.loads(sys.stdin.readline())
    if hello["filtered"]:
        from world import findings
    else:
        from walls import findings
    print(json.dumps({"type": "ready", "seed": hello["seed"], "findings": findings(hello)}), flush=True)
    sys.stdin.readline()  # the host looks at this process from outside before it ends it


main()
