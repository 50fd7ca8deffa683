//! The strategy of the bot. Change this file.
//!
//! A decision contains the question and the limits of the answer. A view contains everything that this seat can see.
//! See examples.json for real examples.

use crate::json::Json;

/// Order of the four numbers in lists such as offers and holdings.
const COLOURS: &str = "RYGB";
/// Value of one gem in money.
const PRICE: [f64; 4] = [3.5, 3.0, 2.5, 2.0];
/// Value of an event card in money.
const EVENT: f64 = 4.5;
/// Randomness when choosing an action. Without it, two of these bots would always choose the same action.
const BOLDNESS: f64 = 0.3;
/// Value in stars of passing without a bid, which draws a bottle.
const DRAW: i64 = 1;
/// Number of bottles to keep in hand for the next bids.
const KEEP: usize = 4;

/// One seat in one game. It lasts until the game ends.
pub struct Strategy {
    seat: usize,
    dice: u64,
}

impl Strategy {
    /// Begins a game. The same seed gives the same game.
    pub fn new(hello: &Json) -> Strategy {
        let seed = hello.get("seed").text().get(..16).unwrap_or("");
        let dice = u64::from_str_radix(seed, 16).unwrap_or(0) | 1;
        Strategy { seat: hello.get("seat").number().unwrap_or(0) as usize, dice }
    }

    /// Returns the move. Other kinds of decisions get the default move, which is always legal.
    pub fn choose(&mut self, decision: &Json, view: &Json) -> Json {
        let choice = match decision.get("kind").text() {
            "action" | "guess" => self.action(decision, view), // we guess the action that we would have chosen
            "open_barter" => self.open_barter(decision, view),
            "answer_offer" => self.answer_offer(decision, view),
            "bid" => self.bid(decision, view),
            "lay" => self.lay(decision, view),
            _ => None,
        };
        choice.unwrap_or_else(|| decision.get("default").clone())
    }

    /// A random number from 0 to 1 (xorshift64).
    fn random(&mut self) -> f64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 11) as f64 / (1u64 << 53) as f64
    }

    // --- Edel, Stein & Reich -----------------------------------------------------------------------------------------

    /// Money, the event card or gems: the most valuable action, with some randomness.
    fn action(&mut self, decision: &Json, view: &Json) -> Option<Json> {
        let options = decision.get("options").items();
        best(options, |action| self.worth(action.text(), view) * (1.0 + BOLDNESS * self.random())).cloned()
    }

    /// Value of an action in this round, in money.
    fn worth(&self, action: &str, view: &Json) -> f64 {
        let owner = view.get("active").number().map_or(self.seat, |active| active as usize); // two seats share a card
        let card = view.get("players").items()[owner].get("gem_card").text(); // "5RRY": five million, or three gems
        match action {
            "money" => card[..1].parse().unwrap_or(0.0),
            "gems" => card[1..].chars().filter_map(|colour| COLOURS.find(colour)).map(|index| PRICE[index]).sum(),
            _ => EVENT, // the event card, or the free choice with five seats
        }
    }

    /// One gem of the cheapest color if the action is worth at least twice as much.
    fn open_barter(&self, decision: &Json, view: &Json) -> Option<Json> {
        let offer = cheapest(&decision.get("holdings").numbers(), 1)?;
        let worth = self.worth(decision.get("action").text(), view);
        (2.0 * price(&offer) <= worth).then(|| object("offer", numbers(&offer)))
    }

    /// A higher offer while the action minus its cost is worth more than the payment. More gems always outbid.
    fn answer_offer(&self, decision: &Json, view: &Json) -> Option<Json> {
        let standing = decision.get("standing").numbers();
        let offer = cheapest(&decision.get("holdings").numbers(), standing.iter().sum::<i64>() + 1)?;
        let gain = self.worth(decision.get("action").text(), view) - price(&offer);
        (gain > price(&standing)).then(|| object("offer", numbers(&offer)))
    }

    // --- Die Weinhändler ---------------------------------------------------------------------------------------------

    /// Bids once: the bottle that gains most if no player bids after us. Two bids cannot be equal.
    fn bid(&self, decision: &Json, view: &Json) -> Option<Json> {
        if !decision.get("bid").items().is_empty() {
            return None;
        }
        let taken = decision.get("taken").numbers();
        let hand: Vec<&Json> = decision.get("hand").items().iter().collect();
        let free: Vec<&Json> = hand.into_iter().filter(|card| !taken.contains(&value(card.text()))).collect();
        let card = best(&free, |card| gain(card.text(), view) as f64)?;
        (gain(card.text(), view) > DRAW).then(|| object("cards", Json::List(vec![(*card).clone()])))
    }

    /// Lays bottles next to the same wine. Keeps some bottles for bidding until the last round.
    fn lay(&self, decision: &Json, view: &Json) -> Option<Json> {
        let hand = decision.get("hand").items();
        let free = !view.get("last_round").is_true() && decision.get("must_lay").number() == Some(0);
        if free && hand.len() <= KEEP {
            return Some(Json::Text("done".to_string()));
        }
        let cellars = view.get("players").items()[self.seat].get("cellars").items();
        let cellar = cellars.last().filter(|_| !decision.get("new_cellar").is_true()).map_or(&[][..], Json::items);
        let mut moves = Vec::new();
        for place in decision.get("cells").items() {
            let fits = |card: &&Json| place.get("cards").text() == "any" || card.text() != "empty";
            moves.extend(hand.iter().filter(fits).map(|card| (card, place.get("cell"))));
        }
        let (card, cell) = best(&moves, |(card, cell)| promise(card.text(), &cell.numbers(), cellar) as f64)?;
        let pairs = vec![("card".to_string(), (*card).clone()), ("cell".to_string(), (*cell).clone())];
        Some(Json::Object(pairs))
    }
}

