from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion, Upload
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token
from esr_platform.leases import claimed
from esr_platform.prepared import ConditionalUpdate, Prepared, PreparedInsert, PreparedUpdate
from tests.build import person, uploaded

pytestmark = pytest.mark.django_db

LASTS = timedelta(seconds=30)


def test_a_query_gives_the_rows_for_each_value_that_it_is_asked_for() -> None:
    first, second = uploaded(person("ann"), "First"), uploaded(person("ben"), "Second")
    named: Prepared[Any] = Prepared(
        lambda name: Bot.objects.filter(name=name).select_related("owner").annotate(own=F("owner"))
    )
    for bot in (first, second, first):
        (row,) = named(name=bot.name)
        assert (row, row.owner, row.own) == (bot, bot.owner, bot.owner_id)
    assert named(name="Nobody") == []


def test_rows_come_with_their_related_rows_and_annotations() -> None:
    ann, bot = person("ann"), uploaded(person("ben"), "First")
    tokens.issue(ann, "of nobody's bot", [Scope.READ], None)
    of_user: Prepared[Any] = Prepared(
        lambda user: Token.objects.filter(user=user).select_related("user", "bot__owner").annotate(since=F("created"))
    )
    versions: Prepared[Any] = Prepared(lambda bot: BotVersion.objects.filter(bot=bot).select_related("bot__owner"))
    with CaptureQueriesContext(connection) as asked:
        (token,), (version,) = of_user(user=ann.pk), versions(bot=bot.pk)
        assert (token.user, token.bot, token.since) == (ann, None, token.created)
        assert (version.bot, version.bot.owner) == (bot, bot.owner)
    assert len(asked) == 2
    known = BotVersion.objects.get(bot=bot)
    for field in known._meta.concrete_fields:
        assert getattr(version, field.attname) == getattr(known, field.attname)


def test_a_flat_list_and_counted_groups_are_read_as_django_reads_them() -> None:
    bot = uploaded(person("ann"), "First")
    assert Prepared(lambda pk: Bot.objects.filter(pk=pk).values_list("name", flat=True))(pk=bot.pk) == ["First"]
    counted: Prepared[Any] = Prepared(
        lambda pk: BotVersion.objects.filter(bot__pk=pk).order_by().values("bot").annotate(versions=Count("pk"))
    )
    assert counted(pk=bot.pk) == [{"bot": bot.pk, "versions": 1}]


def test_values_are_told_apart_wherever_they_stand_in_the_sql() -> None:
    bot = uploaded(person("ann"), "First")
    versions: Prepared[Any] = Prepared(
        lambda number, bot: BotVersion.objects.filter(bot=bot, number=number).values_list("bot__name", "created"),
    )
    version = bot.versions.get()
    assert versions(number=version.number, bot=bot.pk) == [("First", version.created)]
    assert versions(bot=bot.pk, number=version.number + 1) == []


def test_a_list_may_have_any_length() -> None:
    bots = [uploaded(person(name), name) for name in ("ann", "ben", "cid")]
    query = Prepared(lambda bots: Bot.objects.filter(pk__in=bots).order_by("pk").values("pk", "name"))
    for wanted in (bots, bots[:1], bots[1:], bots[:2]):
        assert query(bots=[bot.pk for bot in wanted]) == [{"pk": bot.pk, "name": bot.name} for bot in wanted]
    with CaptureQueriesContext(connection) as asked:
        assert query(bots=[]) == []
    assert len(asked) == 0


def test_a_number_that_no_column_can_hold_matches_nothing() -> None:
    numbered: Prepared[Any] = Prepared(lambda pk: Bot.objects.filter(pk=pk))
    with CaptureQueriesContext(connection) as asked:
        assert numbered(pk=2**63) == numbered(pk=-(2**63) - 1) == []
    assert not asked


def test_it_asks_the_database_anew_each_time() -> None:
    bot = uploaded(person("ann"), "First")
    named = Prepared(lambda pk: Bot.objects.filter(pk=pk).values_list("name"))
    assert named(pk=bot.pk) == [("First",)]
    Bot.objects.update(name="Other")
    with CaptureQueriesContext(connection) as asked:
        assert named(pk=bot.pk) == [("Other",)]
    assert len(asked) == 1


