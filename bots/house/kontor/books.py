"""The consequences of each action for each seat at one decision."""

from __future__ import annotations

from itertools import product

from events import Events
from worth import Outlook, gems_on, moved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from choices import Gains
    from wire import Document
    from worth import Money, Table


def added(first: Money, second: Money) -> Money:
    """Return the sum by seat."""
    return [a + b for a, b in zip(first, second, strict=True)]


class Books:
    """The prospects of all seats at one decision. ``mine`` values event cards for the bot's own seat."""

    def __init__(self, view: Document, likes: dict[str, float]) -> None:
        self.view = view
        self.seat: int = view["seat"]
        self.outlook = Outlook(view, likes)
        self.table = self.outlook.table
        self.judges = [
            Events(self.outlook, seat, self.weights(seat, likes["rivalry"])) for seat in range(view["seats"])
        ]
        self.mine = self.judges[self.seat]
        self.events: dict[int, Money] = {}

    def weights(self, seat: int, rivalry: float) -> list[float]:
        """Return 1 for the seat itself, and together ``-rivalry`` for the other seats."""
        against = rivalry / (self.view["seats"] - 1)
        return [1.0 if other == seat else -against for other in range(self.view["seats"])]

    def worth(self, table: Table) -> float:
        """Return the value of ``table`` for the bot."""
        return self.mine.utility(self.outlook.money(table))

    def worth_acting(self, action: str, actor: int, table: Table) -> float:
        """Return the value for the bot if ``actor`` carries out ``action`` at ``table``."""
        return self.mine.utility(self.acts(action, actor, table))

    def acts(self, action: str, seat: int, table: Table) -> Money:
        """Return the expected money of all seats if ``seat`` carries out ``action`` at ``table``."""
        money = self.outlook.money(table)
        if action == "event":
            return added(money, self.event_gain(seat))
        if action == "free_choice":
            return self.two_gems(seat, table)
        card = self.view["players"][seat if self.view["active"] is None else self.view["active"]]["gem_card"]
        if action == "gems":
            return self.outlook.money(moved(table, gems_on(card, self.outlook.supply), None, seat))
        return [amount + int(card[0]) * (other == seat) for other, amount in enumerate(money)]

    def event_gain(self, seat: int) -> Money:
        """Return the gain of ``seat`` from the event action with the display.

        For this bot itself, a blind draw counts instead if it is better.
        """
        known = self.events.get(seat)
        if known is None:
            judge, event, table = self.judges[seat], self.view["event"], self.table
            known = judge.gain(event["display"], table)
            if seat == self.seat:
                known = max(known, judge.blind(event, table), key=judge.utility)
            self.events[seat] = known
        return known

    def two_gems(self, seat: int, table: Table) -> Money:
        """Return the expected money of all seats if only ``seat`` exchanges a gem for two."""
        judge = self.judges[seat]
        best = self.outlook.money(table)
        for give, first, second in product(range(4), range(4), range(4)):
            if first <= second and table[give][seat]:
                gems = [(first == c) + (second == c) - (give == c) for c in range(4)]
                if all(more <= left for more, left in zip(gems, self.outlook.supply, strict=True)):
                    best = max(best, self.outlook.money(moved(table, gems, None, seat)), key=judge.utility)
        return best

    def gains(self, actions: list[str]) -> Gains:
        """Return the value for each seat if each seat carries out each action."""
        seats = range(self.view["seats"])
        table = self.table
        now = self.outlook.money(table)
        results: Gains = [[{} for _ in seats] for _ in seats]
        for action, actor in product(actions, seats):
            change = [then - amount for then, amount in zip(self.acts(action, actor, table), now, strict=True)]
            for judge in self.judges:
                results[judge.seat][actor][action] = judge.utility(change)
        return results
