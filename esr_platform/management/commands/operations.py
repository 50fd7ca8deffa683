"""``manage.py operations``: what the page *Operations* shows and does, for when the web processes do not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError

from bots.models import WorkerHost
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Intake, User
from esr_platform.health import State
from esr_platform.operations.overview import Host, Overview, overview
from ladder import operations
from ladder.models import Ladder


class Command(BaseCommand):
    help = "Show queues, workers and stuck matches, and act on them. Without an action, show everything."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action")
        actions.add_parser("show", help="show checks, queues, workers, stuck matches, pauses, emails and queries")
        for name, (help_text, subject, about, choices, _act) in _ACTIONS.items():
            action = actions.add_parser(name, help=help_text)
            action.add_argument(subject, help=about, choices=choices)
            action.add_argument("--by", required=True, metavar="USER", help="your username; you must be an operator")
            action.add_argument("--reason", required=True, help="reason, for the audit log")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["action"] in (None, "show"):
            try:
                self.stdout.write("\n".join(_lines(overview())))
            except (DatabaseError, InterfaceError) as error:
                raise CommandError(f"The database does not answer. Run `manage.py health`. {error}") from error
            return
        _help, subject, _about, _choices, act = _ACTIONS[options["action"]]
        try:
            self.stdout.write(act(options[subject], options["reason"], staff_member(options["by"])))
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal


def staff_member(name: str) -> User:
    """The user with this name. Raises ``Refused``."""
    user: User | None = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise Refused(f"User {name} not found. Pass an existing username.", code="unknown_user")
    return user


# --- Actions ---------------------------------------------------------------------------------------------------------


def _requeue(number: str, reason: str, by: User) -> str:
    if not number.isdecimal():
        raise Refused(f"{number} is not the number of a match. It is in the URL of its page.", code="match_ended")
    operations.requeue(int(number), reason, by)
    return f"Queued match {number} again."


def _host(name: str) -> str:
    """The host in the names of workers: worker hosts can be named without the prefix."""
    return f"{WorkerHost.WORKER}{name}" if WorkerHost.objects.filter(name=name).exists() else name


def _drain(name: str, reason: str, by: User) -> str:
    operations.drain(_host(name), reason, by)
    return f"Drained {name}. It finishes what it plays. `manage.py operations` shows when it plays nothing."


def _resume_host(name: str, reason: str, by: User) -> str:
    operations.resume_host(_host(name), reason, by)
    return f"{name} gets work again."


def _ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Refused(f"Ladder {slug} not found. Pass the slug from its URL.", code="unknown_ladder")
    return ladder


def _pause(slug: str, reason: str, by: User) -> str:
    operations.pause(_ladder(slug), reason, by)
    return f"Paused {slug}. Running matches are finished."


def _resume(slug: str, reason: str, by: User) -> str:
    operations.resume(_ladder(slug), reason, by)
    return f"Resumed {slug}."


def _pause_intake(kind: str, reason: str, by: User) -> str:
    operations.pause_intake(Intake(kind), reason, by)
    return f"The site accepts no new {kind}."


def _resume_intake(kind: str, reason: str, by: User) -> str:
    operations.resume_intake(Intake(kind), reason, by)
    return f"The site accepts {kind} again."


_Act = Callable[[str, str, User], str]
_ACTIONS: Final[Mapping[str, tuple[str, str, str, list[str] | None, _Act]]] = {
    "requeue": ("queue a match again", "match", "match id", None, _requeue),
    "drain": ("give no new work to a host", "host", "name of the host", None, _drain),
    "resume-host": ("give work to a drained host again", "host", "name of the host", None, _resume_host),
    "pause": ("begin no match of a ladder; the reason is public", "ladder", "slug of the ladder", None, _pause),
    "resume": ("let matches of a paused ladder begin again", "ladder", "slug of the ladder", None, _resume),
    "pause-intake": ("refuse new ones; the reason is public", "kind", "what is refused", Intake.values, _pause_intake),
    "resume-intake": ("accept new ones again", "kind", "what is accepted", Intake.values, _resume_intake),
}
"""By name: help, name of the argument, its help and choices, and what to do."""

# --- Everything that operators see -----------------------------------------------------------------------------------


def _lines(seen: Overview) -> Iterator[str]:
    yield "CHECKS"
    for finding in seen.findings:
        yield f"  {finding.check.name:12}{finding.state:9}{finding.problem}".rstrip()
        if finding.state is State.FAILED:
            yield f"  {'':21}{finding.check.remedy}"
    yield "QUEUES"
    for one in seen.queues:
        oldest = "-" if one.queue.oldest is None else f"{one.queue.oldest.total_seconds():.0f} s"
        later = f", {one.queue.later} later" if one.queue.later else ""
        counts = f"{one.queue.waiting} waiting, {one.queue.running} running{later}"
        yield f"  {one.name:13}{counts}, longest wait {oldest}"
    messages = "unknown, because Redis does not answer"
    if seen.messages is not None:
        messages = ", ".join(f"{queue} {number}" for queue, number in seen.messages.items())
    yield f"  messages     {messages}"
    yield "WORKERS"
    yield from map(_host_line, seen.hosts)
    yield "PAUSED"
    for ladder in seen.paused:
        yield f"  ladder {ladder.slug}  since {_time(ladder.paused)}: {ladder.pause_reason}"
    for pause in (intake.pause for intake in seen.intake if intake.pause is not None):
        yield f"  intake {pause.kind}  since {_time(pause.since)}: {pause.reason}"
    yield from _problems(seen)


def _problems(seen: Overview) -> Iterator[str]:
    yield "STUCK MATCHES"
    for stuck in seen.stuck:
        failure = f" Last failure: {stuck.attempt.failure}" if stuck.attempt and stuck.attempt.failure else ""
        yield f"  {stuck.match.pk}  {stuck.match.ladder.slug}  since {_time(stuck.since)}: {stuck.why.value}.{failure}"
    if seen.stuck:
        yield "  Queue one again with `manage.py operations requeue`, or end it with `manage.py correct withdraw`."
    yield "FAILED EMAILS"
    for email in seen.emails or ():
        yield f"  {_time(email.at)}  {email.values['to']}  {email.values['subject']}: {email.values['problem']}"
    yield "SLOW QUERIES"
    for query in seen.running:
        yield f"  now, for {query.seconds:.0f} s, pid {query.pid}, {query.state}: {query.sql[:200]}"
    for slow in seen.slow or ():
        yield f"  {_time(slow.at)}  {slow.values['ms']} ms  {slow.values['task']}  {slow.values['sql'][:200]}"


def _host_line(host: Host) -> str:
    seen = "never" if host.seen is None else _time(host.seen)
    about = host.drain.reason if host.drain else host.message
    text = f"  {host.label}  plays {host.playing}  seen {seen}  {host.state}"
    return f"{text}: {about}" if about else text


def _time(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
