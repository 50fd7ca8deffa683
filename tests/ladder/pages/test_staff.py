from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from bots import moderation
from bots.machines import write_down
from bots.models import Bot, BotReport, BotVersion, Machine, TextRemoval
from bots.names import name_for
from bots.owners import describe, rename
from bots.sandbox import SandboxLauncher, SelfTest, proof
from bots.sandbox.status import document, status
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import Role, User
from ladder.pages.staff import REMEDIES
from tests import page as shown
from tests.build import person, signed_in, staff, uploaded, verified
from tests.ladder.pages.people import SCRIPT
from tests.refusals import refused

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
def moderator() -> User:
    return User.objects.create_user("root1", role=Role.MODERATOR)


@pytest.fixture
def bot(owner: User) -> Bot:
    rude = Bot.objects.create(owner=owner, name="Rude Word", slug="rude-word", description="Buy this.")
    BotVersion.objects.create(bot=rude, number=1, digest="1" * 64, active=True)
    return rude


def test_a_reported_name_is_taken_away_by_staff_who_are_named(bot: Bot, reporter: User, moderator: User) -> None:
    signed_in(reporter).post("/bots/rude-word/report/", {"text": "It insults."})
    client = signed_in(moderator)
    page = client.get("/staff/reports/").content.decode()
    assert "It insults." in page
    assert "Rude Word" in page
    client.post(f"/staff/reports/{bot.pk}/", {"what": ["name"], "reason": "insult"})
    bot.refresh_from_db()
    assert (bot.name, bot.slug, bot.description) == (f"Bot {bot.pk}", f"bot-{bot.pk}", "Buy this.")
    row = TextRemoval.objects.get()
    assert (row.by, row.what, row.before, row.reason) == (moderator, "name", "Rude Word", "insult")
    bot_report = BotReport.objects.get()
    assert bot_report.settled is not None
    assert bot_report.settled_by == moderator
    page = client.get("/staff/reports/").content.decode()
    assert "It insults." not in page
    assert "Rude Word" in page, "what was taken away stays on record"


def test_a_description_is_taken_away_alone_and_once(bot: Bot, moderator: User) -> None:
    moderation.blank(bot, moderator, [TextRemoval.What.DESCRIPTION], "spam")
    bot.refresh_from_db()
    assert (bot.name, bot.description) == ("Rude Word", "")
    with refused("already_removed"):
        moderation.blank(bot, moderator, [TextRemoval.What.DESCRIPTION], "spam")
    assert moderation.blank(bot, moderator, list(TextRemoval.What), "insult")
    bot.refresh_from_db()
    with refused("already_removed"):
        moderation.blank(bot, moderator, list(TextRemoval.What), "again")
    assert TextRemoval.objects.count() == 2


@pytest.mark.parametrize(
    ("what", "reason"),
    [([], "an insult"), (["name"], "  "), (["name"], "x" * 401)],
    ids=["nothing selected", "no reason", "long reason"],
)
def test_a_refused_removal_says_why_and_keeps_what_was_entered(
    bot: Bot, reporter: User, moderator: User, what: list[str], reason: str
) -> None:
    moderation.complain(bot, reporter, "It insults.")
    response = signed_in(moderator).post(f"/staff/reports/{bot.pk}/", {"what": what, "reason": reason})
    assert response.status_code == 422
    form = shown.parsed(response).one("form", action=f"/staff/reports/{bot.pk}/")
    assert shown.parsed(response).all(class_="failed")
    assert form.one("input", name="reason")["value"] == reason
    assert [box["value"] for box in form.all("input", name="what", checked=True)] == what
    assert not TextRemoval.objects.exists()


def test_the_owner_receives_removed_texts_and_the_reason_by_email(
    moderator: User, django_capture_on_commit_callbacks: Any
) -> None:
    owner = verified("carl")
    rude = Bot.objects.create(owner=owner, name="Rude Word", slug="rude-word", description="Buy this.")
    with django_capture_on_commit_callbacks(execute=True):
        moderation.blank(rude, moderator, [TextRemoval.What.DESCRIPTION], "An advertisement.")
    (email,) = mail.outbox
    assert email.to == [owner.email]
    for text in ("Buy this.", "An advertisement.", "/bots/rude-word/settings/"):
        assert text in str(email.body)
    assert "Rude Word" not in str(email.body)


def test_staff_may_leave_everything_as_it_is(bot: Bot, reporter: User, moderator: User) -> None:
    moderation.complain(bot, reporter, "no")
    signed_in(moderator).post(f"/staff/reports/{bot.pk}/", {"dismiss": "yes", "what": ["name"]})
    bot.refresh_from_db()
    assert bot.name == "Rude Word"
    assert not moderation.complained_of().exists()
    assert not TextRemoval.objects.exists()


