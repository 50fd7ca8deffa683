/* Records of Die Weinhändler. */
#include "wine.h"

typedef struct {
    const char *stages[OVER]; /* by kind of decision */
    const char *words[2]; /* of a move alone */
    const char *cards[KINDS];
} Names;

#include "recorder.h"

#include "wine.c"
#include "wine_options.c"

#define EXPORTED(name) wine_##name

#include "records.h"

/* --- Moves in documents ----------------------------------------------------------------------------------------- */

static const char *decision_name(const Recorder *recorder) {
    return recorder->replay->names->stages[recorder->state.stage];
}

static bool is_secret(const Rules *rules, const State *state) {
    (void)rules, (void)state;
    return false;
}

static void unchoose(State *state) {
    state->chosen = 0;
    state->chosen_count = 0;
    state->ending = 0;
}

static int dearest(Bottles bottles) { return (63 - __builtin_clzll(bottles)) / COUNT_BITS; }

static void put_move(const Rules *rules, Recorder *recorder, int seat) {
    (void)rules, (void)seat;
    const State *state = &recorder->state;
    const Names *names = recorder->replay->names;
    if (state->ending < STOP) {
        put_text(recorder, names->words[state->ending]);
        return;
    }
    begin_object(recorder);
    if (state->ending == STOP) {
        put_key(recorder, "cards");
        begin_list(recorder, number_of(state->chosen));
        for (Bottles cards = state->chosen; cards; cards -= one(dearest(cards)))
            put_text(recorder, names->cards[dearest(cards)]);
        end_list(recorder);
    } else {
        int cell = cell_of(state->ending);
        put_key(recorder, "card"), put_text(recorder, names->cards[cheapest(state->chosen)]);
        put_key(recorder, "cell");
        begin_list(recorder, 2);
        put_number(recorder, cell / WIDTH);
        put_number(recorder, cell % WIDTH - FIRST);
        end_list(recorder);
    }
    end_object(recorder);
}

static bool take_card(const Rules *rules, Recorder *recorder) {
    int card = place_of_text(read_token(recorder), recorder->replay->names->cards, KINDS);
    return card >= 0 && take_action(rules, &recorder->state, CARD + card);
}

static bool read_bid(const Rules *rules, Recorder *recorder) {
    const Token *list = read_token(recorder);
    if (list->kind != LIST) return false;
    for (int i = 0; i < list->number; i++)
        if (!take_card(rules, recorder)) return false;
    return take_action(rules, &recorder->state, STOP);
}

static bool read_lay(const Rules *rules, Recorder *recorder) {
    if (!take_card(rules, recorder) || !read_key(recorder, "cell")) return false;
    const Token *list = read_token(recorder), *level = read_token(recorder), *x = read_token(recorder);
    if (list->kind != LIST || list->number != 2 || level->kind != NUMBER || x->kind != NUMBER) return false;
    bool exists = level->number >= 0 && level->number < LEVELS && x->number >= -FIRST && x->number <= FIRST - level->number;
    return exists && take_action(rules, &recorder->state, action_of(level->number * WIDTH + x->number + FIRST));
}

static bool read_move(const Rules *rules, Recorder *recorder, int seat) {
    (void)seat;
    const Token *token = read_token(recorder);
    if (token->kind == TEXT) {
        int word = place_of_text(token, recorder->replay->names->words, 2);
        return word >= 0 && take_action(rules, &recorder->state, word);
    }
    if (token->kind != OBJECT) return false;
    const Token *key = read_token(recorder);
    bool read = false;
    if (is_text(key, "cards")) read = read_bid(rules, recorder);
    else if (is_text(key, "card")) read = read_lay(rules, recorder);
    return read && read_token(recorder)->kind == END;
}

/* --- Moves by their place in the canonical order (moves.py) ------------------------------------------------------- */

enum {
    MAX_TENTHS = 8192, /* of a hand here; greater ones are left to the plain engine */
    MAX_CARDS = 30,
    MAX_BIDS = 2048 /* with one total */
};

static int value_of(const Rules *rules, Bottles cards) {
    int tenths = 0;
    for (; cards; cards -= one(cheapest(cards))) tenths += rules->tenths[cheapest(cards)];
    return tenths;
}

/* Write the number of selections of a hand by their value, up to that of the hand. */
static void count_selections(const Rules *rules, Bottles hand, int value, uint32_t ways[MAX_TENTHS]) {
    uint32_t before[MAX_TENTHS];
    int reached = 0;
    memset(ways, 0, (size_t)(value + 1) * sizeof *ways);
    ways[0] = 1;
    for (Bottles kinds = kinds_of(hand); kinds; kinds &= kinds - 1) {
        int kind = cheapest(kinds), copies = copies_of(hand, kind), each = rules->tenths[kind];
        memcpy(before, ways, (size_t)(reached + 1) * sizeof *ways);
        for (int tenths = each; tenths <= copies * each; tenths += each)
            for (int t = 0; t <= reached; t++) ways[t + tenths] += before[t];
        reached += copies * each;
    }
}

