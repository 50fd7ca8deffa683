"""Started as every bot is, it says whether there is numpy, which, and whether it works within the limits."""

from __future__ import annotations

import json
import sys


def version() -> str:
    """The version of a numpy that has just computed something; empty where there is none."""
    try:
        import numpy
    except ImportError:
        return ""
    square = numpy.arange(250_000.0).reshape(500, 500)
    assert (square @ numpy.eye(500) == square).all()
    numpy.linalg.solve(square + numpy.eye(500) * 1e6, square)
    return str(numpy.__version__)


for _line in sys.stdin:
    print(json.dumps({"numpy": version()}), flush=True)
