"""The page of operators: what it shows of a real site, and what each of its forms does."""

from __future__ import annotations

import smtplib
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from bots.models import Drain, Machine, StaffAction, WorkerHost
from esr_platform.accounts import mail
from esr_platform.accounts.models import Intake, IntakePause, Role
from esr_platform.figures import FAILED_EMAILS, SLOW_QUERIES
from esr_platform.health import CHECKS, Health
from esr_platform.operations import overview
from ladder.models import Attempt, Intervention, Ladder, Match
from tests import page as shown
from tests.build import DUEL, block_on, claimed, opened_house, person, signed_in, verified
from tests.services.locks import Meanwhile

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/staff/operations/"
WHY = {"reason": "A test"}


@pytest.fixture
def site(settings: Settings, broker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site with house bots, a machine that works, an old worker host and one with a wrong clock.

    It has no findings of another test yet, and waits for its checks on a busy machine.
    """
    monkeypatch.setattr(overview, "HEALTH", Health(patience_s=60))
    settings.REDIS_URL = broker
    opened_house()
    Machine.objects.create(host="alpha", sandbox={"ok": True, "rated": True})
    Machine.objects.create(host="beta", sandbox={"ok": False, "problem": "bwrap is missing", "remedy": "Install it."})
    for number, (name, state) in enumerate((("old", "other_release"), ("late", "clock_off"), ("full", "ready"))):
        WorkerHost.objects.create(
            name=name, digest=str(number) * 64, state=state, message=f"what to do on {name}", asked=Now(), release="0.1"
        )


@pytest.fixture
def olga(site: None) -> Client:
    return signed_in(person("olga", role=Role.OPERATOR))


def row(client: Client, attribute: str, value: object) -> shown.Element:
    return shown.page(client, PAGE).one(**{f"data_{attribute}": str(value)})


def test_it_lists_every_check_queue_and_host_with_its_state(olga: Client) -> None:
    match = block_on(Ladder.objects.get(slug=DUEL)).matches.get(seating=0)
    claimed(match, "alpha/1")
    page = shown.page(olga, PAGE)
    checks = {one["data-check"]: one["data-state"] for one in page.all(data_check=True)}
    assert set(checks) == {check.name for check in CHECKS}
    assert checks["database"] == "ok"
    assert {one["data-queue"] for one in page.all(data_queue=True)} == {
        *("rated", "cups", "exhibitions", "live", "decisions", "validations", "requests")
    }
    alpha, beta, old, late = (page.one(data_host=host).text for host in ("alpha", "beta", "host:old", "host:late"))
    assert [cell.text for cell in page.one(data_host="alpha").all("td", class_="num")] == ["1"]
    assert "bwrap is missing" in beta
    assert ("what to do on old" in old, "what to do on late" in late, "Works" in alpha) == (True, True, True)


def test_a_host_is_drained_and_resumed(olga: Client) -> None:
    for host in ("alpha", "host:full"):
        assert row(olga, "host", host)["data-drained"] == "no"
        assert olga.get(f"{PAGE}drain/{host}/").status_code == 200
        assert olga.post(f"{PAGE}drain/{host}/", WHY).status_code == 302
        assert row(olga, "host", host)["data-drained"] == "yes"
        assert olga.post(f"{PAGE}drain/{host}/", WHY).status_code == 422, "it is drained already"
        assert olga.post(f"{PAGE}resume-host/{host}/", WHY).status_code == 302
        assert row(olga, "host", host)["data-drained"] == "no"
    assert (Drain.objects.count(), StaffAction.objects.count()) == (0, 4)


def test_a_stuck_match_is_requeued_or_voided(olga: Client) -> None:
    match = block_on(Ladder.objects.get(slug=DUEL)).matches.get(seating=0)
    claimed(match, "alpha/1")
    Match.objects.filter(pk=match.pk).update(started=Now() - timedelta(minutes=20))
    assert row(olga, "match", match.pk)["data-why"] == "LONG"
    assert olga.post(f"{PAGE}requeue/{match.pk}/", WHY).status_code == 302
    assert (Match.objects.get(pk=match.pk).status, Attempt.objects.get().ending) == ("queued", "withdrawn")
    assert olga.post(f"/matches/{match.pk}/correct/", {**WHY, "sure": "on"}).status_code == 302
    assert Match.objects.get(pk=match.pk).status == "void"
    assert olga.post(f"{PAGE}requeue/{match.pk}/", WHY).status_code == 422
    assert list(Intervention.objects.values_list("action", flat=True)) == ["voided", "requeued"]


def test_a_ladder_is_paused_with_a_reason_that_its_page_and_the_api_show(olga: Client) -> None:
    assert olga.post(f"{PAGE}pause/{DUEL}/", {"reason": "The <b>rules</b> are wrong"}).status_code == 302
    assert row(olga, "ladder", DUEL).all("a")
    note = shown.page(Client(), f"/ladders/{DUEL}/").one(data_note="paused")
    assert "The <b>rules</b> are wrong." in note.text
    document = Client().get(f"/api/v1/ladders/{DUEL}").json()
    assert (document["paused"] is not None, document["pause_reason"]) == (True, "The <b>rules</b> are wrong.")
    assert olga.post(f"{PAGE}resume/{DUEL}/", WHY).status_code == 302
    assert not shown.page(Client(), f"/ladders/{DUEL}/").all(data_note="paused")


def test_intake_is_paused_and_everyone_is_told(olga: Client) -> None:
    for kind in Intake.values:
        assert olga.post(f"{PAGE}pause-intake/{kind}/", {"reason": "The disk is full"}).status_code == 302
        assert row(olga, "intake", kind)["data-paused"] == "yes"
    closed = Client().get("/account/signup/")
    assert (closed.status_code, closed["Retry-After"]) == (503, "600")
    assert b"The disk is full." in closed.content
    form = {"username": "zoe", "email": "zoe@example.org", "password1": "x" * 12, "terms": "on"}
    assert Client().post("/account/signup/", form).status_code == 503
    for kind in Intake.values:
        assert olga.post(f"{PAGE}resume-intake/{kind}/", WHY).status_code == 302
    assert not IntakePause.objects.exists()
    assert Client().get("/account/signup/").status_code == 200


@pytest.mark.parametrize(
    "path", ["drain/nobody/", "drain/host:nobody/", "pause/nothing/", "requeue/x/", "requeue/999/", "pause-intake/x/"]
)
def test_what_does_not_exist_is_not_found(olga: Client, path: str) -> None:
    assert olga.get(f"{PAGE}{path}").status_code == 404
    assert olga.get(f"{PAGE}explode/alpha/").status_code == 404


def test_an_action_needs_a_reason_and_keeps_a_long_one(olga: Client) -> None:
    for reason in ("", " ", "x" * 401):
        assert olga.post(f"{PAGE}drain/alpha/", {"reason": reason}).status_code == 422
    assert not Drain.objects.exists()


def test_the_audit_log_names_what_was_done_on_which_thing(olga: Client) -> None:
    olga.post(f"{PAGE}drain/alpha/", WHY)
    olga.post(f"{PAGE}pause/{DUEL}/", WHY)
    assert "alpha" in shown.page(olga, "/staff/trail/?of=site").one("table").text
    assert f"/ladders/{DUEL}/" in shown.page(olga, "/staff/trail/?of=matches").one("table").links
    assert not shown.page(olga, "/staff/trail/").all("table")


def test_without_redis_it_shows_the_rest(olga: Client, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///dev/null"
    page = shown.page(olga, PAGE)
    assert page.one(data_host="alpha")
    assert page.one(data_note="messages")
    assert olga.post(f"{PAGE}drain/alpha/", WHY).status_code == 302, "the database decides"


# --- Emails and queries ----------------------------------------------------------------------------------------------


def test_a_failed_email_is_listed_without_the_address(olga: Client, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    person_ = verified("ada")
    with pytest.raises(mail.NotSent):
        mail.send(mail.message(person_.email, "a test", "accounts/email/role.txt", {"name": "ada", "reason": "r"}))
    (event,) = FAILED_EMAILS.latest(10)
    assert event["to"] == "a…@example.org"
    text = shown.page(olga, PAGE).one(id="emails").text
    assert ("a…@example.org" in text, "ada@example.org" in text) == (True, False)


def test_the_address_is_also_hidden_in_what_the_server_says(olga: Client) -> None:
    email: Any = mail.message("ada@example.org", "a test", "accounts/email/role.txt", {"name": "ada", "reason": "r"})

    def refuse() -> None:
        raise smtplib.SMTPRecipientsRefused({"ada@example.org": (550, b"<ada@example.org> is unknown")})

    email.send = refuse
    with pytest.raises(mail.NotSent):
        mail.send(email)
    (event,) = FAILED_EMAILS.latest(10)
    assert "ada@" not in event["problem"]
    assert isinstance(email, EmailMessage)


def test_a_slow_query_is_listed_without_its_values(olga: Client, settings: Settings) -> None:
    settings.SLOW_QUERY_MS = 20

    def slowly(execute: Any, *query: Any) -> Any:
        time.sleep(0.03)
        return execute(*query)

    with connection.execute_wrapper(slowly):
        Machine.objects.filter(host="a secret value").first()
    (event,) = of_machines()
    assert (event["ms"] >= 20, "bots_machine" in event["sql"], "secret" in event["sql"]) == (True, True, False)
    assert "bots_machine" in shown.page(olga, PAGE).one(id="queries").text
    settings.SLOW_QUERY_MS = 0
    with connection.execute_wrapper(slowly):
        Machine.objects.filter(host="another").first()
    assert len(of_machines()) == 1


def of_machines() -> list[dict[str, Any]]:
    """The slow queries of a machine by its host: a busy machine can have others."""
    return [event for event in SLOW_QUERIES.latest(100) if '"bots_machine"."host" = %s' in event["sql"]]


def test_a_log_keeps_the_latest_events_only(site: None) -> None:
    for number in range(SLOW_QUERIES.MOST + 5):
        SLOW_QUERIES.add(ms=number, sql="", task="", request_id="")
    kept = [event["ms"] for event in SLOW_QUERIES.latest(1000)]
    assert (len(kept), kept[0]) == (SLOW_QUERIES.MOST, SLOW_QUERIES.MOST + 4)


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_a_statement_that_waits_for_a_lock_is_shown_while_it_waits(olga: Client) -> None:
    with transaction.atomic():
        Machine.objects.select_for_update().get(host="alpha")
        waiting = Meanwhile(lambda: Machine.objects.filter(host="alpha").update(host="alpha"))
        waiting.is_waiting()
        time.sleep(1.2)
        text = shown.page(olga, PAGE).one(id="queries").text
        assert ("Lock" in text, "bots_machine" in text, "alpha" in text) == (True, True, False)
    waiting.ended()
