from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from esr_platform.accounts.models import User
from ladder.ledger.append import rules_of
from ladder.models import Ladder, LedgerEntry, Match
from tests.build import differences, finished_matches, person, staff


@pytest.fixture
def eve(db: None) -> User:
    return staff("eve")


def correct(*words: object, by: str = "eve") -> str:
    out = StringIO()
    call_command("correct", *map(str, words), "--by", by, "--reason", "so it is", stdout=out)
    return out.getvalue()


def test_staff_correct_from_the_command_line_too(played: Ladder, eve: User) -> None:
    match = finished_matches(played)[0]
    one, other = [seat.entry for seat in match.seats.order_by("index")[:2]]
    assert "replaces its own" in correct("void", match.pk)
    queued = Match.objects.filter(status="queued")[0]
    assert correct("withdraw", queued.pk) == f"Match {queued.pk} is cancelled.\n"
    assert correct("k", played.slug, 32, 16, 25).startswith("Written as number ")
    correct("merge", played.slug, one.bot.slug, other.bot.slug)
    assert rules_of(played).merged == {one.pk: other.pk}
    correct("merge", played.slug, one.bot.slug, one.bot.slug)
    correct("merge", played.slug, other.bot.slug)
    rules = rules_of(played)
    assert (rules.merged, rules.k.provisional_games) == ({other.pk: None}, 25)
    written = LedgerEntry.objects.filter(ladder=played).exclude(kind__in=("result", "season"))
    assert {(entry.author, entry.document["reason"]) for entry in written} == {(eve, "so it is")}
    assert differences() == []


def test_what_is_refused_is_said_in_a_sentence(played: Ladder, eve: User) -> None:
    person("ada")
    for words, by, sentence in (
        (("void", 10**9), "eve", "has no result"),
        (("withdraw", 10**9), "eve", "has ended"),
        (("void", finished_matches(played)[0].pk), "ada", "Only the people who look after the site"),
        (("void", 1), "nobody", "Nobody is called nobody."),
        (("k", played.slug, 0, 16, 25), "eve", "K is from 1 to 1000"),
        (("k", "nowhere", 1, 16, 25), "eve", "No ladder is called nowhere."),
        (("merge", played.slug, "nothing"), "eve", "No bot nothing is on"),
    ):
        with pytest.raises(CommandError, match=sentence):
            correct(*words, by=by)
