/* The strategy of the bot. Change this file.
 *
 * A decision contains the question and the limits of the answer. A view contains everything that this seat can see.
 * See examples.json for real examples. */
#include "strategy.h"

#include <stdlib.h>
#include <string.h>

static const char COLOURS[] = "RYGB";                /* order of the four numbers in lists such as holdings */
static const double PRICE[] = {3.5, 3.0, 2.5, 2.0};  /* value of one gem in money */
static const double EVENT = 4.5;                     /* value of an event card in money */
static const double BOLDNESS = 0.3;                  /* randomness, or two of these bots choose the same action */
static const double DRAW = 1.2;                      /* value in stars of passing, which draws a bottle */
static const int KEEP = 4;                           /* number of bottles to keep in hand for the next bids */

Strategy strategy_new(const Json *hello) {
    char seed[17] = "";
    const Json *text = json_get(hello, "seed");
    if (text->type == JSON_TEXT) strncat(seed, text->text, 16);
    return (Strategy){json_number(json_get(hello, "seat")), strtoull(seed, NULL, 16) | 1};
}

/* A random number from 0 to 1 (xorshift64). */
static double random_number(Strategy *strategy) {
    strategy->dice ^= strategy->dice << 13;
    strategy->dice ^= strategy->dice >> 7;
    strategy->dice ^= strategy->dice << 17;
    return (double)(strategy->dice >> 11) / (double)(1ull << 53);
}

/* --- Edel, Stein & Reich ----------------------------------------------------------------------------------------- */

/* Value of an action in this round, in money. */
static double worth(const Strategy *strategy, const Json *action, const Json *view) {
    const Json *active = json_get(view, "active"); /* two seats share the card of the active seat */
    int owner = active->type == JSON_NULL ? strategy->seat : json_number(active);
    const Json *card = json_get(json_at(json_get(view, "players"), owner), "gem_card"); /* "5RRY": 5 million or gems */
    if (card->type != JSON_TEXT) return EVENT;
    if (json_is(action, "money")) return card->text[0] - '0';
    if (!json_is(action, "gems")) return EVENT; /* the event card, or the free choice with five seats */
    double total = 0;
    for (const char *colour = card->text + 1; *colour; colour++) total += PRICE[strchr(COLOURS, *colour) - COLOURS];
    return total;
}

/* Choose money, the event card or gems: the most valuable action, with some randomness. */
static void choose_action(Strategy *strategy, const Json *decision, const Json *view, FILE *out) {
    const Json *chosen = json_get(decision, "default");
    double highest = -1;
    for (const Json *action = json_get(decision, "options")->first; action; action = action->next) {
        double value = worth(strategy, action, view) * (1 + BOLDNESS * random_number(strategy));
        if (value > highest) {
            highest = value;
            chosen = action;
        }
    }
    json_write(chosen, out);
}

static void read_gems(const Json *list, int gems[4]) {
    for (int index = 0; index < 4; index++) gems[index] = json_number(json_at(list, index));
}

static int sum(const int gems[4]) {
    return gems[0] + gems[1] + gems[2] + gems[3];
}

/* Value of gems in money. */
static double price(const int gems[4]) {
    double total = 0;
    for (int index = 0; index < 4; index++) total += gems[index] * PRICE[index];
    return total;
}

/* Take the cheapest gems. Returns whether there are so many. */
static bool cheapest(const int holdings[4], int count, int taken[4]) {
    memset(taken, 0, 4 * sizeof(int));
    for (int index = 3; index >= 0; index--) { /* blue is the cheapest */
        int left = count - sum(taken);
        taken[index] = holdings[index] < left ? holdings[index] : left;
    }
    return sum(taken) == count;
}

/* Offer one gem if the action is worth twice as much; outbid while that gains more than the payment. */
static void barter(Strategy *strategy, const Json *decision, const Json *view, FILE *out) {
    int holdings[4], standing[4], offer[4];
    bool opens = json_is(json_get(decision, "kind"), "open_barter");
    read_gems(json_get(decision, "holdings"), holdings);
    read_gems(json_get(decision, "standing"), standing);
    double value = worth(strategy, json_get(decision, "action"), view);
    bool can = cheapest(holdings, opens ? 1 : sum(standing) + 1, offer); /* more gems always outbid */
    bool gains = opens ? 2 * price(offer) <= value : value - price(offer) > price(standing);
    if (can && gains) {
        fprintf(out, "{\"offer\":[%d,%d,%d,%d]}", offer[0], offer[1], offer[2], offer[3]);
    } else {
        fputs(opens ? "\"decline\"" : "\"accept\"", out);
    }
}

