"""Puts questions to several bots at once and hands each back as soon as it is over. It knows channels and time only."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter_ns
from typing import Final, TypeVar

from bots.runner.channel import News
from bots.runner.questions import Question

Q = TypeVar("Q", bound=Question)
WAKING_NS: Final = 50_000
"""More than it takes to wake the runner and let it sleep again."""

Core = AbstractContextManager[object]
"""Entered before a bot is asked and left when it has answered: a processor core that no other bot has meanwhile."""

ANY_CORE: Final[Core] = nullcontext()
"""Whatever core the system gives: bots of other games may share it."""


def ask(questions: Sequence[Q], at_once: int, core: Core = ANY_CORE) -> Iterator[Q]:
    """Put ``questions``, at most ``at_once`` open at a time, and yield each when it is over.

    The clock of a question starts when it is put. All that came in by one wake-up counts as having come at that
    moment, so that no seat pays for the time its neighbour's answer takes to read. Questions that are put one at a time
    hold ``core``.
    """
    if len(questions) > 1 < at_once:
        return _ask_several(deque(questions), at_once)
    return _ask_in_turn(questions, core)


def _ask_in_turn(questions: Sequence[Q], core: Core) -> Iterator[Q]:
    for question in questions:
        ask_one(question, core)
        yield question


def ask_one(question: Question, core: Core = ANY_CORE) -> None:
    """Put one question and wait until it is over: what most decisions need, without the ado of several."""
    with core:
        _ask_one(question)


def _ask_one(question: Question) -> None:
    question.put()
    channel, now_ns = question.channel, question.started_ns
    if channel.lines or channel.ended:
        question.hear(now_ns)
    while not question.over:
        news = channel.wait(question.look_ns - now_ns)
        now_ns = perf_counter_ns()
        _take(question, news, now_ns)


def _ask_several(waiting: deque[Q], at_once: int) -> Iterator[Q]:
    open_now: list[Q] = []
    while waiting or open_now:
        while waiting and len(open_now) < at_once:
            question = waiting.popleft()
            question.put()
            question.hear(question.started_ns)
            if question.over:
                yield question
            else:
                open_now.append(question)
        if open_now:
            _listen(open_now)
        over = [question for question in open_now if question.over]
        open_now = [question for question in open_now if not question.over]
        yield from over


def _listen(open_now: Sequence[Question]) -> None:
    """Wait until something comes for anybody or it is time to look; let every question take what is there for it."""
    look_ns = min(question.look_ns for question in open_now)
    channels = [question.channel for question in open_now]
    news_of_all = type(channels[0]).wait_for_any(channels, look_ns - perf_counter_ns())
    now_ns = perf_counter_ns()
    for question, news in zip(open_now, news_of_all, strict=True):
        _take(question, news, now_ns)


def _take(question: Question, news: News, now_ns: int) -> None:
    if news:
        if question.channel.take(news):
            question.hear(now_ns)
            if question.over:
                return
        question.attended_ns += perf_counter_ns() - now_ns + WAKING_NS
    if now_ns >= question.look_ns:
        question.look(now_ns)
