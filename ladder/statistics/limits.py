"""What is asked of a pair before it is named."""

from __future__ import annotations

LEAST_BLOCKS = 8
"""Common blocks from which on a pair is looked at."""

ALARM = 0.01
"""The share of named pairs that may be false alarms."""

MATERIAL = 0.25
"""The excess a game that is worth a look, in goods at the mean of what was paid for one."""
