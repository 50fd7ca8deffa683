from __future__ import annotations

import pytest

from bots.tournaments.keys import cup_seed, derived, permutation
from bots.tournaments.ledger import START, chained, entrants_hash, reason_hash

KEY = bytes(range(32))


def test_derived_values_are_hmacs_of_the_entrant_list_a_purpose_and_a_number() -> None:
    """As ``openssl dgst -sha256 -mac HMAC`` computes them."""
    assert (
        derived(KEY, "ab" * 32, "deal", 1).hex() == "88527f136f55d63a938203f86af8736c631b667e03d7a590455f4b5090f5f608"
    )
    assert cup_seed(KEY, "ab" * 32, 1, 2, 3).hex() == "9f232387d60b224cd0430856c0da4139462ba399009012160b869f8bd839bb15"


def test_a_permutation_sorts_the_numbers_by_their_derived_values() -> None:
    drawn = permutation(KEY, "ab" * 32, "lot", 8)
    assert sorted(drawn) == list(range(8))
    values = [derived(KEY, "ab" * 32, "lot", number) for number in drawn]
    assert values == sorted(values)
    assert drawn != permutation(KEY, "ab" * 32, "place", 8)


def test_hashes_of_the_ledger_are_of_canonical_json() -> None:
    """As ``sha256sum`` computes them."""
    assert (
        entrants_hash([{"owner": None, "bot": 7}]) == "2b7dd1bf2e45faa3216e61d155537f28b252dfc17b43c3a4e74adaf653494a3e"
    )
    assert (
        chained(START, 3, 1, "left", {"reason": "Zu müde"})
        == "1054c835a076b7fcdfccc26b2b2d4935281192eb38cbdd0f758b02939dfbaf5d"
    )


def test_the_hash_of_a_reason_covers_its_salt_of_16_bytes() -> None:
    """As ``sha256sum`` computes it."""
    salt = "000102030405060708090a0b0c0d0e0f"
    assert reason_hash("Zu müde", salt) == "d528b56138ed8ddb42efd7643e60e298c089b45b742357664499d6f4b31a5f61"
    for wrong in (salt[2:], salt + "5a", "zz" * 16, ""):
        with pytest.raises(ValueError, match=r"salt|hex"):
            reason_hash("Zu müde", wrong)
