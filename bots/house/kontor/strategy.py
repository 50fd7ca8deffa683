"""Kontor's answers: a method for each kind of decision."""

from __future__ import annotations

from itertools import product

from books import Books
from choices import Habits, expected_mixes, hiding, in_order, left_to, prospects, softmax
from wire import Dice, Document, settings
from worth import COLOURS, moved, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from choices import Gains, Mix
    from wire import Move


def offers_above(holdings: list[int], standing: list[int]) -> Iterator[list[int]]:
    """The legal offers above ``standing`` that hold at most one gem more."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    for gems in product(*(range(min(held, size) + 1) for held in holdings)):
        if sum(gems) <= size and [sum(gems), *gems] > least:
            yield list(gems)


class Kontor:
    """One seat's play. All it keeps from one decision to the next is how the others have chosen so far.

    Its settings: ``doubt`` and ``drift`` say how uncertain a lead in gems is, now and per round left; ``later`` what
    later phases count for; ``rivalry`` how much the others' money hurts; ``temperature`` and ``naive`` how sharply
    wary and naive players choose the best, ``calm`` how sharply Kontor does; ``margin`` what a bargain must bring.
    """

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.seat: int = hello["seat"]
        self.habits = [Habits() for _ in range(hello["seats"])]
        self.likes = settings(
            args, doubt=0.4, drift=0.75, later=0.8, rivalry=1, temperature=1, naive=1, calm=0.3, margin=0.2
        )

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """The answer to one decision: every kind has a method of its own."""
        self.view = view
        self.learn(log)
        self.books = Books(view, self.likes)
        answer: Move = getattr(self, decision["kind"])(decision)
        return answer

    # Choosing and guessing

    def pick(self, mix: Mix) -> str:
        """One action, as likely as ``mix`` says."""
        point = self.dice.fraction()
        for action, chance in mix.items():
            point -= chance
            if point < 0:
                return action
        return action

    def action(self, decision: Document) -> Move:
        """The best answer to what the others will probably choose, now and then the second best."""
        gains, options = self.books.gains(decision["options"]), decision["options"]
        if self.view["active"] is not None:
            return self.hide(gains)
        wary = expected_mixes(gains, options, self.likes["temperature"])
        mixes = []
        for seat, habits in enumerate(self.habits):
            naive = softmax({a: gains[seat][seat][a] for a in options}, self.likes["naive"])
            mixes.append(habits.expect(naive, wary[seat]))
        return self.pick(softmax({a: prospects(gains, self.seat, mixes, a) for a in options}, self.likes["calm"]))

    def learn(self, log: list[Document]) -> None:
        """See what the others have chosen since the last decision."""
        for entry in log:
            step = entry.get("step", {})
            if step.get("decision") in ("action", "guess") and step["seat"] != self.seat:
                habits = self.habits[step["seat"]]
                if step["move"] in habits.naive:
                    habits.learn(step["move"])

    # Two players: hiding and guessing

    def stakes(self, gains: Gains) -> tuple[Mix, Mix]:
        """What each action brings the active seat: when it is not guessed, and when the second guess hits."""
        active = self.view["active"]
        acts = gains[active][active]
        return acts, {a: (worth + gains[active][1 - active][a]) / 2 for a, worth in acts.items()}

    def hide(self, gains: Gains) -> Move:
        """The action that the other one's guesses will probably leave most to."""
        acts, shared = self.stakes(gains)
        wary = hiding(acts, shared)[1]
        habits = self.habits[1 - self.seat]
        naive = softmax(acts, self.likes["naive"])
        habits.expect(naive, {a: sum(chance for pair, chance in wary.items() if pair[0] == a) for a in acts})
        pairs = {p: habits.naivety * c + (1 - habits.naivety) * wary[p] for p, c in in_order(naive).items()}
        worths = {a: sum(c * left_to(acts, shared, a, p) for p, c in pairs.items()) for a in acts}
        return self.pick(softmax(worths, self.likes["calm"]))

    def guess(self, decision: Document) -> Move:
        """The guess that will probably cost the active seat most, with the second one in mind."""
        acts, shared = self.stakes(self.books.gains(["money", "event", "gems"]))
        naive = softmax(acts, self.likes["naive"])
        hidden = self.habits[1 - self.seat].expect(naive, hiding(acts, shared)[0])
        worths = dict.fromkeys(decision["options"], -1e9)
        shown = self.view["guesses"]
        for pair in in_order(hidden):
            if list(pair[: len(shown)]) == shown:
                left = sum(c * left_to(acts, shared, a, pair) for a, c in hidden.items() if a not in shown)
                worths[pair[len(shown)]] = max(worths[pair[len(shown)]], -left)
        return self.pick(softmax(worths, self.likes["calm"]))

    # Bartering

    def best_offer(self, decision: Document, standing: list[int]) -> tuple[float, list[int]] | None:
        """What the best legal offer is worth if it is accepted, and the offer."""
        judged = []
        for gems in offers_above(decision["holdings"], standing):
            table = moved(self.books.table, gems, self.seat, decision["other"])
            judged.append((self.books.worth_acting(decision["action"], self.seat, table), gems))
        return max(judged, default=None)

    def let_act(self, action: str, other: int, gems: list[int]) -> float:
        """What it is worth to be given ``gems`` and let ``other`` act."""
        table = moved(self.books.table, gems, other, self.seat)
        return self.books.worth_acting(action, other, table)

    def open_barter(self, decision: Document) -> Move:
        """Offer if buying the action is better than being given the gem the other one misses least."""
        best = self.best_offer(decision, [0, 0, 0, 0])
        refused = self.let_act(decision["action"], decision["other"], [0, 0, 0, 0])
        return {"offer": best[1]} if best and best[0] > refused + self.likes["margin"] else "decline"

    def answer_offer(self, decision: Document) -> Move:
        """Accept, unless acting for a higher price is better."""
        if decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        best = self.best_offer(decision, decision["standing"])
        accepted = self.let_act(decision["action"], decision["other"], decision["standing"])
        return {"offer": best[1]} if best and best[0] > accepted + self.likes["margin"] else "accept"

    def counter_gift(self, decision: Document) -> Move:
        """Buy the action for one gem, unless even that is too dear."""
        void = self.books.worth(self.books.table)
        judged = {}
        for colour in decision["colours"]:
            table = moved(self.books.table, one(colour), self.seat, decision["to"])
            judged[colour] = self.books.worth_acting(decision["action"], self.seat, table)
        best = max(judged, key=judged.__getitem__)
        return {"gift": best} if judged[best] > void else "decline"

    # Events and free choice

    def event_card(self, decision: Document) -> Move:
        """The card on display unless a blind draw is better on average."""
        mine, table = self.books.mine, self.books.table
        shown = mine.utility(mine.gain(decision["display"], table))
        return "face_up" if shown >= mine.utility(mine.blind(self.view["event"], table)) else "blind"

    def immediate(self, decision: Document) -> Move:
        """The best way to carry the card out, if there is one that is better than declining."""
        mine, table, card = self.books.mine, self.books.table, decision["card"]
        judged: list[tuple[float, Move]] = [(self.books.worth(table), "decline")]
        judged += [(mine.utility(mine.after(card, move, table)), move) for move in mine.ways(card, table)]
        return max(judged, key=lambda way: way[0])[1]

    def free_choice(self, decision: Document) -> Move:
        """The gems that are worth most; when alone, for the one that is worth least."""
        judged: list[tuple[float, Move]] = [(self.books.worth(self.books.table), "decline")]
        for give in decision["give"] if decision["alone"] else [""]:
            left = [count + back for count, back in zip(decision["take"]["supply"], one(give), strict=True)]
            for take in takings(left, decision["take"]["count"]):
                gems = [take.count(colour) - back for colour, back in zip(COLOURS, one(give), strict=True)]
                table = moved(self.books.table, gems, None, self.seat)
                move: Move = {"give": give, "take": take} if give else {"take": take}
                judged.append((self.books.worth(table), move))
        return max(judged, key=lambda way: way[0])[1]


def takings(supply: list[int], count: int) -> Iterator[list[str]]:
    """The ways to take ``count`` gems from ``supply``, in colour order."""
    for gems in product(*(range(min(left, count) + 1) for left in supply)):
        if sum(gems) == count:
            yield [colour for colour, number in zip(COLOURS, gems, strict=True) for _ in range(number)]
