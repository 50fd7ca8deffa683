/* The moves of Die Weinhändler as sequences of actions: what may follow the actions chosen so far.
 * The functions are those of games/die_weinhaendler/encoding/moves.py. */
#include "wine.h"

/* The end of a bid, and the cards that are worth at most as much as the last one. */
static void list_bid(const Rules *rules, const State *state, int seat, List *list) {
    Bottles hand = state->hands[seat] - state->chosen;
    int total = total_of(state, seat);
    if (state->chosen) {
        for (Bottles cards = state->chosen; cards; cards -= one(cheapest(cards))) total += rules->tenths[cheapest(cards)];
        hand = up_to(hand, cheapest(state->chosen));
    }
    if (!state->chosen) add(list, PASS);
    else if (!is_taken(rules, state, seat, total)) add(list, STOP);
    for (Bottles kinds = kinds_of(hand); kinds; kinds &= kinds - 1) {
        int kind = cheapest(kinds);
        if (can_differ(rules, state, seat, total + rules->tenths[kind], up_to(hand, kind) - one(kind)))
            add(list, CARD + kind);
    }
}

static void list_lay(const Rules *rules, const State *state, int seat, List *list) {
    if (!state->chosen) {
        if (!must_lay(rules, state, seat)) add(list, DONE);
        for (Bottles kinds = layable(state, seat); kinds; kinds &= kinds - 1) add(list, CARD + cheapest(kinds));
    } else if (state->chosen_count == 1) {
        for (Cells cells = cells_for(state, seat, cheapest(state->chosen)); cells; cells &= cells - 1)
            add(list, action_of(__builtin_ctzll(cells)));
    }
}

static int count_actions(const Rules *rules) {
    (void)rules;
    return MAX_ACTIONS;
}

static int list_options(const Rules *rules, const State *state, uint8_t options[MAX_ACTIONS]) {
    List list = {options, 0};
    if (state->stage == BID) list_bid(rules, state, state->turn, &list);
    else if (state->stage == LAY) list_lay(rules, state, state->turn, &list);
    return list.count;
}
