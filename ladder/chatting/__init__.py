"""What people who play at a live table say to each other: words of their own at casual ones, presets at all.

Only signed-in players at the table write and read it, and whoever has switched it off does neither. Every line can be
reported, and hidden by staff.
"""

from __future__ import annotations

from ladder.chatting.forgetting import forget
from ladder.chatting.reporting import report, settle
from ladder.chatting.saying import say
from ladder.chatting.switching import switch

__all__ = ["forget", "report", "say", "settle", "switch"]
