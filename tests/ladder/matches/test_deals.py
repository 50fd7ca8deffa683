from __future__ import annotations

import pytest

from ladder.matches.blocks import KEY_BYTES, key_hash, seed_of

KEY = bytes(range(KEY_BYTES))


@pytest.mark.parametrize(
    ("name", "season", "number", "seed"),
    [
        ("edel-stein-reich-4", 3, 17, "85324f5f533b8f9cdfe349a7b9aa064c43b9a22e4f9acb790f5bf79fbbe1172f"),
        ("test-edel-stein-reich-duel", 1, 1, "20a38a05fb751762973dab6e42430f28c963a6319be064ccdb54cd325993617b"),
    ],
)
def test_a_seed_is_what_openssl_says(name: str, season: int, number: int, seed: str) -> None:
    """``printf NAME/SEASON/NUMBER | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f``."""
    assert seed_of(KEY, name, season, number).hex() == seed


def test_the_hash_of_a_key_is_what_sha256sum_says() -> None:
    assert key_hash(KEY) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_another_key_name_season_or_number_gives_another_deal() -> None:
    given = [(KEY, "a", 1, 1), (KEY[::-1], "a", 1, 1), (KEY, "b", 1, 1), (KEY, "a", 2, 1), (KEY, "a", 1, 2)]
    assert len({seed_of(*one) for one in given}) == len(given)


def test_a_name_must_be_ascii() -> None:
    with pytest.raises(UnicodeEncodeError):
        seed_of(KEY, "würfel", 1, 1)
