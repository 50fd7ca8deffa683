/* Die Weinhändler: numbers of the rules, state of a game, encoded actions.
 *
 * games/fast/wine.py has the same fields in the same order. Names of files are those of the reference in
 * games/die_weinhaendler.
 */
#ifndef ESR_WINE_H
#define ESR_WINE_H

#include "game.h"

enum {
    KINDS = 22, /* of bottles, as in cards.py: empty, then by value */
    EMPTY = 0,
    VARIETIES = 7,
    STAR_GRADES = 3,
    MAX_COPIES = 3,
    DECK = 66,
    MAX_STACK = DECK, /* cards in the stack after the deal */
    LEVELS = 5,
    WIDTH = 9,
    CELLS = LEVELS * WIDTH, /* numbered as in grid.py */
    PLACES = 35, /* cells that a cellar can have */
    FIRST = 4, /* the cell of the first bottle */
    BASE = 5, /* bottles in a full base row */
    MAX_TRIOS = 15, /* of one cell */
    NO_BID = -1,
    SCORE_COLUMNS = 1
};

/* Kinds of decisions in the order of encoding/observation.py, then the end. */
enum { BID, LAY, OVER };

/* Encoded actions (encoding/moves.py). The words come first. */
enum { PASS, DONE, STOP, WORDS, CARD = WORDS, CELL = CARD + KINDS, MAX_ACTIONS = CELL + PLACES };

/* A multiset of bottles: two bits for each kind, its number of copies. The sum of two multisets is a sum of integers. */
typedef uint64_t Bottles;

enum { COUNT_BITS = 2 };

static inline Bottles one(int kind) { return (Bottles)1 << COUNT_BITS * kind; }

static inline int copies_of(Bottles bottles, int kind) {
    return (int)(bottles >> COUNT_BITS * kind & ((1 << COUNT_BITS) - 1));
}

/* Return the number of bottles: sums of ever wider groups of bits. */
static inline int number_of(Bottles bottles) {
    bottles = (bottles & 0x3333333333333333) + (bottles >> 2 & 0x3333333333333333);
    bottles = (bottles & 0x0f0f0f0f0f0f0f0f) + (bottles >> 4 & 0x0f0f0f0f0f0f0f0f);
    return (int)(bottles * 0x0101010101010101 >> 56);
}

/* Return the kind with the lowest value; there must be a bottle. */
static inline int cheapest(Bottles bottles) { return __builtin_ctzll(bottles) / COUNT_BITS; }

/* Return one bottle of each kind. */
static inline Bottles kinds_of(Bottles bottles) { return (bottles | bottles >> 1) & 0x5555555555555555; }

/* Return the bottles up to this kind. */
static inline Bottles up_to(Bottles bottles, int kind) {
    return bottles & (((Bottles)1 << COUNT_BITS * (kind + 1)) - 1);
}

/* A set of cells: one bit for each. */
typedef uint64_t Cells;

/* The numbers of the rules for one number of seats. Python fills them in from the reference. */
typedef struct {
    uint8_t seats;
    uint8_t hand_size; /* after the deal */
    uint8_t display_size;
    uint8_t hand_limit;
    uint8_t idle_limit;
    uint8_t same_bonus;
    uint8_t mixed_bonus;
    uint8_t deck_size;
    uint8_t deck[DECK]; /* before the shuffle */
    uint8_t varieties[KINDS]; /* 0 for an empty bottle */
    uint8_t stars[KINDS];
    int16_t tenths[KINDS]; /* the value */
    uint8_t trio_counts[CELLS];
    uint8_t partners[CELLS][MAX_TRIOS][2]; /* the two other cells of each trio */
} Rules;