def test_a_value_that_the_query_does_not_use_is_an_error() -> None:
    def make(number: int) -> QuerySet[Bot]:
        return Bot.objects.all()

    with pytest.raises(AssertionError, match="not asked for"):
        Prepared(make)(number=1)


def test_new_rows_are_written_as_django_would_write_them() -> None:
    made = uploaded(person("ann"), "First")
    new = Bot(
        **{
            field.attname: getattr(made, field.attname)
            for field in Bot._meta.concrete_fields
            if field.name not in ("id", "slug", "name")
        },
        slug="second",
        name="Second'); --",
    )
    PreparedInsert(Bot)([new])
    row = Bot.objects.get(slug="second")
    assert (row, row.name, row.owner_id) == (new, new.name, made.owner_id)
    assert row.created == new.created > made.created, "the time at which it was written"


def test_the_named_columns_of_rows_are_written_and_no_others() -> None:
    first, second = uploaded(person("ann"), "First"), uploaded(person("ben"), "Second")
    Bot.objects.update(description="written meanwhile")
    first.name, second.name = "Third", "Fourth"
    with CaptureQueriesContext(connection) as asked:
        PreparedUpdate(Bot, ["name"])([first, second])
    assert len(asked) == 1
    written = Bot.objects.order_by("pk").values_list("name", "description")
    assert list(written) == [("Third", "written meanwhile"), ("Fourth", "written meanwhile")]


def test_a_row_that_is_not_there_is_not_written_in_silence() -> None:
    gone = uploaded(person("ann"), "First")
    gone.pk += 1
    with pytest.raises(DatabaseError, match="there is no"), transaction.atomic():
        PreparedUpdate(Bot, ["name"])([gone])


def test_new_rows_get_their_keys_in_order_and_the_time_of_the_database() -> None:
    bot = uploaded(person("ann"), "First")
    new = [Upload(owner=bot.owner, bot=bot, size=size) for size in (3, 2, 1)]
    with CaptureQueriesContext(connection) as asked:
        PreparedInsert(Upload, now=["created"])(new)
        PreparedInsert(Upload)([])
    assert len(asked) == 1
    assert [(row.pk, row.size) for row in Upload.objects.filter(size__lt=4).order_by("pk")] == [
        (upload.pk, upload.size) for upload in new
    ]
    assert not Upload.objects.filter(created__gt=Now()).exists()


def test_rows_are_changed_on_a_condition_with_values_that_come_later() -> None:
    bot = uploaded(person("ann"), "First")
    rename = ConditionalUpdate(
        lambda pk, old, lease: (
            BotVersion.objects.filter(bot__pk=pk, label=old),
            {"label": "new", "state": "checking", "active": False, "number": F("number") + 1, **claimed(lease, LASTS)},
        )
    )
    token = uuid4()
    with CaptureQueriesContext(connection) as asked:
        assert rename(pk=bot.pk, old="other", lease=token) == 0
        assert rename.returning("number", pk=bot.pk, old="", lease=token) == [2]
        assert rename.returning("number", pk=bot.pk, old="", lease=token) == []
    assert len(asked) == 3
    version = bot.versions.get()
    assert (version.label, version.lease, version.number) == ("new", token, 2)


def test_only_the_named_columns_of_rows_and_related_rows_are_read() -> None:
    bot = uploaded(person("ann"), "First")
    named: Prepared[Any] = Prepared(
        lambda pk: BotVersion.objects.filter(bot__pk=pk).select_related("bot").only("number", "bot__name")
    )
    (version,) = named(pk=bot.pk)
    assert "digest" in version.get_deferred_fields()
    assert "owner_id" in version.bot.get_deferred_fields()
    with CaptureQueriesContext(connection) as asked:
        assert (version.number, version.bot.name) == (1, "First")
    assert len(asked) == 0
    assert version.digest == bot.versions.get().digest
