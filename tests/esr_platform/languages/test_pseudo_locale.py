from __future__ import annotations

import pytest
from django.utils import translation
from django.utils.translation import gettext, ngettext

from games.game import terms
from games.registry import GAMES
from tests.pseudo_locale import pseudo
from tools import messages

TERM = min(terms(GAMES.values()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Create token", "[Crêâtê tôkên ~~]"),
        ("Matches", "[Mâtchês~]"),
        ("%(name)s won", "[%(name)s wôn ~]"),
        ("95%% of %s", "[95%% ôf %s ~]"),
        ('See <a href="/x/">rules</a>&nbsp;now', '[Sêê <a href="/x/">rûlês</a>&nbsp;nôw ~~]'),
        ("\nYou won.\n", "\n[Yôû wôn ~].\n"),
        ("", ""),
        (" ", " "),
        ("%(count)s / {0}", "%(count)s / {0}"),
    ],
)
def test_a_text_grows_around_its_placeholders_and_tags(text: str, said: str) -> None:
    assert pseudo(text) == said


def test_a_long_text_grows_by_about_30_percent_and_can_wrap() -> None:
    text = "Hosted bots play on the computers of the site, and remote bots on the computers of their owners."
    longer = pseudo(text)
    assert 1.25 * len(text) < len(longer) < 1.4 * len(text)
    assert max(map(len, longer.split())) <= max(map(len, text.split())) + 2


def test_django_finds_messages_and_plurals_of_the_pseudo_locale(pseudo_language: str) -> None:
    plurals = (message for _, message, context in messages.pages() if isinstance(message, tuple) and not context)
    singular, several = next(plurals)
    with translation.override(pseudo_language):
        assert gettext(TERM) == pseudo(TERM)
        assert gettext("no such message") == "no such message"
        assert ngettext(singular, several, 1) == pseudo(singular)
        assert ngettext(singular, several, 2) == pseudo(several)
    assert gettext(TERM) == TERM
