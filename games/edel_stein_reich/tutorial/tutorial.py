"""The tutorial: four merchants play the first of three phases, always with the same deal."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from games.edel_stein_reich.cards import COLOURS, MONEY_ON_CARD, TABLES, vector
from games.edel_stein_reich.tutorial import actions, barter, cards, ending, events, opponents, prices
from games.rules import Document, Move, State
from games.tutorial import Grid, Lesson, Sentence, Tutorial


class FirstPhase(Tutorial):
    """Seven rounds and a scoring. In this deal, every kind of situation occurs early."""

    game = "edel-stein-reich"
    seats = 4
    seat = 3
    names = ("magpie", "tulip", "abacus", "lantern")
    seed = sha256(b"tutorial 1400").digest()
    most_moves = 150

    @property
    def welcome(self) -> Sequence[Sentence]:
        return (
            Sentence(
                "You play %(name)s, one of four merchant houses that trade in gems. A game has three phases. This "
                "tutorial covers the first one, with seven rounds and a scoring. The player with the most money wins.",
                {"name": self.names[self.seat]},
            ),
            Sentence(
                "In every round, each player gets a face-up gem card that offers money or gems. One face-up event card "
                "is available to all players."
            ),
        )

    def answer(self, state: State, seat: int) -> Move:
        return opponents.choose(state.decision(seat), state.view(seat))

    def is_over(self, state: State) -> bool:
        phase: int = state.view(None)["phase"]
        return phase > 1

    def progress(self, state: State) -> tuple[int, int]:
        view, rounds = state.view(None), TABLES[self.seats].rounds
        return (rounds, rounds) if view["phase"] > 1 else (view["round"] - 1, rounds)

    def place(self, state: State) -> Sentence:
        done, rounds = self.progress(state)
        if self.is_over(state):
            return Sentence("Scoring of the first phase")
        return Sentence("Round %(number)s of %(rounds)s", {"number": done + 1, "rounds": rounds})

    def log(self, state: State) -> Document:
        log = state.log(self.seat)
        ends = [
            place
            for place, entry in enumerate(log["entries"])
            if entry.get("event", {}).get("phase") and entry["event"]["type"] == "scored"
        ]
        return {**log, "entries": log["entries"][: ends[0] + 1]} if ends else log

    def lesson(self, state: State, met: Sequence[str]) -> Lesson:
        view, decision = state.view(self.seat), state.decision(self.seat)
        kind = decision["kind"]
        if kind == "action":
            return actions.lesson(view, decision, self.names)
        if kind == "open_barter":
            return barter.opening(view, decision, self.names, kind not in met)
        if kind == "answer_offer":
            return barter.answering(view, decision, self.names, kind not in met)
        if kind == "counter_gift":
            return barter.giving(view, decision, self.names)
        if kind == "event_card":
            return events.choosing(view, decision, kind not in met)
        return events.using(view, decision, state.legal_moves(self.seat))

    def offer(self, amounts: Sequence[int]) -> Move:
        return {"offer": list(amounts)}

    def why_not(self, state: State, amounts: Sequence[int]) -> Sentence:
        decision = state.decision(self.seat)
        held, standing = decision["holdings"], decision.get("standing", [0, 0, 0, 0])
        if any(count < 0 or count > have for count, have in zip(amounts, held, strict=True)):
            return Sentence("You can offer only gems that you have: %(held)s.", {"held": prices.drawn(held)})
        if not any(standing):
            return Sentence("Add a gem of any color or make no offer.")
        values = {"offer": prices.drawn(amounts), "standing": prices.drawn(standing)}
        if sum(amounts) < sum(standing):
            return Sentence("%(offer)s has fewer gems than %(standing)s. Add gems.", values)
        if list(amounts) == list(standing):
            return Sentence("The offers are equal. Add a gem or change one to a more valuable color.")
        at = next(at for at in range(4) if amounts[at] != standing[at])
        return Sentence(
            "Both offers have the same number of gems, but theirs has more {%(colour)s}. Add a gem or change one to a "
            "more valuable color.",
            {"colour": COLOURS[at]},
        )

    def grid(self, state: State) -> Grid:
        view = state.view(self.seat)
        heads = [
            Sentence("House"),
            *(Sentence("{%(colour)s}", {"colour": colour}) for colour in COLOURS),
            *(Sentence("Millions"), Sentence("Gem card"), Sentence("Cards")),
        ]
        supply = [_number(count) for count in view["supply"]]
        display = view["event"]["display"]
        event = Sentence('"%(card)s"', {"card": cards.name(display)}) if display else Sentence("–")
        last = [Sentence("Supply and event card"), *supply, Sentence("–"), Sentence("–"), event]
        return Grid(heads, [*(self._row(view["players"], seat) for seat in range(self.seats)), last])

    def _row(self, players: Sequence[Document], seat: int) -> list[Sentence]:
        player = players[seat]
        code = player["gem_card"]
        values = {"name": self.names[seat]}
        kept = tuple(cards.name(card) for card in player["cards"])
        return [
            Sentence("%(name)s (you)", values) if seat == self.seat else Sentence("%(name)s", values),
            *(_number(count) for count in player["gems"]),
            _number(player["money"]),
            Sentence("–")
            if code is None
            else Sentence(
                "%(money)s or %(gems)s", {"money": MONEY_ON_CARD[code], "gems": prices.drawn(vector(code[1:]))}
            ),
            Sentence("%(cards)s", {"cards": kept}) if kept else Sentence("–"),
        ]

    def closing(self, state: State) -> tuple[Grid, Sequence[Sentence]]:
        rows, held = ending.scored(self.log(state)["entries"])
        view = state.view(None)
        money = [player["money"] for player in view["players"]]
        sentences = [
            ending.standing(money, self.seat, self.names),
            *(ending.why(row, held, self.seat, self.names) for row in rows),
            Sentence(
                "All scoring cards, including certificates, are returned. Two more phases with a scoring follow. You "
                "keep your remaining gems."
            ),
            Sentence(
                "A bot has to make the same decisions: money now or gems for later, alone or in a barter. Can you "
                "write a bot that beats this rule of thumb?"
            ),
        ]
        return ending.grid(rows, held, self.names), sentences


def _number(count: int) -> Sentence:
    return Sentence("%(count)s", {"count": count})