def test_the_same_words_do_not_come_back(bot: Bot, owner: User, moderator: User) -> None:
    moderation.blank(bot, moderator, list(TextRemoval.What), "insult")
    bot.refresh_from_db()
    for name in ("Rude Word", "rude-word", "R U D E word!", "Rüde Word"):
        with pytest.raises(Refused, match="moderator removed this name"):
            rename(bot, name)
        with pytest.raises(Refused, match="moderator removed this name"):
            name_for(owner, name)
    with pytest.raises(Refused, match="moderator removed this description"):
        describe(bot, "buy   THIS")
    rename(bot, "Polite Word")


def test_one_entry_in_the_header_leads_staff_to_all_their_pages(bot: Bot, reporter: User) -> None:
    moderation.complain(bot, reporter, "It insults.")
    write_down(BROKEN)
    client = signed_in(staff("eve"))
    assert "/staff/" in shown.page(client, "/").one("nav").links
    index = shown.page(client, "/staff/")
    counts = {element["data-count"]: re.findall(r"\d+", element.text) for element in index.all(data_count=True)}
    assert counts == {"bots": ["1"], "lines": ["0"], "cups": ["0"], "machines": ["1"]}
    listed = {f"/{pattern.pattern}" for pattern in get_resolver().url_patterns[-1].url_patterns}
    own = {path for path in listed if re.fullmatch(r"/staff/[a-z]+/(new/)?", path)}
    assert own <= set(index.one("main").links)
    for path in own:
        assert client.get(path).status_code == 200
    assert "/staff/" not in shown.page(signed_in(reporter), "/").links
    assert signed_in(reporter).get("/staff/").status_code == 404


@pytest.mark.parametrize(("role", "others"), [("moderator", "/staff/operations/"), ("operator", "/staff/reports/")])
def test_staff_find_only_the_pages_of_their_role(db: None, role: str, others: str) -> None:
    client = signed_in(person("mona", role=role))
    links = [link for link in shown.page(client, "/staff/").one("main").links if link.startswith("/staff/")]
    assert len(links) >= 3
    assert [client.get(link).status_code for link in links] == [200] * len(links)
    assert not {others, "/staff/roles/"} & set(links)


def test_one_person_is_one_voice(bot: Bot, reporter: User) -> None:
    moderation.complain(bot, reporter, "first")
    moderation.complain(bot, reporter, "second")
    assert [report.text for report in BotReport.objects.all()] == ["second"]


def test_reports_a_day_are_limited(owner: User, reporter: User) -> None:
    bots = [Bot.objects.create(owner=owner, name=f"b{i}", slug=f"b{i}") for i in range(moderation.MOST_A_DAY + 1)]
    for reported in bots[:-1]:
        moderation.complain(reported, reporter, "x")
    with pytest.raises(TooMany) as refusal:
        moderation.complain(bots[-1], reporter, "x")
    assert refusal.value.retry_after_s is not None
    assert 0 < refusal.value.retry_after_s <= 86401
    BotReport.objects.update(created=timezone.now() - timedelta(days=2))
    moderation.complain(bots[-1], reporter, "x")


def test_one_has_to_be_signed_in_and_to_say_something(bot: Bot, reporter: User) -> None:
    answer = Client().post("/bots/rude-word/report/", {"text": "x"})
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/account/login/")
    assert signed_in(reporter).post("/bots/rude-word/report/", {"text": " "}).status_code == 422
    assert not BotReport.objects.exists()


def test_the_house_is_not_reported(reporter: User) -> None:
    house = Bot.objects.create(house_name="random", name="random", slug="random")
    with pytest.raises(Refused, match="house"):
        moderation.complain(house, reporter, "x")


def test_whatever_people_write_is_text_on_every_page(bot: Bot, reporter: User, moderator: User, client: Client) -> None:
    Bot.objects.update(name=NAME, description=HOSTILE)
    moderation.complain(bot, reporter, HOSTILE)
    moderation.blank(bot, moderator, [TextRemoval.What.NAME], HOSTILE)
    Bot.objects.update(name=NAME)
    moderation.complain(bot, reporter, HOSTILE)
    slug = Bot.objects.get().slug
    pages: list[Any] = [signed_in(moderator).get("/staff/reports/"), signed_in(reporter).get(f"/bots/{slug}/report/")]
    pages += [client.get(f"/bots/{slug}/"), client.get("/bots/")]
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text
    assert not {"\x1b", "\u202e"} & set(pages[0].content.decode()), "what cannot be seen is written out"