/* Return the number of legal additions to a bid, or 0 if there are too many. Write those and others by their value. */
static uint32_t count_bids(const Rules *rules, const State *state, int seat, uint32_t ways[MAX_TENTHS]) {
    Bottles hand = state->hands[seat];
    int value = value_of(rules, hand);
    uint32_t bids = 1;
    if (value >= MAX_TENTHS || number_of(hand) > MAX_CARDS) return 0;
    count_selections(rules, hand, value, ways);
    for (Bottles kinds = kinds_of(hand); kinds; kinds &= kinds - 1) bids *= (uint32_t)copies_of(hand, cheapest(kinds)) + 1;
    for (int other = 0; other < rules->seats; other++) {
        int tenths = state->totals[other] - total_of(state, seat);
        if (other != seat && tenths > 0 && tenths <= value) bids -= ways[tenths];
    }
    return bids - 1; /* without the selection of no card */
}

/* A selection of cards, in the order of bids with the same total: by number, then by the dearest cards. */
typedef struct {
    int number;
    Bottles cards;
} Selection;

/* List the selections of `hand` that are worth `tenths`, sorted. Return their number, or 0 if there are too many. */
static int list_bids(const Rules *rules, Bottles hand, int value, int tenths, Selection now, Selection *bids, int count) {
    if (!tenths) {
        if (count == MAX_BIDS) return MAX_BIDS + 1;
        int place = count;
        for (; place && (now.number < bids[place - 1].number ||
                         (now.number == bids[place - 1].number && now.cards < bids[place - 1].cards));
             place--)
            bids[place] = bids[place - 1];
        bids[place] = now;
        return count + 1;
    }
    if (value < tenths) return count;
    int kind = dearest(hand), copies = copies_of(hand, kind), each = rules->tenths[kind];
    hand -= one(kind) * (Bottles)copies, value -= copies * each;
    for (int n = 0; n <= copies && n * each <= tenths && count <= MAX_BIDS; n++) {
        Selection more = {now.number + n, now.cards + one(kind) * (Bottles)n};
        count = list_bids(rules, hand, value, tenths - n * each, more, bids, count);
    }
    return count;
}

/* Return the number of ways to lay a bottle, up to this kind and this cell. */
static uint32_t count_lays(const State *state, int seat, int kind, Cells cells) {
    uint32_t ways = 0;
    for (Bottles kinds = up_to(layable(state, seat), kind); kinds; kinds &= kinds - 1) {
        Cells for_kind = cells_for(state, seat, cheapest(kinds));
        ways += (uint32_t)__builtin_popcountll(cheapest(kinds) == kind ? for_kind & cells : for_kind);
    }
    return ways;
}

static uint32_t count_moves(const Rules *rules, const State *state, int seat) {
    if (state->stage == LAY) return !must_lay(rules, state, seat) + count_lays(state, seat, KINDS - 1, ~(Cells)0);
    uint32_t ways[MAX_TENTHS], bids = count_bids(rules, state, seat, ways);
    return bids ? 1 + bids : 0;
}

static void choose_bid(State *state, Bottles cards) {
    for (; cards; cards -= one(dearest(cards))) choose_action(state, CARD + dearest(cards));
    choose_action(state, STOP);
}

static bool choose_move(const Rules *rules, State *state, int seat, uint32_t place) {
    if (state->stage == LAY) {
        uint32_t done = !must_lay(rules, state, seat);
        if (place < done) {
            choose_action(state, DONE);
            return true;
        }
        for (Bottles kinds = layable(state, seat); kinds; kinds &= kinds - 1)
            for (Cells cells = cells_for(state, seat, cheapest(kinds)); cells; cells &= cells - 1)
                if (place-- == done) {
                    choose_action(state, CARD + cheapest(kinds));
                    choose_action(state, action_of(__builtin_ctzll(cells)));
                    return true;
                }
        return false;
    }
    if (!place) {
        choose_action(state, PASS);
        return true;
    }
    uint32_t ways[MAX_TENTHS];
    Selection bids[MAX_BIDS];
    if (place-- > count_bids(rules, state, seat, ways)) return false;
    int tenths = 1, value = value_of(rules, state->hands[seat]);
    for (;; tenths++) {
        if (!ways[tenths] || is_taken(rules, state, seat, total_of(state, seat) + tenths)) continue;
        if (place < ways[tenths]) break;
        place -= ways[tenths];
    }
    if (list_bids(rules, state->hands[seat], value, tenths, (Selection){0, 0}, bids, 0) > MAX_BIDS) return false;
    choose_bid(state, bids[place].cards);
    return true;
}

static uint32_t place_of_move(const Rules *rules, const State *state, int seat) {
    if (state->stage == LAY) {
        if (state->ending == DONE) return 0;
        Cells up_to_cell = ((Cells)2 << cell_of(state->ending)) - 1;
        return !must_lay(rules, state, seat) + count_lays(state, seat, cheapest(state->chosen), up_to_cell) - 1;
    }
    if (state->ending == PASS) return 0;
    uint32_t ways[MAX_TENTHS], place = 1;
    Selection bids[MAX_BIDS], chosen = {number_of(state->chosen), state->chosen};
    int tenths = value_of(rules, state->chosen), value = value_of(rules, state->hands[seat]);
    if (!count_bids(rules, state, seat, ways)) return UINT32_MAX;
    for (int t = 1; t < tenths; t++)
        if (ways[t] && !is_taken(rules, state, seat, total_of(state, seat) + t)) place += ways[t];
    int count = list_bids(rules, state->hands[seat], value, tenths, (Selection){0, 0}, bids, 0);
    if (count > MAX_BIDS) return UINT32_MAX;
    for (int i = 0; i < count && bids[i].cards != chosen.cards; i++) place++;
    return place;
}
