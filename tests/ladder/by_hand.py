"""People who play by hand, on ladders and in games, without anybody at a table."""

from __future__ import annotations

from collections.abc import Sequence

from allauth.account.models import EmailAddress

from bots.models import BotVersion
from bots.owners import player_of
from esr_platform.accounts.models import User
from ladder.matches.blocks import Player
from ladder.members.membership import entry_of
from ladder.models import Block, Ladder, Match
from tests.ladder.blocks import finish_game
from tests.ladder.uploaded import person, scheduled


def verified(name: str) -> User:
    """Somebody whose address is theirs."""
    user = User.objects.filter(username=name).first() or person(name)
    EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
    return user


def seated_by_hand(ladder: Ladder, names: Sequence[str]) -> list[Player]:
    """These people as they sit at a rated table of ``ladder``."""
    versions: list[BotVersion] = [player_of(verified(name)) for name in names]
    return [Player(version, entry_of(version, ladder)) for version in versions]


def people_match(ladder: Ladder, names: Sequence[str]) -> Match:
    """A rated live game among them, not begun."""
    block = scheduled(ladder, seated_by_hand(ladder, names), purpose=Block.Purpose.LIVE, rotated=False)
    return Match.objects.select_related("ladder", "block").get(block=block)


def finished_by_hand(ladder: Ladder, names: Sequence[str], variety: int = 0) -> Match:
    """The same, over."""
    return finish_game(people_match(ladder, names), variety=variety)
