from __future__ import annotations

import sys

from bots.cli.esr import main

if __name__ == "__main__":
    sys.exit(main())
