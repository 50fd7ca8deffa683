"""Puts questions to several bots at once and hands each back as soon as it is over. It knows pipes and time only."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Iterator, Sequence
from time import monotonic_ns
from typing import Final, TypeVar

from bots.runner.questions import Question

Q = TypeVar("Q", bound=Question)
_SECOND: Final = 1e9
WAKING_NS: Final = 50_000
"""More than it takes to wake the runner and let it sleep again."""


def ask(questions: Sequence[Q], at_once: int) -> Iterator[Q]:
    """Put ``questions``, at most ``at_once`` open at a time, and yield each when it is over.

    The clock of a question starts when it is put. All that came in by one wake-up counts as having come at that
    moment, so that no seat pays for the time its neighbour's answer takes to read.
    """
    if len(questions) > 1 < at_once:
        return _ask_several(deque(questions), at_once)
    return _ask_in_turn(questions)


def _ask_in_turn(questions: Sequence[Q]) -> Iterator[Q]:
    for question in questions:
        ask_one(question)
        yield question


def ask_one(question: Question) -> None:
    """Put one question and wait until it is over: what most decisions need, without the ado of several."""
    question.put()
    channel, now_ns = question.channel, question.started_ns
    epoll = channel.epoll
    if channel.lines or channel.ended:
        question.hear(now_ns)
    while not question.over:
        timeout = (question.look_ns - now_ns) / _SECOND
        events = epoll.poll(timeout if timeout > 0.0 else 0.0, 3)
        now_ns = monotonic_ns()
        _take(question, events, now_ns)


def _ask_several(waiting: deque[Q], at_once: int) -> Iterator[Q]:
    open_now: dict[int, Q] = {}
    poll = select.poll()
    while waiting or open_now:
        while waiting and len(open_now) < at_once:
            question = waiting.popleft()
            question.put()
            question.hear(question.started_ns)
            if question.over:
                yield question
                continue
            descriptor = question.channel.epoll.fileno()
            open_now[descriptor] = question
            poll.register(descriptor, select.POLLIN)
        if open_now:
            _listen(open_now, poll)
        for descriptor, question in list(open_now.items()):
            if question.over:
                del open_now[descriptor]
                poll.unregister(descriptor)
                yield question


def _listen(open_now: dict[int, Q], poll: select.poll) -> None:
    """Wait until something comes for anybody or it is time to look; let every question take what is there for it."""
    look_ns = min(question.look_ns for question in open_now.values())
    ready = {descriptor for descriptor, _ in poll.poll(max(0.0, (look_ns - monotonic_ns()) / 1e6))}
    now_ns = monotonic_ns()
    for descriptor, question in open_now.items():
        _take(question, question.channel.epoll.poll(0, 3) if descriptor in ready else [], now_ns)


def _take(question: Question, events: list[tuple[int, int]], now_ns: int) -> None:
    channel = question.channel
    for descriptor, _ in events:
        if descriptor == channel.stdout:
            channel.receive()
            question.hear(now_ns)
        elif descriptor == channel.stderr:
            channel.listen()
        else:
            channel.flush()
    if question.over:
        return
    if events:
        question.attended_ns += monotonic_ns() - now_ns + WAKING_NS
    if now_ns >= question.look_ns:
        question.look(now_ns)
