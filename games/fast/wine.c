/* The rules of Die Weinhändler. The functions have the names and the order of the reference, from
 * games/die_weinhaendler/table.py to procedure.py. The reference explains the rules. */
#include "wine.h"

#include <string.h>

/* --- table.py: possessions and the stack ----------------------------------------------------------------------- */

static void ask(State *state, int seat, int stage) {
    state->turn = (int8_t)seat;
    state->stage = (uint8_t)stage;
}

static int in_stack(const State *state) { return state->stack_end - state->drawn; }

/* Return the next card of the stack, which must not be empty. */
static int draw(State *state) {
    int kind = state->stack[state->drawn++], left = in_stack(state);
    if (state->seen_below > left) state->seen_below = (uint8_t)left;
    return kind;
}

static void put_below(State *state, int kind) {
    state->stack[state->stack_end++] = (uint8_t)kind;
    state->seen_below++;
}

/* Add cards that everyone has seen to a hand. */
static void gain(State *state, int seat, Bottles cards) {
    state->hands[seat] += cards;
    state->known[seat] += cards;
}

/* Remove a card from a hand when it becomes public. */
static void lose(State *state, int seat, int kind) {
    state->hands[seat] -= one(kind);
    if (copies_of(state->known[seat], kind)) state->known[seat] -= one(kind);
}

static void add_to_bid(const Rules *rules, State *state, int seat) {
    if (state->totals[seat] == NO_BID) state->totals[seat] = 0;
    for (Bottles cards = state->chosen; cards; cards -= one(cheapest(cards))) {
        int kind = cheapest(cards);
        lose(state, seat, kind);
        state->totals[seat] += rules->tenths[kind];
    }
    state->bids[seat] += state->chosen;
}

/* Deal to each seat in turn from the start player, to the display, and the rest to the stack. */
static void deal(const Rules *rules, State *state) {
    uint8_t deck[DECK];
    int dealt = rules->seats * rules->hand_size, shown = dealt + rules->display_size;
    memcpy(deck, rules->deck, DECK);
    chance_shuffle(state->seed, "deck", 0, deck, rules->deck_size);
    NOTE_DECK(state, "deck", deck, rules->deck_size, cards);
    for (int i = 0; i < dealt; i++) state->hands[(state->start + i) % rules->seats] += one(deck[i]);
    for (int i = dealt; i < shown; i++) state->display += one(deck[i]);
    state->stack_end = (uint8_t)(rules->deck_size - shown);
    memcpy(state->stack, deck + shown, state->stack_end);
}

/* --- cellar.py ------------------------------------------------------------------------------------------------- */

/* Return the bonus for three full bottles. */
static int trio_points(const Rules *rules, int kind, int first, int second) {
    if (kind == first && kind == second) return rules->same_bonus;
    const uint8_t *varieties = rules->varieties, *stars = rules->stars;
    bool mixed = varieties[first] == varieties[kind] && varieties[second] == varieties[kind] &&
                 stars[first] != stars[kind] && stars[second] != stars[kind] && stars[first] != stars[second];
    return mixed ? rules->mixed_bonus : 0;
}

/* Return the points of a bottle in a cell for the trios that it completes, without its stars. */
static int bonus(const Rules *rules, const State *state, int seat, int kind, int cell) {
    const uint8_t *cellar = state->cellars[seat];
    int points = 0;
    for (int i = 0; i < rules->trio_counts[cell] && kind != EMPTY; i++) {
        int first = cellar[rules->partners[cell][i][0]], second = cellar[rules->partners[cell][i][1]];
        if (first && second) points += trio_points(rules, kind, first, second);
    }
    return points;
}

static void lay(const Rules *rules, State *state, int seat) {
    int kind = cheapest(state->chosen), cell = cell_of(state->ending);
    Cells here = (Cells)1 << cell;
    state->points[seat] += (uint16_t)(rules->stars[kind] + bonus(rules, state, seat, kind, cell));
    lose(state, seat, kind);
    state->laid += one(kind);
    if (kind == EMPTY) {
        state->empty[seat] |= here;
        return;
    }
    state->empty[seat] &= ~here;
    state->full[seat] |= here;
    state->cellars[seat][cell] = (uint8_t)kind;
    if (cells_for(state, seat, kind)) return;
    state->full_cellars[seat]++; /* the next bottle begins a new cellar */
    state->full[seat] = 0;
    memset(state->cellars[seat], 0, CELLS);
}

/* --- moves.py -------------------------------------------------------------------------------------------------- */

/* Return whether `total` with some of `cards` is a total that no other seat has. */
static bool can_add(const Rules *rules, const State *state, int seat, int total, Bottles cards) {
    for (; cards; cards -= one(cheapest(cards))) {
        int kind = cheapest(cards);
        if (can_differ(rules, state, seat, total + rules->tenths[kind], cards - one(kind))) return true;
    }
    return false;
}

static bool can_differ(const Rules *rules, const State *state, int seat, int total, Bottles rest) {
    return !is_taken(rules, state, seat, total) || can_add(rules, state, seat, total, rest);
}

/* Return whether the seat that is asked can only pass or finish laying. There is no other forced move: a seat that must
 * lay has at least two kinds of full bottles, because more than six cards contain at least four full ones. */
static bool is_forced(const Rules *rules, const State *state) {
    int seat = state->turn;
    if (state->stage == BID) return !can_add(rules, state, seat, total_of(state, seat), state->hands[seat]);
    return !must_lay(rules, state, seat) && !layable(state, seat);
}

/* --- procedure.py ---------------------------------------------------------------------------------------------- */

static void begin_round(State *state) {
    state->round++;
    state->stack_before = (uint8_t)in_stack(state);
    state->leader = state->start;
    ask(state, state->start, BID);
}

