"""Bots, their versions and uploads. Running code is the task of ``bots.runner``."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from esr_platform.request_ids import LONGEST, current_request_id


class BotQuerySet(models.QuerySet["Bot"]):
    def playing(self) -> BotQuerySet:
        """Neither retired, paused nor suspended."""
        return self.filter(retired=None, paused=None, suspended=None)

    def of_code(self) -> BotQuerySet:
        """Hosted and remote bots, without the rows of human players."""
        return self.exclude(kind=Bot.Kind.PERSON)


class Bot(models.Model):
    """A player on ladders and at tables: a hosted bot, a remote bot, or a human player.

    Its versions change; the bot keeps its name. The program of a ``remote`` bot runs elsewhere and plays over the API;
    its versions are labels (``RemoteBot``). A ``person`` represents its owner at tables (``bots.owners``): it has one
    version without code, and the name of its owner. All guests share the row ``GUEST``.

    A bot belongs either to a user (``owner``) or to the platform (``house_name``, a name in ``bots.house.catalogue``).
    A ``retired`` or ``paused`` bot gets no new matches. Its owner retires it. It is paused after
    ``ladder.matches.pauses.MOST_BAD`` bad matches in a row, or when its code is lost, and a sentence states the reason.
    A bot that staff ``suspended``, alone or with its owner (``suspended_with_owner``), is off its ladders until staff
    lift this.
    """

    class Kind(models.TextChoices):
        HOSTED = "hosted", "Hosted bot"
        REMOTE = "remote", "Remote bot"
        PERSON = "person", "Human player"

    GUEST = "guest"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HOSTED, editable=False)
    description = models.TextField(max_length=2000, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="bots"
    )
    house_name = models.CharField(max_length=60, blank=True, editable=False)
    public_source = models.BooleanField(default=False, help_text="whether everyone may download the active version")
    retired = models.DateTimeField(null=True, blank=True)
    paused = models.DateTimeField(null=True, blank=True)
    pause_reason = models.CharField(max_length=500, blank=True, help_text="public reason for the pause")
    bad_in_a_row = models.PositiveIntegerField(default=0, help_text="consecutive matches lost by its own failure")
    suspended = models.DateTimeField(null=True, blank=True, editable=False)
    suspension_reason = models.CharField(
        max_length=500, blank=True, help_text="reason of the suspension, for the owner"
    )
    suspended_with_owner = models.BooleanField(default=False, help_text="whether it is suspended only with its owner")
    created = models.DateTimeField(auto_now_add=True)

    objects = BotQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                name="bot_belongs_to_a_person_or_to_the_house",
                condition=Q(owner__isnull=False, house_name="") | Q(owner__isnull=True) & ~Q(house_name=""),
            ),
            models.CheckConstraint(
                name="bot_kind_is_known_and_the_house_is_hosted_or_guest",
                condition=Q(kind="hosted") & ~Q(house_name="guest")
                | Q(kind="remote", house_name="")
                | Q(kind="person", house_name__in=["", "guest"]),
            ),
            models.UniqueConstraint(name="bot_of_a_person_once", fields=["owner"], condition=Q(kind="person")),
            models.UniqueConstraint(name="bot_house_name_once", fields=["house_name"], condition=~Q(house_name="")),
            models.CheckConstraint(
                name="bot_paused_says_why",
                condition=Q(paused__isnull=True, pause_reason="") | Q(paused__isnull=False) & ~Q(pause_reason=""),
            ),
            models.CheckConstraint(
                name="bot_suspended_says_why",
                condition=Q(suspended__isnull=True, suspension_reason="", suspended_with_owner=False)
                | Q(suspended__isnull=False) & ~Q(suspension_reason=""),
            ),
            models.CheckConstraint(
                name="bot_slugs_of_the_house_are_its_own",
                condition=~Q(house_name="") | ~Q(slug__startswith="house-"),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def active_version(self) -> BotVersion | None:
        """The active version, or ``None``."""
        return self.versions.filter(active=True).first()

    @property
    def plays(self) -> bool:
        """Whether the bot is neither retired, paused nor suspended."""
        return self.retired is None and self.paused is None and self.suspended is None


class BotVersion(models.Model):
    """One state of a bot's code, named by its hash; versions are appended, and their code never changes.

    An uploaded one is queued, then validated in the sandbox, and ready or rejected. It is undecided if the host was too
    slow or failed too often; it is then validated again at ``retry_at``. Only a ready one plays.
    ``formats`` are the formats that it supports: seat counts by the slug of the game. ``chosen`` is empty if they are
    those of the manifest; otherwise the uploader chose them, and the same code with another choice is another version.
    A remote bot's version is a ``label`` that its owner gave to a state of its program, and has no archive.
    """

    class State(models.TextChoices):
        RECEIVED = "received", "Queued"
        VALIDATING = "checking", "Validating"
        READY = "ready", "Validated"
        UNDECIDED = "undecided", "Undecided"
        REJECTED = "refused", "Rejected"

    QUEUED = (State.RECEIVED, State.VALIDATING)
    """The states of a version in the validation queue."""

    UNVALIDATED = (*QUEUED, State.UNDECIDED)
    """The states of a version without a verdict."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the code, hex")
    active = models.BooleanField(default=False, help_text="whether new matches use this version")
    state = models.CharField(max_length=10, choices=State, default=State.READY)
    reason = models.CharField(max_length=1000, blank=True, help_text="why it is rejected or undecided, for the owner")
    archive = models.CharField(max_length=100, blank=True, db_index=True, help_text="path in the storage ``uploads``")
    filename = models.CharField(max_length=100, blank=True, help_text="original file name")
    label = models.CharField(max_length=60, blank=True, help_text="label of a remote bot's version")
    size = models.PositiveIntegerField(default=0, help_text="size of the archive in bytes")
    language = models.CharField(max_length=20, default="python")
    command = models.JSONField(default=list, blank=True, help_text="the file to start and its arguments")
    formats = models.JSONField(default=dict, blank=True)
    chosen = models.CharField(max_length=500, blank=True, help_text="the formats, if the uploader chose them")
    notices = models.JSONField(default=list, blank=True, help_text="codes and texts of notices about the upload")
    validation_report = models.JSONField(null=True, blank=True, help_text="the validation report, see bots.reports")
    vain_starts = models.PositiveSmallIntegerField(
        default=0, help_text="attempts at a game of the validation since the last finished one"
    )
    retry_at = models.DateTimeField(null=True, blank=True, help_text="when an undecided version is validated again")
    lease = models.UUIDField(null=True, blank=True, unique=True, help_text="lease of the validating worker")
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(
        max_length=120, blank=True, default="", db_default="", help_text="the worker that claimed it last"
    )
    rejected_by = models.CharField(
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="the worker host whose rejection another machine has to confirm",
    )
    tried = models.DateTimeField(null=True, blank=True, help_text="when a worker last claimed it")
    validated = models.DateTimeField(null=True, blank=True, help_text="when its validation ended")
    request_id = models.CharField(
        max_length=LONGEST,
        blank=True,
        default=current_request_id,
        db_default="",
        help_text="of the upload, for the logs",
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["bot", "number"]
        indexes = [
            models.Index(
                name="version_to_be_checked",
                fields=["created"],
                condition=Q(state__in=["received", "checking", "undecided"]),
            ),
        ]
        constraints = [
            models.UniqueConstraint(name="version_number_once_a_bot", fields=["bot", "number"]),
            models.UniqueConstraint(name="version_digest_once_a_bot", fields=["bot", "digest", "chosen"]),
            models.UniqueConstraint(name="version_one_active_a_bot", fields=["bot"], condition=Q(active=True)),
            models.CheckConstraint(name="version_counts_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(name="version_digest_is_sha256", condition=Exact(Length("digest"), 64)),
            models.CheckConstraint(name="version_plays_only_when_ready", condition=Q(active=False) | Q(state="ready")),
            models.CheckConstraint(
                name="version_state_is_known",
                condition=Q(state__in=["received", "checking", "ready", "undecided", "refused"]),
            ),
            models.CheckConstraint(
                name="version_says_why_it_is_refused_or_undecided",
                condition=Q(state__in=["refused", "undecided"]) & ~Q(reason="")
                | ~Q(state__in=["refused", "undecided"]) & Q(reason=""),
            ),
            models.CheckConstraint(
                name="version_undecided_is_checked_again",
                condition=Q(state="undecided", retry_at__isnull=False)
                | ~Q(state="undecided") & Q(retry_at__isnull=True),
            ),
            models.CheckConstraint(
                name="version_has_a_lease_only_while_it_is_checked",
                condition=Q(lease__isnull=True, lease_until__isnull=True)
                | Q(state="checking", lease__isnull=False, lease_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"

    def supports(self, game: str, seats: int) -> bool:
        """Return whether the version supports a format. Formats of house bots are in ``bots.house.catalogue``."""
        return seats in self.formats.get(game, ())


class RemoteBot(models.Model):
    """What there is to know of a bot whose program runs elsewhere: how much it takes on, and when it was last here.

    It is online while its stream is open or it keeps asking for decisions (``bots.remote.here``). ``seen_at`` is
    renewed every few seconds; ``here_since`` is when this time online began, ``None`` after the stream has closed.
    It could have begun another game from ``waits_since`` on, which is in the future right after a game.
    ``stream`` identifies the newest stream while it is open. An older one of the same bot is closed.
    """

    bot = models.OneToOneField(Bot, on_delete=models.CASCADE, primary_key=True, related_name="remote")
    games_at_once = models.PositiveSmallIntegerField(default=1, help_text="0 means no new games")
    seen_at = models.DateTimeField(null=True, blank=True)
    here_since = models.DateTimeField(null=True, blank=True)
    waits_since = models.DateTimeField(null=True, blank=True, editable=False)
    stream = models.UUIDField(null=True, blank=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["bot"]
        indexes = [models.Index(name="remote_bot_seen", fields=["-seen_at"])]
        constraints = [
            models.CheckConstraint(name="remote_bot_plays_not_too_many", condition=Q(games_at_once__range=(0, 32))),
        ]

    def __str__(self) -> str:
        return f"remote {self.bot}"


class Upload(models.Model):
    """An upload of a user and its result. The rows are also counted for the hourly limit."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    bot = models.ForeignKey(Bot, null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads")
    version = models.ForeignKey(BotVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads")
    filename = models.CharField(max_length=100, blank=True)
    size = models.PositiveIntegerField(help_text="bytes")
    refusal = models.CharField(max_length=1000, blank=True, help_text="why the upload was rejected")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created", "-pk"]
        indexes = [models.Index(name="upload_by_owner", fields=["owner", "-created"])]

    def __str__(self) -> str:
        return f"{self.filename or 'an upload'} of {self.owner}"


class BotReport(models.Model):
    """A report about the name or the description of a bot, for moderators."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="bot_reports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="bot_reports")
    text = models.CharField(max_length=500, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    settled = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="bot_reports_settled"
    )

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.UniqueConstraint(name="bot_report_once_a_person", fields=["bot", "by"], condition=Q(settled=None)),
        ]

    def __str__(self) -> str:
        return f"about {self.bot} by {self.by}"


class TextRemoval(models.Model):
    """The removal of a bot's name or description by a moderator: who, when, why, and the removed text.

    Rows are never changed or deleted. The owner cannot use the same text for any of their bots (``bots.names``).
    """

    class What(models.TextChoices):
        NAME = "name", "name"
        DESCRIPTION = "description", "description"

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="text_removals")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="text_removals")
    what = models.CharField(max_length=20, choices=What)
    before = models.TextField()
    reason = models.CharField(max_length=500, blank=True, help_text="for the owner")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return f"{self.what} of {self.bot} by {self.by}"


class StaffActionQuerySet(models.QuerySet["StaffAction"]):
    def update(self, **kwargs: Any) -> int:  # noqa: ARG002
        """Raise ``AppendOnlyError``: staff actions cannot be changed."""
        raise AppendOnlyError("Staff actions cannot be changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        """Raise ``AppendOnlyError``: staff actions cannot be deleted."""
        raise AppendOnlyError("Staff actions cannot be deleted.")


class AppendOnlyError(TypeError):
    """An attempt to change or delete an append-only row."""


class StaffAction(models.Model):
    """An action of a staff member on a bot, an account or a part of the site: who, what, when and why.

    ``subject`` is the part of the site: a host, or a kind of ``Intake``; for a role, it is the new role of ``person``.
    Rows are append-only. The database also rejects changes. Removed texts are stored in ``TextRemoval``.
    """

    class What(models.TextChoices):
        SUSPENDED_PERSON = "suspended person", "Suspended the account"
        LIFTED_PERSON = "lifted person", "Lifted the suspension of the account"
        BLANKED_PERSON = "blanked person", "Removed the username"
        SUSPENDED_BOT = "suspended bot", "Suspended the bot"
        LIFTED_BOT = "lifted bot", "Lifted the suspension of the bot"
        BLANKED_NAME = "blanked name", "Removed the name"
        BLANKED_DESCRIPTION = "blanked description", "Removed the description"
        GAVE_ROLE = "gave role", "Changed the role"
        DRAINED_HOST = "drained host", "Drained the host"
        RESUMED_HOST = "resumed host", "Resumed the host"
        PAUSED_INTAKE = "paused intake", "Paused"
        RESUMED_INTAKE = "resumed intake", "Resumed"

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="staff_actions")
    what = models.CharField(max_length=20, choices=What)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="acted_on"
    )
    bot = models.ForeignKey(Bot, null=True, blank=True, on_delete=models.PROTECT, related_name="staff_actions")
    subject = models.CharField(max_length=255, blank=True, default="", db_default="")
    reason = models.CharField(max_length=500, blank=True)
    created = models.DateTimeField(db_default=Now(), editable=False)

    objects = StaffActionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="staff_action_is_on_one_thing",
                condition=Q(bot__isnull=True, person__isnull=False)
                | Q(bot__isnull=False, person__isnull=True, subject="")
                | Q(bot__isnull=True, person__isnull=True) & ~Q(subject=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.get_what_display()}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save a new action. Raises ``AppendOnlyError`` for an existing one."""
        if not self._state.adding:
            raise AppendOnlyError("Staff actions cannot be changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:  # noqa: ARG002
        """Raise ``AppendOnlyError``: staff actions cannot be deleted."""
        raise AppendOnlyError("Staff actions cannot be deleted.")


class Machine(models.Model):
    """A host with workers and the latest result of its sandbox self-test (``bots.sandbox.status``), for staff."""

    host = models.CharField(max_length=255, unique=True)
    sandbox = models.JSONField()
    told = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["host"]

    def __str__(self) -> str:
        return self.host


class Drain(models.Model):
    """A host that gets no new work: no match and no validation. It finishes what it has begun.

    ``host`` is as in the names of workers: the name of a machine of the site, or ``WorkerHost.worker``. The row is
    deleted when the host is resumed. ``StaffAction`` has the history.
    """

    host = models.CharField(max_length=255, unique=True)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["host"]

    def __str__(self) -> str:
        return f"drain of {self.host}"


class WorkerScope(models.TextChoices):
    """What a worker host may do. No scope includes another scope."""

    MATCHES = "matches", "play matches of ladders, cups and exhibitions"
    VALIDATIONS = "validations", "validate uploads"
    LIVE = "live", "play for hosted bots at live tables"


class WorkerHostQuerySet(models.QuerySet["WorkerHost"]):
    def live(self) -> WorkerHostQuerySet:
        """Those whose token is not revoked."""
        return self.filter(revoked=None)


class WorkerHost(models.Model):
    """A machine that plays for the site over the API, with a token instead of the site's secrets.

    Only a hash of the token is stored. ``state`` and ``message`` are of its last request for work, and ``sandbox`` is
    what it said about its sandbox: no setting of the site follows from it.
    """

    class State(models.TextChoices):
        NEW = "new", "has never asked for work"
        READY = "ready", "asks for work"
        NO_SANDBOX = "no_sandbox", "plays only house bots, because its sandbox does not work"
        CLOCK_OFF = "clock_off", "asks for work, but its clock is wrong"
        OTHER_RELEASE = "other_release", "gets no work, because it runs another release"
        RESTING = "resting", "gets no work for a minute, because it failed at several matches"
        DRAINED = "drained", "gets no work, because an operator has drained it"

    name = models.SlugField(max_length=40, unique=True, help_text="given by the operator")
    hint = models.CharField(max_length=12, help_text="start of the token, to tell tokens apart")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, hex")
    scopes = models.JSONField(default=list, help_text="a list of scopes")
    state = models.CharField(max_length=20, choices=State, default=State.NEW)
    message = models.CharField(max_length=300, blank=True, help_text="details of the state")
    release = models.CharField(max_length=40, blank=True)
    sandbox = models.JSONField(default=dict, blank=True)
    asked = models.DateTimeField(null=True, blank=True, help_text="last request for work")
    created = models.DateTimeField(db_default=Now())
    revoked = models.DateTimeField(null=True, blank=True)

    WORKER = "host:"
    """The start of the names of workers on such hosts, which no machine of the site has."""

    objects = WorkerHostQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(name="worker_host_digest_is_sha256", condition=Exact(Length("digest"), 64)),
            models.CheckConstraint(
                name="worker_host_state_is_known",
                condition=Q(
                    state__in=["new", "ready", "no_sandbox", "clock_off", "other_release", "resting", "drained"]
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def allows(self, scope: WorkerScope) -> bool:
        """Whether its token has ``scope``."""
        return scope.value in self.scopes

    @property
    def worker(self) -> str:
        """The host in the names of workers, which no machine of the site has."""
        return f"{self.WORKER}{self.name}"
