/* The functions that the rules of every game define. The header of a game includes this file after it has defined
 *
 * - the structs Rules, State, and Components: what observations need of the rules, counted once per batch,
 * - the numbers MAX_ACTIONS, WORDS: actions below it complete a move, and SCORE_COLUMNS. */
#ifndef ESR_CONTRACT_H
#define ESR_CONTRACT_H

/* Return whether the numbers of the rules fit into the arrays of a state. */
static bool fits(const Rules *rules);

/* Return the number of encoded actions. */
static int count_actions(const Rules *rules);

/* Deal a game from its seed, up to the first decision. */
static void deal_game(const Rules *rules, State *state, const uint8_t seed[SEED_BYTES]);

/* Return the seat that is asked next, or NONE if the game is over. */
static int seat_to_play(const Rules *rules, const State *state);

/* Write the actions that can follow those chosen so far, ascending, and return their number.
 * 0: they are a complete move, or the game is over. */
static int list_options(const Rules *rules, const State *state, uint8_t options[MAX_ACTIONS]);

/* Add an action to those chosen so far. */
static void choose_action(State *state, int action);

/* Play the chosen move for the seat that is asked. */
static void apply(const Rules *rules, State *state);

/* Play forced moves up to the next decision with a choice, or to the end. */
static void go_on(const Rules *rules, State *state);

static Components count_components(const Rules *rules);

/* Return the number of values in an observation. */
static int64_t observation_size(const Rules *rules, const Components *components);

/* Write the observation of a seat. */
static void observe(const Rules *rules, const State *state, int seat, const Components *components, float *numbers);

/* Return the sort key of the final rank of a seat. The greatest wins. */
static uint64_t rank_key(const State *state, int seat);

/* Write the score of a seat. */
static void write_score(const State *state, int seat, int32_t score[SCORE_COLUMNS]);

/* --- What follows from these functions ------------------------------------------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

static bool may_follow(const Rules *rules, const State *state, int64_t action) {
    uint8_t options[MAX_ACTIONS];
    int number = list_options(rules, state, options);
    for (int k = 0; k < number; k++)
        if (options[k] == action) return true;
    return false;
}

/* Return the final rank of a seat, from 1. */
static int rank_of(const Rules *rules, const State *state, int seat) {
    int rank = 1;
    for (int other = 0; other < rules->seats; other++) rank += rank_key(state, other) > rank_key(state, seat);
    return rank;
}

#endif