/* --- Die Weinhändler --------------------------------------------------------------------------------------------- */

/* Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2. */
static int card_value(const Json *card) {
    return json_is(card, "empty") ? 2 : 10 * atoi(card->text + 1);
}

/* Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25. */
static int stars(const Json *card) {
    return (card_value(card) / 10 + 2) / 7;
}

/* The stars of what a bid takes, those of the next higher bid or the display, without the bottle that it costs. */
static int gain(const Json *card, const Json *view) {
    const Json *received = json_get(view, "display");
    int total = -stars(card), next = 0;
    for (const Json *player = json_get(view, "players")->first; player; player = player->next) {
        int bid = json_number(json_get(player, "total"));
        if (bid > card_value(card) && (!next || bid < next)) {
            next = bid;
            received = json_get(player, "bid");
        }
    }
    for (const Json *bottle = received->first; bottle; bottle = bottle->next) total += stars(bottle);
    return total;
}

/* Bid once: the bottle that gains most if no player bids after us. Two bids cannot be equal. */
static void bid(const Json *decision, const Json *view, FILE *out) {
    const Json *chosen = NULL;
    double highest = DRAW;
    bool again = json_count(json_get(decision, "bid")) > 0;
    for (const Json *card = json_get(decision, "hand")->first; card && !again; card = card->next) {
        bool taken = false;
        for (const Json *total = json_get(decision, "taken")->first; total; total = total->next) {
            taken = taken || json_number(total) == card_value(card);
        }
        if (!taken && gain(card, view) > highest) {
            highest = gain(card, view);
            chosen = card;
        }
    }
    if (chosen) {
        fprintf(out, "{\"cards\":[\"%s\"]}", chosen->text);
    } else {
        fputs("\"pass\"", out);
    }
}

/* Value of a move: its stars, and a bottle of the same wine next to it, which can become a trio. */
static int promise(const Json *card, const Json *cell, const Json *cellar) {
    int total = stars(card);
    for (const Json *spot = cellar->first; spot; spot = spot->next) {
        int up = json_number(json_get(spot, "level")) - json_number(json_at(cell, 0));
        int right = json_number(json_get(spot, "x")) - json_number(json_at(cell, 1));
        const Json *other = json_get(spot, "card");
        bool near = abs(up) <= 1 && abs(right) <= 1 && up != right;
        total += near && !json_is(other, "empty") && other->text[0] == card->text[0];
    }
    return total;
}

/* Lay bottles next to the same wine. Keep some bottles for bidding until the last round. */
static void lay(const Strategy *strategy, const Json *decision, const Json *view, FILE *out) {
    const Json *hand = json_get(decision, "hand"), *none = json_get(decision, "none"), *cellar = none;
    bool may_stop = json_get(view, "last_round")->type != JSON_TRUE && json_number(json_get(decision, "must_lay")) == 0;
    const Json *card = NULL, *cell = NULL;
    const Json *cellars = json_get(json_at(json_get(view, "players"), strategy->seat), "cellars");
    if (json_get(decision, "new_cellar")->type != JSON_TRUE) cellar = json_at(cellars, json_count(cellars) - 1);
    int highest = -1;
    for (const Json *place = json_get(decision, "cells")->first; place; place = place->next) {
        if (may_stop && json_count(hand) <= KEEP) break;
        for (const Json *each = hand->first; each; each = each->next) {
            bool fits = json_is(json_get(place, "cards"), "any") || !json_is(each, "empty");
            int value = promise(each, json_get(place, "cell"), cellar);
            if (fits && value > highest) {
                highest = value;
                card = each;
                cell = json_get(place, "cell");
            }
        }
    }
    if (!card) {
        json_write(json_get(decision, "default"), out);
        return;
    }
    fprintf(out, "{\"card\":\"%s\",\"cell\":", card->text);
    json_write(cell, out);
    fputs("}", out);
}

/* --- All games --------------------------------------------------------------------------------------------------- */

void strategy_choose(Strategy *strategy, const Json *decision, const Json *view, FILE *out) {
    const Json *kind = json_get(decision, "kind");
    if (json_is(kind, "action") || json_is(kind, "guess")) { /* we guess the action that we would have chosen */
        choose_action(strategy, decision, view, out);
    } else if (json_is(kind, "open_barter") || json_is(kind, "answer_offer")) {
        barter(strategy, decision, view, out);
    } else if (json_is(kind, "bid")) {
        bid(decision, view, out);
    } else if (json_is(kind, "lay")) {
        lay(strategy, decision, view, out);
    } else { /* the default move is always legal */
        json_write(json_get(decision, "default"), out);
    }
}
