/* Edel, Stein & Reich and its version for two: numbers of the rules, state of a game, encoded actions.
 *
 * games/fast/gems.py has the same fields in the same order. Names of files are those of the reference in
 * games/edel_stein_reich. Titles in parentheses are sections of its guide.md and duel_guide.md.
 */
#ifndef ESR_GEMS_H
#define ESR_GEMS_H

#include "game.h"

enum {
    COLORS = 4, /* red, yellow, green, blue */
    GEMS_PER_COLOR = 22,
    GEM_CARDS = 30,
    EVENT_CARDS = 39,
    MAX_KEPT = 10, /* one scoring card in each round of a phase */
    MAX_GUESSES = 3,
    MAX_CHOSEN = 4, /* an offer has a count for each color, a rob a gem of each opponent */
    SUPPLY = -1,
    SCORE_COLUMNS = 1 + COLORS /* money, then gems by color */
};

/* Event cards in the order of decks.toml. The scoring cards come first. */
enum {
    SOLE_RED,
    SOLE_ANY = SOLE_RED + COLORS,
    PER_RED,
    CERTIFICATE = PER_RED + COLORS,
    HALF,
    SCORING_KINDS = HALF,
    ADJUST_RED_BLUE,
    ADJUST_YELLOW_GREEN,
    SWAP,
    ROB,
    THREE,
    HALVE_ALL,
    EVENT_KINDS
};

/* Kinds of decisions in the order of encoding/observation.py, between a state without a decision and the end. */
enum {
    BETWEEN,
    ACTION,
    OPEN_BARTER,
    ANSWER_OFFER,
    COUNTER_GIFT,
    EVENT_CARD,
    IMMEDIATE,
    FREE_CHOICE,
    GUESS,
    OVER
};

/* Encoded actions (encoding/moves.py). The first words are the action cards. */
enum {
    WORD_MONEY,
    WORD_EVENT,
    WORD_GEMS,
    WORD_FREE_CHOICE,
    ACTION_CARDS,
    WORD_DECLINE = ACTION_CARDS,
    WORD_ACCEPT,
    WORD_FACE_UP,
    WORD_BLIND,
    WORD_APPLY,
    WORDS,
    GIVE = WORDS,
    NAME = GIVE + COLORS,
    TAKE = NAME + COLORS,
    OFFER = TAKE + COLORS,
    OFFER_COUNTS = GEMS_PER_COLOR + 1,
    FROM = OFFER + COLORS * OFFER_COUNTS,
    MAX_ACTIONS = FROM + COLORS * (MAX_SEATS - 1)
};

/* The numbers of the rules for one game and number of seats. Python fills them in from the reference. */
typedef struct {
    uint8_t seats;
    uint8_t duel; /* 1: the version for two */
    uint8_t phases;
    uint8_t rounds; /* per phase */
    uint8_t aside; /* gem cards set aside in each phase */
    uint8_t actions; /* number of action cards in hand */
    uint8_t gems_at_start; /* of each color */
    uint8_t offer_limit;
    uint8_t low_supply;
    uint8_t tie_return;
    uint8_t adjusted;
    uint8_t free_choice_takes;
    uint8_t three_takes;
    uint8_t guesses;
    uint8_t majority_values[COLORS];
    uint8_t half_values[COLORS];
    uint8_t sole_bonus[COLORS];
    uint8_t sole_any_bonus;
    uint8_t certificate_values[2];
    uint8_t event_cards[EVENT_CARDS]; /* before the shuffle */
    uint8_t gem_card_money[GEM_CARDS];
    uint8_t gem_card_gems[GEM_CARDS][COLORS];
    uint8_t gem_card_kinds[GEM_CARDS]; /* equal cards have the same number, from 0 */
} Rules;

/* One game. All bytes are 0 to 255 or NONE. Cards of a pile above its count have no meaning. */
typedef struct {
    uint8_t seed[SEED_BYTES];
    uint16_t money[MAX_SEATS]; /* in millions */
    uint8_t gems[MAX_SEATS][COLORS];
    uint8_t supply[COLORS];
    int8_t age_order[MAX_SEATS]; /* seats, the youngest first */
    int8_t age[MAX_SEATS]; /* by seat, 0: the youngest */

    uint8_t event_pile[EVENT_CARDS]; /* the last card is the next to be drawn */
    uint8_t event_pile_count;
    uint8_t event_discards[EVENT_CARDS];
    uint8_t event_discard_count;
    uint8_t event_shuffles; /* number of chance steps "event_deck" so far */
    int8_t display;
    uint8_t kept[MAX_KEPT]; /* scoring cards of all seats, the oldest first */
    int8_t kept_by[MAX_KEPT];
    uint8_t kept_count;

    uint8_t gem_pile[GEM_CARDS]; /* positions in the deck before the shuffle; the first card is dealt first */
    uint8_t gem_discard_count; /* so many cards at the start of the pile are discarded */
    uint8_t gem_shuffles; /* number of chance steps "gem_deck" so far */
    int8_t gem_cards[MAX_SEATS]; /* in front of each seat, or NONE */

    uint8_t phase; /* from 1 */
    uint8_t round; /* from 1 in each phase */
    uint8_t stage;
    int8_t turn; /* the seat that owes the decision, or NONE if several seats choose */
    int8_t choices[MAX_SEATS]; /* actions, secret unless `revealed` */
    uint8_t revealed;
    uint8_t action_index; /* the next action of the round to resolve */
    int8_t resolving; /* the action that is being carried out */

    int8_t opener;
    int8_t other;
    uint8_t opener_declined;
    uint8_t offer_count; /* in this barter */
    int8_t offerer; /* of the standing offer */
    uint8_t standing[COLORS];

    int8_t free_order[MAX_SEATS];
    uint8_t free_count;
    uint8_t free_next;
    int8_t immediate;

    int8_t active; /* two seats: the seat that has the turn */
    int8_t starter;
    int8_t guesses[MAX_GUESSES];
    uint8_t guess_count;

    uint8_t chosen[MAX_CHOSEN]; /* encoded actions of the current move so far */
    uint8_t chosen_count;
} State;

/* Return the seat at this distance clockwise from `seat`. */
static inline int clockwise(const Rules *rules, int seat, int distance) { return (seat + distance) % rules->seats; }

static inline bool includes_gems(const uint8_t gems[COLORS]) { return gems[0] || gems[1] || gems[2] || gems[3]; }

static inline int gem_total(const uint8_t gems[COLORS]) { return gems[0] + gems[1] + gems[2] + gems[3]; }

/* The sort key of an offer (offers.py): number of gems, then red, yellow, green, blue. The key of a sum of gems is the
 * sum of the keys, because each part has 5 bits and no part exceeds GEMS_PER_COLOR; the number has the bits above. */
enum { KEY_BITS = 5 };

static inline uint32_t key_of_one(int color) {
    return (uint32_t)1 << COLORS * KEY_BITS | (uint32_t)1 << (COLORS - 1 - color) * KEY_BITS;
}

static inline uint32_t offer_key(const uint8_t gems[COLORS]) {
    uint32_t key = 0;
    for (int color = 0; color < COLORS; color++) key += gems[color] * key_of_one(color);
    return key;
}

/* The copies of each event and gem card, and the largest numbers on gem cards. */
typedef struct {
    int events[EVENT_KINDS];
    int gem_cards[GEM_CARDS]; /* by kind */
    int gem_card_kinds;
    int most_money;
    int most_gems;
} Components;

#include "contract.h"

#endif