/* One game. */
typedef struct {
    uint8_t seed[SEED_BYTES];
    Bottles hands[MAX_SEATS];
    Bottles known[MAX_SEATS]; /* the part of a hand that everyone has seen */
    Bottles bids[MAX_SEATS];
    Bottles display;
    Bottles laid; /* in all cellars, with covered empty bottles */
    Bottles chosen; /* cards of the current move so far; a bid begins with the highest card */
    Cells full[MAX_SEATS]; /* cells with a full bottle in the open cellar, by seat */
    Cells empty[MAX_SEATS]; /* cells with an empty bottle that is not covered */
    uint8_t cellars[MAX_SEATS][CELLS]; /* the kind of the full bottle in each cell of the open cellar, or 0 */
    uint8_t full_cellars[MAX_SEATS]; /* the number of cellars before the open one */
    uint8_t stack[2 * MAX_STACK]; /* from the deal on: the first card is drawn first, others are put behind the last */
    uint8_t stack_end; /* the number of these cards */
    uint8_t drawn; /* the number of cards that were drawn; the next one to draw is at this place */
    uint8_t seen_below; /* the number of cards at the end that were shown before they went there */
    uint8_t stack_before; /* cards in the stack when the round began */
    int16_t totals[MAX_SEATS]; /* of the bids, in tenths, or NO_BID */
    uint16_t points[MAX_SEATS];
    uint8_t passed[MAX_SEATS];
    uint8_t done[MAX_SEATS]; /* has finished laying */
    uint16_t round; /* from 1 */
    uint8_t last_round;
    uint8_t idle_rounds;
    int8_t start; /* the seat that bids first in this round */
    int8_t leader; /* the seat that lays first */
    int8_t turn; /* the seat that owes the decision, or NONE */
    uint8_t stage;
    uint8_t chosen_count; /* actions of the current move so far */
    uint8_t ending; /* the word or the cell that completes the move */
} State;

/* What observations need of the components: the cards in the stack after the deal. */
typedef struct {
    int stack;
} Components;

#include "contract.h"

/* Return the action of a cell. Each level has one cell less than the one below it. */
static inline int action_of(int cell) {
    int level = cell / WIDTH;
    return CELL + cell - level * (level - 1) / 2;
}

/* Return the cell of an action. */
static inline int cell_of(int action) {
    int level = 0, x = action - CELL;
    while (x >= WIDTH - level) x -= WIDTH - level++;
    return level * WIDTH + x;
}

/* Return the cells of the open cellar for any bottle: the ends of the base row, and those above two adjacent bottles.
 * Rows are shorter than WIDTH, so adjacent numbers are always in the same row (outline.py). */
static inline Cells vacant_cells(const State *state, int seat) {
    const Cells row = ((Cells)1 << WIDTH) - 1;
    Cells taken = state->full[seat] | state->empty[seat], base = taken & row;
    if (!taken) return (Cells)1 << FIRST;
    bool can_grow = !(base & base >> (BASE - 1));
    Cells ends = can_grow ? (base << 1 | base >> 1) & row : 0, above = (taken & taken >> 1) << WIDTH;
    return (ends | above) & ~taken;
}

/* Return the cells of the open cellar for a bottle of this kind. Only a full bottle can cover an empty one. */
static inline Cells cells_for(const State *state, int seat, int kind) {
    return vacant_cells(state, seat) | (kind == EMPTY ? 0 : state->empty[seat]);
}

/* Return the bottles in hand that can be laid, one of each kind. An open cellar always has a cell for a full one. */
static inline Bottles layable(const State *state, int seat) {
    Bottles kinds = kinds_of(state->hands[seat]);
    return kinds & one(EMPTY) && !vacant_cells(state, seat) ? kinds - one(EMPTY) : kinds;
}

/* Return the least number of bottles that a seat must lay. */
static inline int must_lay(const Rules *rules, const State *state, int seat) {
    int beyond = number_of(state->hands[seat]) - rules->hand_limit;
    return beyond > 0 && !state->last_round ? beyond : 0;
}

/* Return the total of a bid in tenths, 0 without a bid. */
static inline int total_of(const State *state, int seat) {
    return state->totals[seat] == NO_BID ? 0 : state->totals[seat];
}

/* Return whether the total of another seat is this one. */
static inline bool is_taken(const Rules *rules, const State *state, int seat, int total) {
    bool taken = false;
    for (int other = 0; other < rules->seats; other++) taken |= other != seat && state->totals[other] == total;
    return taken;
}

/* Return whether `total`, alone or with some of `rest`, is a total that no other seat has (encoding/moves.py). */
static bool can_differ(const Rules *rules, const State *state, int seat, int total, Bottles rest);

#endif
