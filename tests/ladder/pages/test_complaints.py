from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from bots import complaints
from bots.models import Blanking, Bot, BotVersion, Complaint
from bots.names import name_for
from bots.owners import describe, rename
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User

pytestmark = pytest.mark.django_db
NAME = "<script>alert(1)</script>"
HOSTILE = f"{NAME} \u202etfel \x1b[2J"


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("carl")


@pytest.fixture
def reporter() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def staff() -> User:
    return User.objects.create_user("root1", is_staff=True)


@pytest.fixture
def bot(owner: User) -> Bot:
    found = Bot.objects.create(owner=owner, name="Rude Word", slug="rude-word", description="Buy this.")
    BotVersion.objects.create(bot=found, number=1, digest="1" * 64, active=True)
    return found


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_reported_name_is_taken_away_by_staff_who_are_named(bot: Bot, reporter: User, staff: User) -> None:
    signed_in(reporter).post("/bots/rude-word/report/", {"text": "It insults."})
    client = signed_in(staff)
    page = client.get("/staff/reports/").content.decode()
    assert "It insults." in page
    assert "Rude Word" in page
    client.post(f"/staff/reports/{bot.pk}/", {"what": ["name"], "reason": "insult"})
    bot.refresh_from_db()
    assert (bot.name, bot.slug, bot.description) == (f"Bot {bot.pk}", f"bot-{bot.pk}", "Buy this.")
    row = Blanking.objects.get()
    assert (row.by, row.what, row.before, row.reason) == (staff, "name", "Rude Word", "insult")
    complaint = Complaint.objects.get()
    assert complaint.settled is not None
    assert complaint.settled_by == staff
    page = client.get("/staff/reports/").content.decode()
    assert "Nothing is reported." in page
    assert "Rude Word" in page, "what was taken away stays on record"


def test_a_description_is_taken_away_alone(bot: Bot, staff: User) -> None:
    complaints.blank(bot, staff, [Blanking.What.DESCRIPTION], "")
    bot.refresh_from_db()
    assert (bot.name, bot.description) == ("Rude Word", "")
    assert complaints.blank(bot, staff, [Blanking.What.DESCRIPTION], "") == [], "nothing stands there any more"


def test_staff_may_leave_everything_as_it_is(bot: Bot, reporter: User, staff: User) -> None:
    complaints.complain(bot, reporter, "no")
    signed_in(staff).post(f"/staff/reports/{bot.pk}/", {"dismiss": "yes", "what": ["name"]})
    bot.refresh_from_db()
    assert bot.name == "Rude Word"
    assert not complaints.complained_of().exists()
    assert not Blanking.objects.exists()


def test_the_same_words_do_not_come_back(bot: Bot, owner: User, staff: User) -> None:
    complaints.blank(bot, staff, list(Blanking.What), "")
    bot.refresh_from_db()
    for name in ("Rude Word", "rude-word", "R U D E word!", "Rüde Word"):
        with pytest.raises(Refused, match="Staff took this name away"):
            rename(bot, name)
        with pytest.raises(Refused, match="Staff took this name away"):
            name_for(owner, name)
    with pytest.raises(Refused, match="Staff took this description away"):
        describe(bot, "buy   THIS")
    rename(bot, "Polite Word")


def test_nobody_but_staff_finds_the_reports_or_settles_one(bot: Bot, owner: User, reporter: User) -> None:
    for user in (owner, reporter):
        client = signed_in(user)
        assert client.get("/staff/reports/").status_code == 404
        assert client.post(f"/staff/reports/{bot.pk}/", {"what": ["name"]}).status_code == 404
    assert Client().post(f"/staff/reports/{bot.pk}/", {"what": ["name"]}).status_code == 302
    assert Client().get("/staff/reports/").status_code == 302
    bot.refresh_from_db()
    assert bot.name == "Rude Word"


def test_one_person_is_one_voice(bot: Bot, reporter: User) -> None:
    complaints.complain(bot, reporter, "first")
    complaints.complain(bot, reporter, "second")
    assert [one.text for one in Complaint.objects.all()] == ["second"]


def test_reports_a_day_are_limited(owner: User, reporter: User) -> None:
    bots = [Bot.objects.create(owner=owner, name=f"b{i}", slug=f"b{i}") for i in range(complaints.MOST_A_DAY + 1)]
    for one in bots[:-1]:
        complaints.complain(one, reporter, "x")
    with pytest.raises(TooMany, match="tomorrow") as refusal:
        complaints.complain(bots[-1], reporter, "x")
    assert refusal.value.retry_after_s is not None
    assert 0 < refusal.value.retry_after_s <= 86401
    Complaint.objects.update(created=timezone.now() - timedelta(days=2))
    complaints.complain(bots[-1], reporter, "x")


def test_one_has_to_be_signed_in_and_to_say_something(bot: Bot, reporter: User) -> None:
    answer = Client().post("/bots/rude-word/report/", {"text": "x"})
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/account/login/")
    assert signed_in(reporter).post("/bots/rude-word/report/", {"text": " "}).status_code == 422
    assert not Complaint.objects.exists()


def test_the_house_is_not_reported(reporter: User) -> None:
    house = Bot.objects.create(house_name="random", name="random", slug="random")
    with pytest.raises(Refused, match="house"):
        complaints.complain(house, reporter, "x")


def test_whatever_people_write_is_text_on_every_page(bot: Bot, reporter: User, staff: User, client: Client) -> None:
    Bot.objects.update(name=NAME, description=HOSTILE)
    complaints.complain(bot, reporter, HOSTILE)
    complaints.blank(bot, staff, [Blanking.What.NAME], HOSTILE)
    Bot.objects.update(name=NAME)
    complaints.complain(bot, reporter, HOSTILE)
    slug = Bot.objects.get().slug
    pages: list[Any] = [signed_in(staff).get("/staff/reports/"), signed_in(reporter).get(f"/bots/{slug}/report/")]
    pages += [client.get(f"/bots/{slug}/"), client.get("/bots/")]
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text
    assert not {"\x1b", "\u202e"} & set(pages[0].content.decode()), "what cannot be seen is written out"
