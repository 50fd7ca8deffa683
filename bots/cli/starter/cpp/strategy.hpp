// The strategy of the bot. Change this file.
//
// A decision contains the question and the limits of the answer. A view contains everything that this seat can see.
// See examples.json for real examples.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>

#include "json.hpp"

using Gems = std::array<int, 4>;

// One seat in one game. It lasts until the game ends.
class Strategy {
  public:
    // Begin a game. The same seed gives the same game.
    explicit Strategy(const Json &hello)
        : seat(hello["seat"].number()), dice(std::stoull(hello["seed"].text.substr(0, 16), nullptr, 16)) {}

    // Return the move. Other kinds of decisions get the default move, which is always legal.
    Json choose(const Json &decision, const Json &view) {
        const std::string &kind = decision["kind"].text;
        if (kind == "action" || kind == "guess") return action(decision, view); // we guess what we would have chosen
        if (kind == "open_barter") return open_barter(decision, view);
        if (kind == "answer_offer") return answer_offer(decision, view);
        if (kind == "bid") return bid(decision, view);
        if (kind == "lay") return lay(decision, view);
        return decision["default"];
    }

  private:
    static constexpr std::array<double, 4> PRICE{3.5, 3, 2.5, 2}; // value of a red, yellow, green and blue gem in money
    static constexpr double EVENT = 4.5;                          // value of an event card in money
    static constexpr double BOLDNESS = 0.3; // randomness, or two of these bots would always choose the same action
    static constexpr double DRAW = 1.2;     // value in stars of passing without a bid, which draws a bottle
    static constexpr std::size_t KEEP = 4;  // number of bottles to keep in hand for the next bids

    int seat;
    std::mt19937_64 dice;

    // --- Edel, Stein & Reich -----------------------------------------------------------------------------------------

    // Choose money, the event card or gems: the most valuable action, with some randomness.
    Json action(const Json &decision, const Json &view) {
        Json chosen = decision["default"];
        double highest = -1;
        for (const auto &[_, option] : decision["options"].items) {
            const double random = static_cast<double>(dice() >> 11) / static_cast<double>(1ull << 53);
            const double value = worth(option.text, view) * (1 + BOLDNESS * random);
            if (value > highest) {
                highest = value;
                chosen = option;
            }
        }
        return chosen;
    }

    // Value of an action in this round, in money.
    double worth(const std::string &action, const Json &view) const {
        const Json &active = view["active"]; // two seats share the card of the active seat
        const Json &owner = view["players"].at(active.is_null() ? seat : active.number());
        const std::string &card = owner["gem_card"].text; // "5RRY" is five million, or two red gems and a yellow gem
        if (action == "money") return card.at(0) - '0';
        if (action != "gems") return EVENT; // the event card, or the free choice with five seats
        double total = 0;
        for (const char colour : card.substr(1)) total += PRICE[std::string("RYGB").find(colour)];
        return total;
    }

    // Offer one gem of the cheapest color if the action is worth at least twice as much.
    Json open_barter(const Json &decision, const Json &view) const {
        const auto offer = cheapest(gems_of(decision["holdings"]), 1);
        if (!offer || 2 * price(*offer) > worth(decision["action"].text, view)) return Json::text_of("decline");
        return move_of(*offer);
    }

    // Outbid while the action minus its cost is worth more than the payment. More gems always outbid.
    Json answer_offer(const Json &decision, const Json &view) const {
        const Gems standing = gems_of(decision["standing"]);
        const auto offer = cheapest(gems_of(decision["holdings"]), sum(standing) + 1);
        const bool gains = offer && worth(decision["action"].text, view) - price(*offer) > price(standing);
        return gains ? move_of(*offer) : Json::text_of("accept");
    }

    static Gems gems_of(const Json &list) {
        return {list.at(0).number(), list.at(1).number(), list.at(2).number(), list.at(3).number()};
    }

