"""Puts questions to several bots at once and hands each back as soon as it is over. It knows pipes and time only."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Iterable, Iterator
from time import monotonic_ns
from typing import Final, TypeVar

from bots.runner.clock import MS
from bots.runner.questions import Question

_READ: Final = select.POLLIN
_WRITE: Final = select.POLLOUT

Q = TypeVar("Q", bound=Question)


def ask(questions: Iterable[Q], at_once: int) -> Iterator[Q]:
    """Put ``questions``, at most ``at_once`` open at a time, and yield each when it is over.

    The clock of a question starts when it is put. All that came in by one wake-up counts as having come at that
    moment, so that no seat pays for the time its neighbour's answer takes to read.
    """
    waiting, open_now, poll = deque(questions), list[Q](), select.poll()
    by_descriptor: dict[int, Q] = {}
    while waiting or open_now:
        while waiting and len(open_now) < at_once:
            question = waiting.popleft()
            question.put()
            open_now.append(question)
            _watch(question, poll, by_descriptor)
            question.hear(monotonic_ns())
        _listen(open_now, poll, by_descriptor)
        over = [question for question in open_now if question.over]
        for question in over:
            open_now.remove(question)
            if waiting or open_now:
                _forget(question, poll, by_descriptor)
            yield question


def _listen(open_now: list[Q], poll: select.poll, by_descriptor: dict[int, Q]) -> None:
    """Wait until something comes or it is time to look, and let every question take what is there for it."""
    if any(question.over for question in open_now):
        return
    look_ns = min(question.look_ns for question in open_now)
    events = poll.poll(max(0, (look_ns - monotonic_ns()) / MS))
    now_ns = monotonic_ns()
    for descriptor, _ in events:
        question = by_descriptor[descriptor]
        if not question.over:
            _take(question, descriptor, poll, now_ns)
    for question in open_now:
        if not question.over and now_ns >= question.look_ns:
            question.look(now_ns)


def _take(question: Question, descriptor: int, poll: select.poll, now_ns: int) -> None:
    channel = question.channel
    if descriptor == channel.stdout:
        channel.receive()
        question.hear(now_ns)
    elif descriptor == channel.stderr:
        channel.listen()
        if not channel.stderr_open:
            poll.unregister(descriptor)
    else:
        channel.flush()
        if not channel.unsent:
            poll.unregister(descriptor)


def _watch(question: Q, poll: select.poll, by_descriptor: dict[int, Q]) -> None:
    channel = question.channel
    poll.register(channel.stdout, _READ)
    by_descriptor[channel.stdout] = question
    if channel.stderr_open:
        poll.register(channel.stderr, _READ)
        by_descriptor[channel.stderr] = question
    if channel.unsent:
        poll.register(channel.stdin, _WRITE)
        by_descriptor[channel.stdin] = question


def _forget(question: Q, poll: select.poll, by_descriptor: dict[int, Q]) -> None:
    channel = question.channel
    for descriptor in (channel.stdout, channel.stderr, channel.stdin):
        if by_descriptor.pop(descriptor, None) is not None:
            try:
                poll.unregister(descriptor)
            except KeyError:
                continue
