"""What staff do to accounts, what that ends, who may, and that it stays on record."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now
from django.test import Client

from bots.models import AppendOnlyError, Bot, BotVersion, StaffAction, TextRemoval
from bots.moderation import blank
from bots.owners import player_of
from esr_platform.account_pages import suspensions
from esr_platform.account_pages.sign_in import AccountAdapter
from esr_platform.accounts import tokens
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Role, Scope, User
from ladder.exhibitions.requests import cancel, request_test
from ladder.members.suspensions import lift as lift_bot
from ladder.members.suspensions import suspend as suspend_bot
from ladder.models import Exhibition, Ladder, Match, Membership, Pairing
from tests.build import DUEL, PASSWORD, match_of, opened_house, signed_in, uploaded
from tests.page import page
from tests.refusals import refused
from tests.services.locks import Meanwhile

WHY = "It insults others."


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("eve", role=Role.MODERATOR)


def playing(bot: Bot) -> bool:
    return Membership.objects.filter(bot=bot, active=True).exists()


def test_a_suspended_account_opens_nothing_from_that_moment(miriam: User, staff: User) -> None:
    client, (_, secret) = signed_in(miriam), tokens.issue(miriam, "laptop", [Scope.UPLOAD], None)
    assert client.get("/account/").status_code == 200
    suspensions.suspend(miriam, staff, WHY)
    assert client.get("/account/").status_code == 302
    assert tokens.find(secret) is None
    assert Client().post("/account/login/", {"login": "miriam", "password": PASSWORD}).headers.get("Location") in (
        None,
        "/account/inactive/",
    )


def test_lifting_opens_the_account_but_no_old_session_and_no_old_token(miriam: User, staff: User) -> None:
    client, (_, secret) = signed_in(miriam), tokens.issue(miriam, "laptop", [Scope.UPLOAD], None)
    suspensions.suspend(miriam, staff, WHY)
    suspensions.lift(miriam, staff, "Settled.")
    assert client.get("/account/").status_code == 302
    assert tokens.find(secret) is None
    assert signed_in(miriam).get("/account/").status_code == 200


def test_who_is_suspended_between_two_steps_of_signing_in_is_not_signed_in(miriam: User, staff: User) -> None:
    EmailAddress.objects.update(verified=False)
    client = Client()
    asked = client.post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert asked.headers["Location"] == "/account/confirm-email/"
    code = re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code is not None
    suspensions.suspend(miriam, staff, WHY)
    assert client.post("/account/confirm-email/", {"code": code[0]}).headers["Location"] == "/account/inactive/"
    suspensions.lift(miriam, staff, "Settled.")
    assert client.get("/account/").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_bots_of_a_suspended_account_leave_their_ladders_and_come_back(miriam: User, staff: User) -> None:
    opened_house()
    bot, other = uploaded(miriam), uploaded(miriam, "Other")
    queued = match_of(bot, Ladder.objects.get(slug=DUEL))
    running = match_of(other, Ladder.objects.get(slug=DUEL), seed=1)
    Match.objects.filter(pk=running.pk).update(attempts_started=1)
    suspend_bot(other, staff, WHY)
    suspensions.suspend(miriam, staff, WHY)
    queued.refresh_from_db()
    running.refresh_from_db()
    assert (queued.status, running.status) == ("cancelled", "queued"), "what was tried goes on"
    assert not playing(bot)
    suspensions.lift(miriam, staff, "Settled.")
    assert playing(bot)
    assert not playing(other), "it was suspended by itself"
    lift_bot(other, staff, "Settled.")
    assert playing(other)


@pytest.mark.django_db(transaction=True)
def test_a_bot_whose_own_suspension_ends_waits_for_its_owner(miriam: User, staff: User) -> None:
    opened_house()
    bot = uploaded(miriam)
    suspensions.suspend(miriam, staff, WHY)
    suspend_bot(bot, staff, WHY)
    lift_bot(bot, staff, "Settled.")
    assert not playing(bot)
    suspensions.lift(miriam, staff, "Settled.")
    assert playing(bot)


@pytest.mark.django_db(transaction=True)
def test_the_person_is_told_with_the_reason(miriam: User, staff: User) -> None:
    suspensions.suspend(miriam, staff, WHY)
    assert WHY in mail.outbox[-1].body
    assert mail.outbox[-1].to == ["miriam@example.org"]


def test_who_is_not_staff_does_nothing(miriam: User, staff: User) -> None:
    carl = User.objects.create_user("carl")
    for act in (suspensions.suspend, suspensions.lift, suspensions.remove_name_of):
        with refused("staff_only"):
            act(miriam, carl, WHY)
    assert signed_in(carl).get("/staff/people/miriam/").status_code == 404
    assert signed_in(carl).get("/staff/trail/").status_code == 404
    assert Client().get("/staff/people/miriam/").status_code == 302


def test_staff_cannot_act_on_staff_nor_on_themselves(staff: User) -> None:
    other = User.objects.create_user("olga", role=Role.MODERATOR)
    root = User.objects.create_superuser("roberta")
    for person in (other, root):
        with refused("needs_superuser"):
            suspensions.suspend(person, staff, WHY)
    with refused("own_account"):
        suspensions.suspend(root, root, WHY)
    suspensions.suspend(other, root, WHY)
    with refused("staff_only"):
        suspensions.suspend(User.objects.create_user("carl"), other, WHY)


@pytest.mark.django_db(transaction=True)
def test_staff_act_on_no_bots_of_their_own_and_of_other_staff(staff: User) -> None:
    opened_house()
    root = User.objects.create_superuser("roberta")
    own, theirs = uploaded(staff, "Own"), uploaded(root, "Theirs")
    for bot, code in ((own, "own_account"), (theirs, "needs_superuser")):
        with refused(code):
            suspend_bot(bot, staff, WHY)
        with refused(code):
            blank(bot, staff, [TextRemoval.What.NAME], WHY)
    suspend_bot(own, root, WHY)
    with refused("own_account"):
        lift_bot(own, staff, "I did nothing.")
    assert not playing(own)
    assert playing(theirs)


@pytest.mark.django_db(transaction=True)
def test_pages_say_who_else_can_moderate_instead_of_offering_it(miriam: User, staff: User) -> None:
    opened_house()
    bots = {person: uploaded(person, name) for person, name in ((miriam, "Magpie"), (staff, "Own"))}
    for person, bot in bots.items():
        for address in (f"/staff/people/{person.username}/", f"/staff/bots/{bot.pk}/"):
            shown = page(signed_in(staff), address)
            offers = {button["value"] for button in shown.all("button", name="do")}
            assert ("refusal" in shown.notes, bool(offers)) == (person == staff, person == miriam)


def test_a_reason_is_asked_for(miriam: User, staff: User) -> None:
    with refused("no_reason"):
        suspensions.suspend(miriam, staff, "  ")
    page = signed_in(staff).post("/staff/people/miriam/", {"do": "suspend", "reason": " "})
    assert page.status_code == 422
    assert not StaffAction.objects.exists()


def test_a_name_that_was_taken_away_comes_back_to_nobody(miriam: User, staff: User) -> None:
    client = signed_in(staff)
    client.post("/staff/people/miriam/", {"do": "blank", "reason": WHY})
    miriam.refresh_from_db()
    assert miriam.username == f"user-{miriam.pk}"
    own = signed_in(miriam)
    for taken in ("miriam", "Miri_am", "user-77", "eve"):
        own.post("/account/name/", {"username": taken})
        miriam.refresh_from_db()
        assert miriam.username == f"user-{miriam.pk}", taken
    for reserved in ("staff", "Moderator", "Deleted_User", "ad-min", "deleted-user--7", "user__7"):
        own.post("/account/name/", {"username": reserved})
        miriam.refresh_from_db()
        assert miriam.username == f"user-{miriam.pk}", "it would look like the site itself"
    for owner, name in ((miriam, "Mirjam"), (User.objects.get(username="eve"), "Vera")):
        bot = Bot.objects.create(owner=owner, name=name, slug=name.lower())
        BotVersion.objects.create(bot=bot, number=1, digest="0" * 64)
    own.post("/account/name/", {"username": "vera"})
    miriam.refresh_from_db()
    assert miriam.username == f"user-{miriam.pk}", "somebody else's bot is called so"
    own.post("/account/name/", {"username": "mirjam"})
    miriam.refresh_from_db()
    assert miriam.username == "mirjam", "a person may be called like a bot of their own"
    own.post("/account/name/", {"username": "somebody"})
    miriam.refresh_from_db()
    assert miriam.username == "mirjam", "only a name that was taken away is chosen anew"


def test_what_staff_did_is_read_by_staff_and_cannot_be_changed(miriam: User, staff: User) -> None:
    suspensions.suspend(miriam, staff, "<b>why</b>")
    page = signed_in(staff).get("/staff/trail/").content.decode()
    assert "&lt;b&gt;why&lt;/b&gt;" in page
    assert "eve" in page
    action = StaffAction.objects.get()
    action.reason = "nothing"
    for change in (
        action.save,
        action.delete,
        StaffAction.objects.all().delete,
        lambda: StaffAction.objects.update(reason=""),
    ):
        with pytest.raises(AppendOnlyError):
            change()
    assert StaffAction.objects.get().reason == "<b>why</b>"


@pytest.mark.locks
@pytest.mark.parametrize("statement", ["UPDATE bots_staffaction SET reason = 'x'", "DELETE FROM bots_staffaction"])
def test_the_database_itself_refuses_to_change_the_trail(miriam: User, staff: User, statement: str) -> None:
    suspensions.suspend(miriam, staff, WHY)
    if statement.startswith("DELETE") and connection.vendor != "postgresql":
        pytest.skip("SQLite refuses changes alone: its tables are emptied by DELETE")
    with pytest.raises(DatabaseError, match="stays on record"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert StaffAction.objects.get().reason == WHY


@pytest.mark.django_db(transaction=True)
def test_staff_suspend_a_bot_on_its_page_and_blank_its_words(miriam: User, staff: User) -> None:
    opened_house()
    bot = uploaded(miriam)
    Bot.objects.filter(pk=bot.pk).update(description="Buy this.")
    client, address = signed_in(staff), f"/staff/bots/{bot.pk}/"
    client.post(address, {"do": "suspend", "reason": ""})
    assert playing(bot), "no reason was given"
    client.post(address, {"do": "suspend", "reason": WHY})
    assert not playing(bot)
    client.post(address, {"do": "blank", "what": ["name", "description"], "reason": WHY})
    bot.refresh_from_db()
    assert (bot.name, bot.description) == (f"Bot {bot.pk}", "")
    assert set(StaffAction.objects.values_list("what", flat=True)) == {
        "suspended bot",
        "blanked name",
        "blanked description",
    }
    assert page(client, address).all("button", value="lift")
    assert signed_in(miriam).get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_owner_cannot_lift_it(miriam: User, staff: User) -> None:
    opened_house()
    bot = uploaded(miriam)
    suspend_bot(bot, staff, WHY)
    client = signed_in(miriam)
    for what in ("resume", "restore", "retire", "restore"):
        client.post(f"/bots/{bot.slug}/{what}/")
    client.post(f"/bots/{bot.slug}/ladders/", {"ladder": DUEL, "shown": DUEL})
    client.post(f"/bots/{bot.slug}/versions/1/activate/")
    assert not playing(bot)


def test_of_two_who_suspend_each_other_at_once_one_does(db: None) -> None:
    roberta, other = User.objects.create_superuser("roberta"), User.objects.create_superuser("samir")
    on_its_way = User.objects.get(pk=other.pk)
    suspensions.suspend(other, roberta, WHY)
    with pytest.raises(Refused):
        suspensions.suspend(roberta, on_its_way, WHY)
    assert User.objects.get(role=Role.ADMIN, is_active=True) == roberta


def test_a_password_that_is_being_changed_lifts_no_suspension(miriam: User, staff: User) -> None:
    on_its_way = User.objects.get(pk=miriam.pk)
    suspensions.suspend(miriam, staff, WHY)
    AccountAdapter().set_password(on_its_way, "another cellar of amethysts")
    miriam.refresh_from_db()
    assert miriam.suspended
    assert not miriam.is_active
    assert miriam.session_epoch == 1


@pytest.mark.locks
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
@pytest.mark.django_db(transaction=True)
def test_a_result_that_counts_for_another_bot_of_the_suspended_is_brought(miriam: User, staff: User) -> None:
    opened_house()
    counts, plays = uploaded(miriam, "Magpie"), uploaded(miriam, "Raven")
    with transaction.atomic():  # as ladder.matches.results does where Raven's membership was merged into Magpie's
        Bot.objects.select_for_update(no_key=True).get(pk=plays.pk)
        other = Meanwhile(lambda: suspensions.suspend(miriam, staff, WHY))
        other.is_waiting()
        assert Membership.objects.select_for_update(no_key=True).filter(bot=counts).order_by("pk")[0].active
    other.ended()
    assert not Membership.objects.filter(bot__in=[counts, plays], active=True).exists()


@pytest.mark.django_db(transaction=True)
def test_an_order_cancelled_meanwhile_says_the_name_of_now(miriam: User, staff: User) -> None:
    opened_house()
    ladder, bot = Ladder.objects.get(slug=DUEL), uploaded(miriam, "Magpie")
    others = [membership.bot.active_version for membership in ladder.memberships.exclude(bot=bot)[: ladder.seats - 1]]
    table = [version.pk for version in (bot.active_version, *others) if version is not None]
    exhibition = request_test(miriam, ladder, table, 1, uuid4())
    on_its_way = User.objects.get(pk=miriam.pk)
    suspensions.remove_name_of(miriam, staff, WHY)
    cancel(exhibition, on_its_way)
    exhibition.refresh_from_db()
    assert exhibition.reason == f"Canceled by user-{miriam.pk}."
    suspensions.choose_name(miriam, "mirjam")
    exhibition.refresh_from_db()
    assert exhibition.reason == "Canceled by mirjam."
    assert exhibition.ended_by == miriam


@pytest.mark.django_db(transaction=True)
def test_a_name_is_replaced_only_in_the_reasons_of_the_matches_that_its_user_ended(miriam: User, staff: User) -> None:
    opened_house()
    ladder, bot = Ladder.objects.get(slug=DUEL), uploaded(miriam, "Magpie")
    others = [membership.bot.active_version for membership in ladder.memberships.exclude(bot=bot)[: ladder.seats - 1]]
    table = [version.pk for version in (bot.active_version, *others) if version is not None]
    own, other = (request_test(miriam, ladder, table, 1, uuid4()) for _ in range(2))
    cancel(own, miriam)
    Exhibition.objects.filter(pk=other.pk).update(state="cancelled", reason="Canceled by miriam.", ended=Now())
    suspensions.remove_name_of(miriam, staff, WHY)
    own.refresh_from_db()
    other.refresh_from_db()
    assert (own.reason, other.reason) == (f"Canceled by user-{miriam.pk}.", "Canceled by miriam.")


def test_the_row_that_plays_by_hand_is_called_like_its_person(miriam: User, staff: User) -> None:
    bot = player_of(miriam).bot
    suspensions.remove_name_of(miriam, staff, "a name that nobody should read")
    bot.refresh_from_db()
    assert bot.name == bot.slug == f"user-{miriam.pk}"
    suspensions.choose_name(miriam, "mirjam")
    bot.refresh_from_db()
    assert bot.name == bot.slug == "mirjam"


def test_who_is_suspended_looks_for_no_game(miriam: User, staff: User) -> None:
    opened_house()
    ladder = Ladder.objects.get(slug=f"{DUEL}-people")
    Pairing.objects.create(bot=player_of(miriam).bot, ladder=ladder)
    suspensions.suspend(miriam, staff, "a reason that is long enough")
    assert not Pairing.objects.exists()
