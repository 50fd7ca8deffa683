/* The observation of a seat. The sections and their order are those of
 * games/die_weinhaendler/encoding/observation.py. */
#include "wine.h"
#include "observation.h"

enum {
    STAGES = 2,
    ROUNDS_UNIT = 20,
    POINTS_UNIT = 100,
    TENTHS_UNIT = 1000,
    CELLARS_UNIT = 4,
    BONUS_UNIT = 4,
    CELL_SIZE = VARIETIES + 2 /* variety, stars, empty bottle */
};

/* By number of copies, the share of all copies: added one by one, as the reference adds them. */
static const float SHARES[MAX_COPIES + 1] = {
    0, (float)(1.0 / MAX_COPIES), (float)(1.0 / MAX_COPIES + 1.0 / MAX_COPIES), 1};

static Components count_components(const Rules *rules) {
    return (Components){rules->deck_size - rules->seats * rules->hand_size - rules->display_size};
}

/* For each kind of bottle, the share of its copies. */
static void put_bottles(Writer *writer, Bottles bottles) {
    for (int kind = 0; kind < KINDS; kind++) *writer->next++ = SHARES[copies_of(bottles, kind)];
}

/* --- the table ------------------------------------------------------------------------------------------------- */

static void put_table(Writer *writer, const Components *components) {
    const State *state = writer->state;
    Bottles seen_below = 0;
    for (int i = state->stack_end - state->seen_below; i < state->stack_end; i++) seen_below += one(state->stack[i]);
    put_capped(writer, (double)state->round / ROUNDS_UNIT);
    put(writer, state->last_round);
    put(writer, (double)state->idle_rounds / writer->rules->idle_limit);
    put_one_hot(writer, state->stage, STAGES);
    put_bottles(writer, state->display);
    put(writer, (double)in_stack(state) / components->stack);
    put_bottles(writer, seen_below);
    put_bottles(writer, state->laid);
    put_bottles(writer, state->hands[writer->seat]);
}

/* --- the players ----------------------------------------------------------------------------------------------- */

static void put_cellar(Writer *writer, int seat) {
    const Rules *rules = writer->rules;
    const State *state = writer->state;
    memset(writer->next, 0, PLACES * CELL_SIZE * sizeof *writer->next);
    for (Cells full = state->full[seat]; full; full &= full - 1) {
        int cell = __builtin_ctzll(full), kind = state->cellars[seat][cell];
        float *numbers = writer->next + CELL_SIZE * (action_of(cell) - CELL);
        numbers[rules->varieties[kind]] = 1;
        numbers[VARIETIES] = (float)((double)rules->stars[kind] / STAR_GRADES);
    }
    for (Cells empty = state->empty[seat]; empty; empty &= empty - 1)
        writer->next[CELL_SIZE * (action_of(__builtin_ctzll(empty)) - CELL) + VARIETIES + 1] = 1;
    writer->next += PLACES * CELL_SIZE;
}

/* Add, by kind, the points for the trios that a bottle completes in a cell. */
static void add_bonuses(const Rules *rules, const uint8_t cellar[CELLS], int cell, int points[KINDS]) {
    for (int i = 0; i < rules->trio_counts[cell]; i++) {
        int first = cellar[rules->partners[cell][i][0]], second = cellar[rules->partners[cell][i][1]];
        if (!first || !second || rules->varieties[first] != rules->varieties[second]) continue;
        for (int kind = 1; kind < KINDS; kind++) points[kind] += trio_points(rules, kind, first, second);
    }
}

/* By kind, the most points for trios that a bottle would bring the open cellar now. */
static void put_trios(Writer *writer, int seat) {
    const State *state = writer->state;
    int most[KINDS] = {0};
    for (Cells cells = state->full[seat] ? cells_for(state, seat, KINDS - 1) : 0; cells; cells &= cells - 1) {
        int points[KINDS] = {0};
        add_bonuses(writer->rules, state->cellars[seat], __builtin_ctzll(cells), points);
        for (int kind = 1; kind < KINDS; kind++)
            if (points[kind] > most[kind]) most[kind] = points[kind];
    }
    for (int kind = 0; kind < KINDS; kind++) put_capped(writer, (double)most[kind] / BONUS_UNIT);
}

/* By cell, the points for trios of the bottle that is chosen to be laid. */
static void put_trios_of_chosen(Writer *writer, bool lays) {
    const State *state = writer->state;
    memset(writer->next, 0, PLACES * sizeof *writer->next);
    if (lays && state->chosen_count == 1) {
        int kind = cheapest(state->chosen);
        for (Cells cells = cells_for(state, writer->seat, kind); cells; cells &= cells - 1) {
            int cell = __builtin_ctzll(cells);
            double number = (double)bonus(writer->rules, state, writer->seat, kind, cell) / BONUS_UNIT;
            writer->next[action_of(cell) - CELL] = (float)(number < CAP ? number : CAP);
        }
    }
    writer->next += PLACES;
}

static void put_players(Writer *writer) {
    const State *state = writer->state;
    int seats = writer->rules->seats, hand_limit = writer->rules->hand_limit;
    put_seat(writer, state->start);
    put_seat(writer, state->turn);
    for (int i = 0; i < seats; i++) put_capped(writer, (double)number_of(state->hands[seat_at(writer, i)]) / hand_limit);
    for (int i = 0; i < seats; i++) put_bottles(writer, state->known[seat_at(writer, i)]);
    for (int i = 0; i < seats; i++) put_bottles(writer, state->bids[seat_at(writer, i)]);
    for (int i = 0; i < seats; i++) put_capped(writer, (double)total_of(state, seat_at(writer, i)) / TENTHS_UNIT);
    for (int i = 0; i < seats; i++) put(writer, state->passed[seat_at(writer, i)]);
    for (int i = 0; i < seats; i++) put(writer, state->done[seat_at(writer, i)]);
    for (int i = 0; i < seats; i++) put_capped(writer, (double)state->points[seat_at(writer, i)] / POINTS_UNIT);
    for (int i = 0; i < seats; i++) put_capped(writer, (double)state->full_cellars[seat_at(writer, i)] / CELLARS_UNIT);
    for (int i = 0; i < seats; i++) put_cellar(writer, seat_at(writer, i));
    for (int i = 0; i < seats; i++) put_trios(writer, seat_at(writer, i));
}

/* --- what this seat is asked ----------------------------------------------------------------------------------- */

static void put_asked(Writer *writer) {
    const Rules *rules = writer->rules;
    const State *state = writer->state;
    int seat = writer->seat;
    bool asked = state->turn == seat, lays = asked && state->stage == LAY;
    put_one_hot(writer, asked ? state->stage : NONE, STAGES);
    put_capped(writer, lays ? (double)must_lay(rules, state, seat) / rules->hand_limit : 0);
    put_bottles(writer, asked ? state->chosen : 0);
    put_trios_of_chosen(writer, lays);
}

/* The numbers of the three functions above, in their order. */
static int64_t observation_size(const Rules *rules, const Components *components) {
    (void)components;
    int table = 1 + 1 + 1 + STAGES + KINDS + 1 + 3 * KINDS;
    int player = 2 + 1 + 2 * KINDS + 5 + PLACES * CELL_SIZE + KINDS;
    int asked = STAGES + 1 + KINDS + PLACES;
    return table + rules->seats * player + asked;
}

static void observe(const Rules *rules, const State *state, int seat, const Components *components, float *numbers) {
    Writer writer = {rules, state, seat, numbers};
    put_table(&writer, components);
    put_players(&writer);
    put_asked(&writer);
}
