"""Rulings on questions that the printed rules leave open, all in one place.

The constants below are read by the rules. The other rulings are implemented in the functions in parentheses:

- The age order is drawn for each game and shown to all. The youngest wins every tie that age decides
  (``Table.draw_age_order``, ``Table.precedence``, ``DuelState.richer``).
- Money never runs out: the bank is unlimited (``Table.pay``).
- A supply with too few gems gives what it has, for every way of taking gems (``Table.take``).
- A color that no seat has pays nothing and returns nothing; a tie whose share is 0 still returns its gems
  (``score_colour``).
- Second place in certificates needs at least one certificate (``certificate_pay``).
- A half scoring uses no scoring cards, and their owners keep them (``score_half``).
- The player of a rob chooses the gem that each opponent loses; an opponent without gems is skipped (``moves.victims``).
- A swap without an own gem, or without an opponent who has one, has no effect (``Actions.immediate_has_effect``).
- Event cards are reshuffled only when a card must be drawn and none is left. The card on display is not included
  (``Table.draw_event``).
- Scoring cards are used automatically, because they only ever add money (``score_phase``).
- Players with equal money, gems, red, yellow, green and blue share their rank (``rank_keys``).
- A seat that does not answer plays its first legal move. No first move gives a gem away (``moves.default``).
"""

from __future__ import annotations

from typing import Final

OFFER_LIMIT: Final = 200
"""After this number of offers in one barter, the standing offer must be accepted."""

LOW_SUPPLY: Final = 5
"""At the start of phases 2 and 3, a color with at most this number of gems in the supply is refilled."""

TIE_RETURN: Final = 2
"""Each of several leaders in a color returns this number of gems, or all if it has fewer."""
