"""House rulings: what no rule sheet decides, all in one place.

Numbers stand below as constants that the rules read. Rulings that are a way of doing things are these, each with
the function that does it:

- The age order is drawn for each game and shown to all; the youngest wins every tie that age decides
  (``Table.draw_age_order``, ``Table.precedence``, ``DuelState.richer``).
- Money never runs out: the bank is unlimited (``Table.pay``).
- A supply that cannot pay all gems gives what it has, for every way of taking gems (``Table.take``).
- A colour that nobody holds pays nothing and returns nothing; a tie whose share is 0 still returns its gems
  (``score_colour``).
- Second place in certificates needs at least one certificate (``certificate_pay``).
- A half scoring uses no scoring cards and keeps them with their owners (``score_half``).
- The player of a robbery chooses the gem each opponent loses; an opponent without gems is passed over
  (``moves.victims``).
- A swap without an own gem, or without an opponent who has one, has no effect (``Actions.immediate_has_effect``).
- Event cards are reshuffled only when a card must be drawn and none is left; the card on display stays out
  (``Table.draw_event``).
- Scoring cards work by themselves: they only ever add money (``score_phase``).
- Players level in money, gems, red, yellow, green and blue share their rank (``rank_keys``).
- A seat that does not answer plays its first legal move; no first move gives a gem away unasked (``moves.default``).
"""

from __future__ import annotations

from typing import Final

OFFER_LIMIT: Final = 200
"""When this many offers have been made in one barter, the standing one must be accepted."""

LOW_SUPPLY: Final = 5
"""At the start of phases 2 and 3, a colour with this many gems or fewer in the supply is replenished."""

TIE_RETURN: Final = 2
"""Each of several leaders of a colour returns this many gems, or all of them where they have fewer."""