/// The stars of what a bid takes, those of the next higher bid or the display, without the bottle that it costs.
fn gain(card: &str, view: &Json) -> i64 {
    let players = view.get("players").items().iter();
    let higher = players.filter(|player| player.get("total").number().map_or(false, |total| total > value(card)));
    let next = higher.min_by_key(|player| player.get("total").number());
    let received = next.map_or(view.get("display"), |player| player.get("bid"));
    received.texts().into_iter().map(stars).sum::<i64>() - stars(card)
}

/// Value of a move: its stars, and a bottle of the same wine next to it, which can become a trio.
fn promise(card: &str, cell: &[i64], cellar: &[Json]) -> i64 {
    let same = |spot: &&Json| {
        let up = spot.get("level").number().unwrap_or(0) - cell[0];
        let right = spot.get("x").number().unwrap_or(0) - cell[1];
        let wine = spot.get("card").text();
        up.abs() <= 1 && right.abs() <= 1 && up != right && wine != "empty" && wine[..1] == card[..1]
    };
    stars(card) + cellar.iter().filter(same).count() as i64
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

/// The item with the highest value.
fn best<T>(items: &[T], mut value_of: impl FnMut(&T) -> f64) -> Option<&T> {
    let mut chosen = None;
    for item in items {
        let value = value_of(item);
        if chosen.map_or(true, |(highest, _)| value > highest) {
            chosen = Some((value, item));
        }
    }
    chosen.map(|(_, item)| item)
}

fn object(key: &str, value: Json) -> Json {
    Json::Object(vec![(key.to_string(), value)])
}

fn numbers(values: &[i64]) -> Json {
    Json::List(values.iter().map(|value| Json::Number(*value as f64)).collect())
}

/// Value of gems in money.
fn price(gems: &[i64]) -> f64 {
    gems.iter().zip(PRICE).map(|(count, price)| *count as f64 * price).sum()
}

/// The cheapest gems in holdings, if there are so many.
fn cheapest(holdings: &[i64], count: i64) -> Option<Vec<i64>> {
    let mut taken = vec![0; 4];
    for index in (0..4).rev() {
        taken[index] = holdings[index].min(count - taken.iter().sum::<i64>()); // blue is the cheapest
    }
    (taken.iter().sum::<i64>() == count).then_some(taken)
}

/// Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2.
fn value(card: &str) -> i64 {
    card[1..].parse::<i64>().map_or(2, |number| 10 * number)
}

/// Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25.
fn stars(card: &str) -> i64 {
    (value(card) / 10 + 2) / 7
}
