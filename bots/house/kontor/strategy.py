"""The decisions of Kontor, with one method for each kind."""

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
    """Yield the legal offers above ``standing`` with at most one additional gem."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    for gems in product(*(range(min(held, size) + 1) for held in holdings)):
        if sum(gems) <= size and [sum(gems), *gems] > least:
            yield list(gems)


class Kontor:
    """One seat. Between decisions it remembers only how the other players have chosen.

    Its settings are:

    - ``doubt`` and ``drift``: the uncertainty of a lead in gems, now and per remaining round;
    - ``later``: the weight of later phases;
    - ``rivalry``: the negative weight of the other players' money;
    - ``temperature``, ``naive`` and ``calm``: how consistently wary players, naive players and Kontor choose the best;
    - ``margin``: the minimum gain of a barter.
    """

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.seat: int = hello["seat"]
        self.habits = [Habits() for _ in range(hello["seats"])]
        self.likes = settings(
            args, doubt=0.4, drift=0.75, later=0.8, rivalry=1, temperature=1, naive=1, calm=0.3, margin=0.2
        )

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move for a decision. Each kind of decision has its own method."""
        self.view = view
        self.learn(log)
        self.books = Books(view, self.likes)
        answer: Move = getattr(self, decision["kind"])(decision)
        return answer

    # Choosing and guessing

    def pick(self, mix: Mix) -> str:
        """Return a random action with the probabilities in ``mix``."""
        point = self.dice.fraction()
        for action, chance in mix.items():
            point -= chance
            if point < 0:
                return action
        return action

    def action(self, decision: Document) -> Move:
        """Choose the best answer to the predicted choices of the others, sometimes the second best."""
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
        """Read what the others have chosen since the last decision."""
        for entry in log:
            step = entry.get("step", {})
            if step.get("decision") in ("action", "guess") and step["seat"] != self.seat:
                habits = self.habits[step["seat"]]
                if step["move"] in habits.naive:
                    habits.learn(step["move"])

    # Two players: hiding and guessing

    def stakes(self, gains: Gains) -> tuple[Mix, Mix]:
        """Return the gains of the active seat if an action is not guessed, and if the second guess hits it."""
        active = self.view["active"]
        acts = gains[active][active]
        return acts, {a: (worth + gains[active][1 - active][a]) / 2 for a, worth in acts.items()}

    def hide(self, gains: Gains) -> Move:
        """Choose the action that keeps the highest value against the predicted guesses."""
        acts, shared = self.stakes(gains)
        wary = hiding(acts, shared)[1]
        habits = self.habits[1 - self.seat]
        naive = softmax(acts, self.likes["naive"])
        habits.expect(naive, {a: sum(chance for pair, chance in wary.items() if pair[0] == a) for a in acts})
        pairs = {p: habits.naivety * c + (1 - habits.naivety) * wary[p] for p, c in in_order(naive).items()}
        worths = {a: sum(c * left_to(acts, shared, a, p) for p, c in pairs.items()) for a in acts}
        return self.pick(softmax(worths, self.likes["calm"]))

    def guess(self, decision: Document) -> Move:
        """Choose the guess that probably costs the active seat most, considering the second guess."""
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
        """Return the best legal offer and its value if it is accepted, or ``None``."""
        judged = []
        for gems in offers_above(decision["holdings"], standing):
            table = moved(self.books.table, gems, self.seat, decision["other"])
            judged.append((self.books.worth_acting(decision["action"], self.seat, table), gems))
        return max(judged, default=None)

    def let_act(self, action: str, other: int, gems: list[int]) -> float:
        """Return the value of receiving ``gems`` and letting ``other`` act."""
        table = moved(self.books.table, gems, other, self.seat)
        return self.books.worth_acting(action, other, table)

    def open_barter(self, decision: Document) -> Move:
        """Make an offer if buying the action is better than letting the other player act."""
        best = self.best_offer(decision, [0, 0, 0, 0])
        refused = self.let_act(decision["action"], decision["other"], [0, 0, 0, 0])
        return {"offer": best[1]} if best and best[0] > refused + self.likes["margin"] else "decline"

    def answer_offer(self, decision: Document) -> Move:
        """Accept the offer unless a higher counteroffer is better."""
        if decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        best = self.best_offer(decision, decision["standing"])
        accepted = self.let_act(decision["action"], decision["other"], decision["standing"])
        return {"offer": best[1]} if best and best[0] > accepted + self.likes["margin"] else "accept"

    def counter_gift(self, decision: Document) -> Move:
        """Buy the action for one gem, unless it is too expensive."""
        void = self.books.worth(self.books.table)
        judged = {}
        for colour in decision["colours"]:
            table = moved(self.books.table, one(colour), self.seat, decision["to"])
            judged[colour] = self.books.worth_acting(decision["action"], self.seat, table)
        best = max(judged, key=judged.__getitem__)
        return {"gift": best} if judged[best] > void else "decline"

    # Events and free choice

    def event_card(self, decision: Document) -> Move:
        """Choose the card on display unless a blind draw is better on average."""
        mine, table = self.books.mine, self.books.table
        shown = mine.utility(mine.gain(decision["display"], table))
        return "face_up" if shown >= mine.utility(mine.blind(self.view["event"], table)) else "blind"

    def immediate(self, decision: Document) -> Move:
        """Choose the best way to carry out an immediate card, or decline."""
        mine, table, card = self.books.mine, self.books.table, decision["card"]
        judged: list[tuple[float, Move]] = [(self.books.worth(table), "decline")]
        judged += [(mine.utility(mine.after(card, move, table)), move) for move in mine.ways(card, table)]
        return max(judged, key=lambda way: way[0])[1]

    def free_choice(self, decision: Document) -> Move:
        """Take the gems with the highest value. As the only chooser, return the gem with the lowest value."""
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
    """Yield the ways to take ``count`` gems from ``supply``, in the order of the colors."""
    for gems in product(*(range(min(left, count) + 1) for left in supply)):
        if sum(gems) == count:
            yield [colour for colour, number in zip(COLOURS, gems, strict=True) for _ in range(number)]