ADDRESS = "/staff/sandboxes/"

BROKEN = {
    "ok": False,
    "problem": f"The sandbox is not secure: {SCRIPT}",
    "remedy": proof.APPARMOR,
    "checks": [{"name": "There is no /proc.", "problem": f"/proc is there {SCRIPT}"}, {"name": "Fine.", "problem": ""}],
    "kernel": "6.1",
    "bubblewrap": "",
    "python": "",
    "numpy": "",
    "users": False,
}


def sandboxes_page(user: Any, status_code: int = 200) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(ADDRESS)
    assert response.status_code == status_code
    return response.content.decode()


def test_without_any_word_of_a_worker_it_says_when_there_will_be_one() -> None:
    assert "make run" in sandboxes_page(staff("eve"))


def test_a_machine_that_holds_shows_what_was_tried(sandbox_launcher: SandboxLauncher) -> None:
    machine = status()
    write_down(machine)
    text = sandboxes_page(staff("eve"))
    assert Machine.objects.get().host in text
    assert text.count('<li class="done">') == len(machine["checks"])
    assert machine["python"] in text
    assert '<li class="failed">' not in text


def test_a_machine_that_fails_says_what_is_wrong_and_what_helps() -> None:
    write_down(BROKEN)
    text = sandboxes_page(staff("eve"))
    assert "is not secure" in text
    assert "/proc is there" in text
    assert "apparmor_parser" in text
    assert SCRIPT not in text


def test_staff_sees_the_versions_that_the_site_could_not_validate() -> None:
    client = signed_in(staff("eve"))
    assert "undecided" not in shown.page(client, ADDRESS).notes
    bot = uploaded(person("ada"), "Magpie")
    retry_at = timezone.now() + timedelta(hours=1)
    BotVersion.objects.update(state="undecided", active=False, reason="The server was busy.", retry_at=retry_at)
    listed = shown.page(client, ADDRESS).one("section", data_note="undecided")
    assert listed.one("a")["href"] == f"/bots/{bot.slug}/versions/1/"
    assert listed.notes == {"retry"}
    assert shown.page(client, "/staff/").all(data_count="undecided")


def test_every_known_remedy_stands_there() -> None:
    text = sandboxes_page(staff("eve"))
    for title, _ in REMEDIES:
        assert title.replace("'", "&#x27;") in text
    for word in ("apparmor-profiles", "seccomp=unconfined", "ESR_BOT_PYTHON", "max_user_namespaces"):
        assert word in text


def test_the_languages_on_the_upload_page_are_those_of_the_machines(client: Client) -> None:
    write_down({**BROKEN, "ok": True, "rated": True, "problem": "", "python": "3.11.2", "numpy": "1.24.2"})
    text = client.get("/bots/new/").content.decode()
    assert "3.11.2" in text
    assert "1.24.2" in text


NO_SANDBOX, UNRATED_ONLY = 'data-note="no-sandbox"', 'data-note="unrated-only"'


def test_without_a_sandbox_the_site_says_so_and_nobody_but_staff_hears_why(client: Client) -> None:
    write_down(document(SelfTest(ok=False, problem="/srv/bwrap is missing.", remedy="Install it.")))
    for address in ("/", "/ladders/", "/about/"):
        text = client.get(address).content.decode()
        assert NO_SANDBOX in text
        assert "/srv/bwrap" not in text
    assert 'href="/about/#sandbox"' in client.get("/").content.decode()


def test_where_no_rated_games_are_played_the_site_says_so(client: Client) -> None:
    write_down(document(SelfTest(ok=True, problem="/usr lies on a disk.", remedy="Use a tmpfs.")))
    for address in ("/", "/about/"):
        text = client.get(address).content.decode()
        assert 'role="note"' in text
        assert NO_SANDBOX not in text
        assert "/usr lies" not in text
    assert UNRATED_ONLY in client.get("/").content.decode()


def test_with_a_sandbox_the_site_says_that_its_test_has_passed(client: Client) -> None:
    before = client.get("/about/").content
    write_down({"ok": True, "rated": True})
    assert 'role="note"' not in client.get("/").content.decode()
    about = client.get("/about/").content
    assert about.count(b'role="note"') == before.count(b'role="note"') == 0
    assert b"".join(about.split()) != b"".join(before.split())


def test_before_any_worker_has_said_anything_the_site_claims_nothing(client: Client) -> None:
    assert 'role="note"' not in client.get("/").content.decode()
    assert 'role="note"' not in client.get("/about/").content.decode()