    static Json move_of(const Gems &gems) {
        std::vector<Json> numbers;
        for (const int count : gems) numbers.push_back(Json::number_of(count));
        return Json::object_of({{"offer", Json::list_of(numbers)}});
    }

    static int sum(const Gems &gems) { return std::accumulate(gems.begin(), gems.end(), 0); }

    // Value of gems in money.
    static double price(const Gems &gems) { return std::inner_product(gems.begin(), gems.end(), PRICE.begin(), 0.0); }

    // The cheapest gems in holdings, if there are so many.
    static std::optional<Gems> cheapest(const Gems &holdings, int count) {
        Gems taken{};
        for (int index = 3; index >= 0; index--) { // blue is the cheapest
            taken[index] = std::min(holdings[index], count - sum(taken));
        }
        return sum(taken) == count ? std::optional(taken) : std::nullopt;
    }

    // --- Die Weinhändler ---------------------------------------------------------------------------------------------

    // Bid once: the bottle that gains most if no player bids after us. Two bids cannot be equal.
    static Json bid(const Json &decision, const Json &view) {
        Json move = Json::text_of("pass");
        double highest = decision["bid"].items.empty() ? DRAW : 1000;
        for (const auto &[_, card] : decision["hand"].items) {
            const auto &taken = decision["taken"].items;
            const auto is_its_value = [&card = card](const auto &item) { return item.second.number() == value(card); };
            if (std::any_of(taken.begin(), taken.end(), is_its_value) || gain(card, view) <= highest) continue;
            highest = gain(card, view);
            move = Json::object_of({{"cards", Json::list_of({card})}});
        }
        return move;
    }

    // The stars of what a bid takes, those of the next higher bid or the display, without the bottle that it costs.
    static int gain(const Json &card, const Json &view) {
        const Json *received = &view["display"];
        int total = -stars(card), next = 0;
        for (const auto &[_, player] : view["players"].items) {
            const int bid = player["total"].number();
            if (bid > value(card) && (!next || bid < next)) {
                next = bid;
                received = &player["bid"];
            }
        }
        for (const auto &[_, bottle] : received->items) total += stars(bottle);
        return total;
    }

    // Lay bottles next to the same wine. Keep some bottles for bidding until the last round.
    Json lay(const Json &decision, const Json &view) const {
        const auto &hand = decision["hand"].items;
        const bool free = !view["last_round"].is_true() && decision["must_lay"].number() == 0;
        if (free && hand.size() <= KEEP) return Json::text_of("done");
        const Json &cellars = view["players"].at(seat)["cellars"];
        const bool is_new = decision["new_cellar"].is_true() || cellars.items.empty();
        const Json cellar = is_new ? Json{} : cellars.items.back().second;
        Json move = decision["default"];
        int highest = -1;
        for (const auto &[_, place] : decision["cells"].items) {
            for (const auto &[__, card] : hand) {
                const bool fits = place["cards"].is("any") || !card.is("empty");
                if (!fits || promise(card, place["cell"], cellar) <= highest) continue;
                highest = promise(card, place["cell"], cellar);
                move = Json::object_of({{"card", card}, {"cell", place["cell"]}});
            }
        }
        return move;
    }

    // Value of a move: its stars, and a bottle of the same wine next to it, which can become a trio.
    static int promise(const Json &card, const Json &cell, const Json &cellar) {
        int total = stars(card);
        for (const auto &[_, spot] : cellar.items) {
            const int up = spot["level"].number() - cell.at(0).number(), right = spot["x"].number() - cell.at(1).number();
            const bool near = std::abs(up) <= 1 && std::abs(right) <= 1 && up != right;
            total += near && !spot["card"].is("empty") && spot["card"].text[0] == card.text[0];
        }
        return total;
    }

    // Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2.
    static int value(const Json &card) { return card.is("empty") ? 2 : 10 * std::stoi(card.text.substr(1)); }

    // Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25.
    static int stars(const Json &card) { return (value(card) / 10 + 2) / 7; }
};