/* Show two cards of the stack. The cheaper one goes to the hand, the other one under the stack (Rulings). */
static void draw_for_pass(State *state, int seat) {
    if (!in_stack(state)) return;
    int kept = draw(state);
    if (in_stack(state)) {
        int below = draw(state);
        put_below(state, kept < below ? below : kept);
        if (below < kept) kept = below;
    }
    gain(state, seat, one(kept));
}

static void pass_on(State *state, int seat) {
    state->passed[seat] = 1;
    if (state->totals[seat] == NO_BID) draw_for_pass(state, seat);
}

static int highest_bidder(const Rules *rules, const State *state) {
    int highest = NONE, total = NO_BID;
    for (int seat = 0; seat < rules->seats; seat++)
        if (state->totals[seat] > total) highest = seat, total = state->totals[seat];
    return highest;
}

/* The highest bidder takes the display, each other bidder the next higher bid. The lowest bid is the new display. */
static void exchange(const Rules *rules, State *state) {
    int seat = highest_bidder(rules, state);
    if (seat != NONE) state->leader = (int8_t)seat;
    for (; seat != NONE; seat = highest_bidder(rules, state)) {
        gain(state, seat, state->display);
        state->display = state->bids[seat];
        state->bids[seat] = 0;
        state->totals[seat] = NO_BID;
    }
    memset(state->passed, 0, MAX_SEATS);
    ask(state, state->leader, LAY);
}

/* Ask the next seat clockwise that has not passed, or begin the exchange. */
static void next_bidder(const Rules *rules, State *state, int seat) {
    for (int distance = 1; distance <= rules->seats; distance++) {
        int other = (seat + distance) % rules->seats;
        if (!state->passed[other]) {
            ask(state, other, BID);
            return;
        }
    }
    exchange(rules, state);
}

static void refill(const Rules *rules, State *state) {
    for (int missing = rules->display_size - number_of(state->display); missing > 0 && in_stack(state); missing--)
        state->display += one(draw(state));
}

/* Refill the display, set the start player, and determine whether the next round is the last. */
static void end_round(const Rules *rules, State *state) {
    if (state->last_round) {
        ask(state, NONE, OVER);
        return;
    }
    refill(rules, state);
    state->start = state->leader;
    int left = in_stack(state);
    state->idle_rounds = left < state->stack_before ? 0 : (uint8_t)(state->idle_rounds + 1);
    if (!left || state->idle_rounds >= rules->idle_limit) state->last_round = 1;
    begin_round(state);
}

/* Ask the next seat clockwise to lay, or end the round. */
static void next_layer(const Rules *rules, State *state, int seat) {
    int other = (seat + 1) % rules->seats;
    if (other != state->leader) {
        ask(state, other, LAY);
        return;
    }
    memset(state->done, 0, MAX_SEATS);
    end_round(rules, state);
}

/* Carry out the chosen move for the seat that is asked. */
static void apply(const Rules *rules, State *state) {
    int seat = state->turn;
    switch (state->ending) {
    case PASS: pass_on(state, seat), next_bidder(rules, state, seat); break;
    case STOP: add_to_bid(rules, state, seat), next_bidder(rules, state, seat); break;
    case DONE: state->done[seat] = 1, next_layer(rules, state, seat); break;
    default: lay(rules, state, seat);
    }
    state->chosen = 0;
    state->chosen_count = 0;
    state->ending = 0;
}

static void choose_action(State *state, int action) {
    if (action >= CARD && action < CELL) state->chosen += one(action - CARD);
    else state->ending = (uint8_t)action;
    state->chosen_count++;
}

/* Play forced moves up to the next decision with a choice, or to the end (games/stepped.py). */
static void go_on(const Rules *rules, State *state) {
    while (state->turn != NONE && is_forced(rules, state)) {
        choose_action(state, state->stage == BID ? PASS : DONE);
        NOTE_FORCED(rules, state);
        apply(rules, state);
    }
}

static void deal_game(const Rules *rules, State *state, const uint8_t seed[SEED_BYTES]) {
    memset(state, 0, sizeof *state);
    memcpy(state->seed, seed, SEED_BYTES);
    for (int seat = 0; seat < rules->seats; seat++) state->totals[seat] = NO_BID;
    state->start = (int8_t)chance_below(seed, "starter", 0, rules->seats);
    NOTE_SEAT(state, "starter", state->start);
    deal(rules, state);
    begin_round(state);
    go_on(rules, state);
}

static int seat_to_play(const Rules *rules, const State *state) {
    (void)rules;
    return state->turn;
}

static uint64_t rank_key(const State *state, int seat) { return state->points[seat]; }

static void write_score(const State *state, int seat, int32_t score[SCORE_COLUMNS]) { *score = state->points[seat]; }

static bool fits(const Rules *rules) {
    int copies[KINDS] = {0}, dealt = rules->seats * rules->hand_size + rules->display_size;
    for (int i = 0; i < rules->deck_size && i < DECK; i++)
        if (rules->deck[i] >= KINDS || ++copies[rules->deck[i]] > MAX_COPIES) return false;
    for (int kind = 0; kind < KINDS; kind++)
        if (rules->varieties[kind] >= VARIETIES || rules->tenths[kind] < 1 || rules->tenths[kind] * DECK > INT16_MAX)
            return false;
    for (int cell = 0; cell < CELLS; cell++) {
        if (rules->trio_counts[cell] > MAX_TRIOS) return false;
        for (int i = 0; i < MAX_TRIOS; i++)
            if (rules->partners[cell][i][0] >= CELLS || rules->partners[cell][i][1] >= CELLS) return false;
    }
    return rules->seats >= 2 && rules->seats <= MAX_SEATS && rules->deck_size <= DECK && dealt < rules->deck_size;
}
