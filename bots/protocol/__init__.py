"""Messages between the platform and a bot, independent of their transport: see ``docs/reference/bot-protocol.md``."""

from __future__ import annotations

from bots.protocol.answers import MAX_ANSWER_BYTES, Answer, Malformed, Posted, is_ready, parse_answer, parse_posted
from bots.protocol.messages import (
    PROTOCOL,
    ClockLeft,
    Decide,
    End,
    Hello,
    Limits,
    bot_seed,
    bot_seeds,
    encode,
    hello,
    limits_document,
)

__all__ = [
    "MAX_ANSWER_BYTES",
    "PROTOCOL",
    "Answer",
    "ClockLeft",
    "Decide",
    "End",
    "Hello",
    "Limits",
    "Malformed",
    "Posted",
    "bot_seed",
    "bot_seeds",
    "encode",
    "hello",
    "is_ready",
    "limits_document",
    "parse_answer",
    "parse_posted",
]
