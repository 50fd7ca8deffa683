"""Somebody deletes an account: what goes, what stays, what comes between."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import orjson
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from bots.models import Bot, BotVersion, Upload
from bots.owners import player_of, publish_source, rename
from bots.uploads import queue
from bots.uploads.storage import KEPT, bytes_of, keep
from bots.uploads.upload import upload_new_bot
from esr_platform.account_pages import deletion, suspensions
from esr_platform.accounts import tokens
from esr_platform.accounts.models import FormerName, Role, Scope, User, flags_of
from ladder.chat import AFTERWARDS, hidden_lines, lines_after, report, said_so_far, settle
from ladder.cups.registration import enter
from ladder.cups.verification import faults
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import answer, cancel, request_scheduled, request_test
from ladder.live import actions, notify
from ladder.matches.play import play
from ladder.models import (
    ChatLine,
    ChatReport,
    Cup,
    CupEntry,
    CupLedgerEntry,
    Exhibition,
    Invitation,
    Ladder,
    LiveSeat,
    Match,
    Membership,
    Pairing,
    Proposal,
    ProposalPlayer,
    Result,
)
from tests.build import (
    DUEL,
    DUEL_ONLY,
    HONEST,
    PASSWORD,
    finished_by_hand,
    match_of,
    opened_house,
    staff,
    uploaded,
    verified,
    with_password,
)
from tests.esr_platform.api.streams.people import Tab
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out
from tests.ladder.live.people import again, answer_any, check_ended, live_seat_at, miss, owing, people, seen, table_for
from tests.page import parsed
from tests.refusals import refused
from tests.services.locks import Meanwhile

pytestmark = pytest.mark.django_db


@pytest.fixture
def miriam() -> User:
    user = with_password("miriam", first_name="Miriam")
    Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    tokens.issue(user, "laptop", [Scope.UPLOAD], None)
    return user


def everything_kept() -> str:
    """All text that the database has of people, in one piece."""
    rows = [
        *User.objects.values(),
        *EmailAddress.objects.values(),
        *Exhibition.objects.values("reason"),
        *Match.objects.values("reason"),
        *Upload.objects.values(),
    ]
    return repr(rows)


def test_the_account_is_deleted_on_its_page_with_the_password_and_the_name(miriam: User) -> None:
    Authenticator.objects.all().delete()
    client = Client()
    client.post("/account/login/", {"login": "miriam", "password": PASSWORD})
    asked = client.get("/account/delete/")
    assert asked.headers["Location"].startswith("/account/reauthenticate/"), "a session alone is not enough"
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    assert client.post("/account/delete/", {"username": "carl"}).status_code == 422
    assert User.objects.filter(username="miriam").exists()
    answer = client.post("/account/delete/", {"username": "Miriam"})
    assert answer.headers["Location"] == "/"
    assert client.get("/account/").status_code == 302
    assert not User.objects.filter(username="miriam").exists()


def test_nothing_is_left_that_says_who_it_was(miriam: User) -> None:
    other = Client()
    other.force_login(miriam)
    deletion.delete(miriam)
    assert not re.search("miriam", everything_kept(), re.IGNORECASE)
    assert not EmailAddress.objects.exists()
    assert not Authenticator.objects.exists()
    assert not miriam.tokens.exists()
    assert not miriam.has_usable_password()
    assert other.get("/account/").status_code == 302
    assert mail.outbox[-1].to == ["miriam@example.org"]


@pytest.mark.parametrize("name", ["miriam", "MIRIAM", "miri-am", "mir_iam"])
def test_nobody_gets_the_name_later(miriam: User, name: str) -> None:
    deletion.delete(miriam)
    form = {"username": name, "email": "thief@example.org", "password1": PASSWORD, "terms": "on"}
    assert "username" in parsed(Client().post("/account/signup/", form)).errors
    assert not User.objects.filter(email="thief@example.org").exists()
    assert "miriam" not in FormerName.objects.get().digest


def test_the_address_may_be_used_again(miriam: User) -> None:
    deletion.delete(miriam)
    form = {"username": "mirjam", "email": "miriam@example.org", "password1": PASSWORD, "terms": "on"}
    Client().post("/account/signup/", form)
    assert User.objects.filter(email="miriam@example.org").exists()


def test_the_last_who_may_do_everything_stays(miriam: User) -> None:
    User.objects.filter(pk=miriam.pk).update(role=Role.ADMIN, **flags_of(Role.ADMIN))
    with refused("last_superuser"):
        deletion.delete(miriam)
    User.objects.create_superuser("roberta")
    deletion.delete(miriam)
    assert miriam.deleted


def test_deleting_twice_is_deleting_once(miriam: User) -> None:
    again = User.objects.get(pk=miriam.pk)
    deletion.delete(miriam)
    deletion.delete(again)
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_bots_are_retired_results_stay_and_pages_say_deleted_user(miriam: User, client: Client) -> None:
    opened_house()
    bot = uploaded(miriam, "Magpie")
    Bot.objects.update(description="Miriam's own")
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    assert client.get("/people/miriam/").status_code == 200
    deletion.delete(miriam)
    bot.refresh_from_db()
    assert bot.retired
    assert bot.description == ""
    assert not Membership.objects.filter(bot=bot, active=True).exists()
    match.refresh_from_db()
    assert match.status == "queued", "what is paired is played"
    for address in (f"/bots/{bot.slug}/", f"/matches/{match.pk}/"):
        page = client.get(address)
        assert page.status_code == 200
        assert "miriam" not in page.content.decode().lower()
    assert "deleted user" in client.get(f"/bots/{bot.slug}/").content.decode()
    assert client.get("/people/miriam/").status_code == 404
    assert client.get(f"/people/deleted-user-{miriam.pk}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_game_that_is_paired_is_played_with_code_that_goes_afterwards(miriam: User, sandbox_here: None) -> None:
    opened_house()
    bot = uploaded(miriam, "Magpie")
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    version = bot.versions.get()
    deletion.delete(miriam)
    later(miriam)
    deletion.erase_all()
    version.refresh_from_db()
    assert version.archive, "a game still needs it"
    for game in match.block.matches.all():
        assert play(game.pk) == "finished"
    deletion.erase_all()
    version.refresh_from_db()
    miriam.refresh_from_db()
    assert version.archive == ""
    assert miriam.erased


def test_code_stays_until_an_upload_that_shares_it_must_have_named_it(miriam: User) -> None:
    bot = uploaded(miriam, "Magpie")
    version = bot.versions.get()
    deletion.delete(miriam)
    version.refresh_from_db()
    shared = keep("bot.py", bytes_of(version)).path
    assert shared != version.archive, "no upload from now on is told of that file"
    later(miriam)
    deletion.erase_all()
    version.refresh_from_db()
    assert version.archive == ""


def test_a_check_that_is_going_on_brings_nothing(miriam: User) -> None:
    version = upload_new_bot(miriam, "Magpie", "bot.py", HONEST, DUEL_ONLY)
    lease = queue.claim(version.pk)
    assert lease is not None
    deletion.delete(miriam)
    version.refresh_from_db()
    assert version.state == BotVersion.State.REJECTED
    assert not lease.renew(validation_report={})
    assert not lease.release(state=BotVersion.State.READY)
    assert queue.claim_next() is None


def test_what_was_on_its_way_changes_nothing_any_more(miriam: User) -> None:
    bot = uploaded(miriam, "Magpie")
    deletion.delete(miriam)
    for change in (
        lambda: upload_new_bot(miriam, "Late", "bot.py", HONEST),
        lambda: rename(bot, "Late"),
        lambda: tokens.issue(miriam, "late", [Scope.UPLOAD], None),
        lambda: publish_source(bot, public=True),
    ):
        with refused("account_closed"):
            change()


def table_of(owner: User) -> tuple[Ladder, list[int]]:
    """A ladder of the house, and the versions at a table there: a new bot of ``owner`` and others."""
    opened_house()
    ladder, bot = Ladder.objects.get(slug=DUEL), uploaded(owner, "Magpie")
    others = [membership.bot.active_version for membership in ladder.memberships.exclude(bot=bot)[: ladder.seats - 1]]
    return ladder, [version.pk for version in (bot.active_version, *others) if version is not None]


@pytest.mark.django_db(transaction=True)
def test_open_orders_are_cancelled_and_ended_ones_name_nobody(miriam: User) -> None:
    ladder, table = table_of(miriam)
    exhibition, ended = (request_test(miriam, ladder, table, 1, uuid4()) for _ in range(2))
    Exhibition.objects.filter(pk=ended.pk).update(
        state="cancelled", reason="Canceled by miriam.", ended_by=miriam, ended=F("created")
    )
    Invitation.objects.create(ladder=ladder, person=miriam)
    Ladder.objects.filter(pk=ladder.pk).update(opened_by=miriam)
    deletion.delete(miriam)
    exhibition.refresh_from_db()
    ended.refresh_from_db()
    ladder.refresh_from_db()
    assert exhibition.state == "cancelled"
    assert ended.reason == "Canceled by deleted user."
    assert ladder.opened_by is None
    assert not Invitation.objects.exists()
    assert not Match.objects.filter(block__exhibition=exhibition, status="queued", attempts_started=0).exists()


@pytest.mark.django_db(transaction=True)
def test_games_that_were_cancelled_name_nobody_who_is_gone(miriam: User) -> None:
    ladder, table = table_of(miriam)
    exhibition = request_test(miriam, ladder, table, 1, uuid4())
    feed()
    cancel(exhibition, miriam)
    game = Match.objects.filter(block__exhibition=exhibition)[0]
    assert game.reason == "Canceled by miriam."
    deletion.delete(miriam)
    game.refresh_from_db()
    assert game.reason == "Canceled by deleted user."
    assert "miriam" not in everything_kept()


@pytest.mark.django_db(transaction=True)
def test_an_answer_on_its_way_names_nobody_who_is_gone(miriam: User) -> None:
    opened_house()
    ladder, bot = Ladder.objects.get(slug=DUEL), uploaded(miriam, "Magpie")
    others = [membership.bot.active_version for membership in ladder.memberships.exclude(bot=bot)[: ladder.seats - 1]]
    table = [version.pk for version in (bot.active_version, *others) if version is not None]
    host = User.objects.create_user("roberta", role=Role.MODERATOR)
    exhibition = request_scheduled(host, ladder, table, 1, timezone.now() + timedelta(hours=1), uuid4())
    on_its_way = User.objects.get(pk=miriam.pk)
    deletion.delete(miriam)
    for act in (lambda: cancel(exhibition, on_its_way), lambda: answer(exhibition, on_its_way, agreed=False)):
        with refused("account_closed"):
            act()
    assert "miriam" not in everything_kept().lower()


@pytest.mark.locks
@pytest.mark.django_db(transaction=True)
def test_of_two_last_ones_who_leave_at_once_one_stays() -> None:
    roberta, other = User.objects.create_superuser("roberta"), User.objects.create_superuser("samir")
    with transaction.atomic():
        deletion.delete(roberta)
        too = Meanwhile(lambda: deletion.delete(other))
        too.is_waiting()
    with refused("last_superuser"):
        too.ended()
    assert User.objects.get(role=Role.ADMIN, is_active=True) == other


def test_a_process_that_died_in_between_is_made_up_for(miriam: User) -> None:
    bot = uploaded(miriam, "Magpie")
    deletion._close(miriam)
    deletion._forget(miriam, "miriam")
    assert Bot.objects.get(pk=bot.pk).retired is None
    deletion.erase_all()
    assert Bot.objects.get(pk=bot.pk).retired


@pytest.fixture
def sandbox_here(sandbox_launcher: object) -> None:
    """Code of strangers can be played."""


def later(person: User) -> None:
    """So long ago was the account deleted that no upload of then is on its way."""
    User.objects.filter(pk=person.pk).update(deleted=F("deleted") - KEPT - timedelta(minutes=1))


def test_who_has_played_by_hand_stays_at_the_tables_as_nobody(miriam: User) -> None:
    opened_house()
    people = Ladder.objects.get(slug=f"{DUEL}-people")
    match = finished_by_hand(people, ("miriam", "ben"))
    player = player_of(miriam)
    seek = Proposal.objects.create(
        ladder=people, by=miriam, clock="usual", expires=timezone.now() + timedelta(minutes=5)
    )
    others = Proposal.objects.create(ladder=people, by=staff("eve"), clock="usual", expires=seek.expires)
    ProposalPlayer.objects.create(proposal=others, index=1, bot=player.bot)
    Pairing.objects.create(bot=player.bot, ladder=people)
    ChatLine.objects.create(match=match, seat=match.seats.get(version=player), by=miriam, text="my address is secret")
    deletion.delete(miriam)
    player.bot.refresh_from_db()
    seek.refresh_from_db()
    assert player.bot.name == player.bot.slug == f"deleted-user-{miriam.pk}"
    assert player.bot.retired is not None
    assert not Membership.objects.get(bot=player.bot).active
    assert (seek.state, others.players.exists()) == ("withdrawn", False)
    assert not Pairing.objects.exists()
    assert not ChatLine.objects.exclude(preset="taken-away").exists()
    assert "secret" not in repr(ChatLine.objects.values())
    page = Client().get(f"/matches/{match.pk}/").content.decode()
    assert "deleted user" in page
    assert "miriam" not in page
    assert Client().get(f"/bots/{player.bot.slug}/").status_code == 404


def test_what_was_said_goes_from_tables_that_are_open_and_its_rows_later(
    miriam: User, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_house()
    ben, eve = staff("ben"), staff("eve")
    people = Ladder.objects.get(slug=f"{DUEL}-people")
    old, new = (finished_by_hand(people, ("miriam", "ben")) for _ in range(2))
    Match.objects.filter(pk=old.pk).update(ended=timezone.now() - AFTERWARDS - timedelta(seconds=1))
    lines = [
        ChatLine.objects.create(match=match, seat=match.seats.get(version__bot__owner=user), by=user, text="my address")
        for match in (old, new)
        for user in (miriam, ben)
    ]
    report(new.pk, lines[2].pk, ben)
    settle(lines[2], eve, hide=False)
    assert [line["id"] for line in lines_after(new.pk, ben.pk)] == [lines[2].pk, lines[3].pk]
    messages: list[bytes] = []
    monkeypatch.setattr(notify, "_send_to_redis", messages.append)
    with django_capture_on_commit_callbacks(execute=True):
        deletion.delete(miriam)
    hints = [orjson.loads(message) for message in messages]
    assert [hint["match"] for hint in hints if hint["what"] == "chat"] == [new.pk]
    assert hidden_lines(new.pk) == {lines[2].pk}, "so streams that have told the line take it away"
    assert said_so_far(new.pk) == (lines[3].pk, 1)
    assert [line["id"] for line in lines_after(new.pk, ben.pk)] == [lines[3].pk]
    assert list(ChatLine.objects.filter(by=miriam).values_list("match", "text")) == [(new.pk, "")]
    assert not ChatReport.objects.exists()
    miriam.refresh_from_db()
    assert miriam.erased is None
    Match.objects.filter(pk=new.pk).update(ended=timezone.now() - AFTERWARDS - timedelta(seconds=1))
    assert (deletion.erase_all(), deletion.erase_all()) == (1, 0)
    assert set(ChatLine.objects.values_list("by", flat=True)) == {ben.pk}


def suspend(person: User) -> None:
    suspensions.suspend(person, staff("eve"), "insulted everybody")


CLOSINGS = [deletion.delete, suspend]


def seated() -> tuple[Match, User, User]:
    """A rated duel that has begun, who is to go, whose turn it is, and who stays."""
    opened_house()
    match = table_for("edel-stein-reich-duel", people(2), rated=True)
    answer_any(match, owing(match)[0])
    gone = owing(match)[0]
    users = [User.objects.get(username=f"player{seat}") for seat in (gone, 1 - gone)]
    return match, users[0], users[1]


@pytest.mark.parametrize("close", CLOSINGS)
def test_whose_account_is_closed_has_abandoned_the_game_and_the_other_one_has_won(
    close: Callable[[User], None],
) -> None:
    match, gone, stays = seated()
    tab = Tab(gone)
    close(gone)
    seat = owing(match)[0]
    for act in ("resign", "abort", "return", "chat"):
        assert tab.post(f"matches/{match.pk}/seat/{act}", {}).status_code in (401, 429)
    decision = live_seat_at(match, seat).asked
    assert tab.post(f"matches/{match.pk}/decisions/{decision}", {"move": "x"}).status_code in (401, 429)
    seen(match, seat, ago_s=40)
    miss(match, seat)
    assert live_seat_at(match, seat).kind == LiveSeat.Kind.SUBSTITUTE
    client = Client()
    client.force_login(stays)
    assert client.get(f"/play/tables/{match.pk}/").status_code == 200
    seen(match, seat, ago_s=70)
    actions.claim(match.pk, 1 - seat)
    record = check_ended(match)
    assert record is not None
    assert record["outcome"]["scores"][seat]["forfeit"] == "abandoned"
    assert again(match).status == "finished"
    report = repr(Result.objects.get(match=match).report)
    assert not any(user.username in report for user in (gone, stays)), "results that are kept name no users"
    assert Membership.objects.get(bot__owner=stays).rating > Membership.objects.get(bot__owner=gone).rating


def test_nobody_reads_the_name_of_a_deleted_account_at_the_table_that_goes_on() -> None:
    match, gone, stays = seated()
    name = gone.username
    deletion.delete(gone)
    client = Client()
    client.force_login(stays)
    for reader in (client, Client()):
        for address in (f"/play/tables/{match.pk}/", f"/matches/{match.pk}/", "/play/", f"/api/v1/matches/{match.pk}"):
            text = reader.get(address, follow=True).content.decode()
            assert name not in text, address
            assert stays.username in text or address == "/play/", address


def test_a_cup_goes_on_without_its_organizer_and_without_the_bots_of_a_deleted_account() -> None:
    """Its ledger has no name: neither of the organizer nor of the owner."""
    opened_house()
    olga, ada = verified("olga"), with_password("ada")
    other = entered(new_cup("swiss", olga, game=DUEL, seats=2), house_bots(DUEL, 2)[:4])
    cup = new_cup("knockout", ada, game=DUEL, seats=2, about="Write to ada.")
    cup = due(entered(cup, [uploaded(ada), *house_bots(DUEL, 2)[:3]]))
    enter(ada, other, Bot.objects.get(owner=ada))
    other.co_organizers.add(ada)
    deletion.delete(ada)
    played_out(cup)
    assert (cup.state, cup.organizer, cup.about) == (Cup.State.FINISHED, None, "")
    assert list(faults(cup)) == []
    entries = CupEntry.objects.filter(bot__owner=ada).order_by("cup")
    assert [(entry.cup, entry.state, entry.number is None) for entry in entries] == [
        (other, "withdrawn", True),
        (cup, "withdrawn", False),
    ]
    assert not other.co_organizers.exists()
    texts = str([*CupLedgerEntry.objects.values_list("document", "reason"), *(entry.reason for entry in entries)])
    assert not re.search(r"\bada\b", texts), "hashes can contain these letters"
