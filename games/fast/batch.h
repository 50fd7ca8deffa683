/* What Python calls: loops over many games. The arrays belong to the caller and are contiguous.
 *
 * The last file of a game includes its other files and this one. So a game is one translation unit, and the compiler
 * can inline its functions into the loops. EXPORTED(name) is the name of a function with the prefix of the game. */
#include <stddef.h>
#include <string.h>

EXPORT size_t EXPORTED(rules_size)(void) { return sizeof(Rules); }

EXPORT size_t EXPORTED(state_size)(void) { return sizeof(State); }

EXPORT int32_t EXPORTED(rules_fit)(const Rules *rules) { return fits(rules); }

EXPORT int32_t EXPORTED(actions)(const Rules *rules) { return count_actions(rules); }

EXPORT void EXPORTED(deal)(
    const Rules *rules, State *states, const int64_t *games, int64_t count, const uint8_t *seeds) {
    for (int64_t i = 0; i < count; i++) deal_game(rules, states + games[i], seeds + i * SEED_BYTES);
}

EXPORT void EXPORTED(seats_to_play)(const Rules *rules, const State *states, int64_t count, int8_t *seats) {
    for (int64_t i = 0; i < count; i++) seats[i] = (int8_t)seat_to_play(rules, states + i);
}

EXPORT void EXPORTED(masks)(const Rules *rules, const State *states, int64_t count, uint8_t *masks) {
    int actions = count_actions(rules);
    memset(masks, 0, (size_t)(count * actions));
    for (int64_t i = 0; i < count; i++) {
        uint8_t options[MAX_ACTIONS];
        int number = list_options(rules, states + i, options);
        for (int k = 0; k < number; k++) masks[i * actions + options[k]] = 1;
    }
}

EXPORT int64_t EXPORTED(observation_size)(const Rules *rules) {
    Components components = count_components(rules);
    return observation_size(rules, &components);
}

/* Write what a seat of each game sees; zeros if the seat is NONE. */
EXPORT void EXPORTED(observations)(
    const Rules *rules, const State *states, int64_t count, const int8_t *seats, int64_t size, float *numbers) {
    Components components = count_components(rules);
    for (int64_t i = 0; i < count; i++, numbers += size) {
        if (seats[i] == NONE) memset(numbers, 0, (size_t)size * sizeof *numbers);
        else observe(rules, states + i, seats[i], &components, numbers);
    }
}

/* Take an action that may follow, and all actions without an alternative. Play the move if it is complete.
 * Write what may follow then, and return its number; 0 if the game is over. `decisions` counts complete moves. */
static int advance(const Rules *rules, State *state, int action, uint8_t options[MAX_ACTIONS], uint32_t *decisions) {
    int number = 1;
    options[0] = (uint8_t)action;
    while (number == 1) {
        choose_action(state, options[0]);
        number = options[0] < WORDS ? 0 : list_options(rules, state, options);
    }
    if (number) return number;
    apply(rules, state);
    go_on(rules, state);
    ++*decisions;
    return list_options(rules, state, options);
}

/* Take an action in every game; NONE leaves a game as it is. Return the first game in which its action cannot follow:
 * then no game has changed. Return NONE if all actions were taken. */
EXPORT int64_t EXPORTED(step)(const Rules *rules, State *states, int64_t count, const int64_t *actions) {
    for (int64_t i = 0; i < count; i++)
        if (actions[i] != NONE && !may_follow(rules, states + i, actions[i])) return i;
    for (int64_t i = 0; i < count; i++) {
        uint8_t options[MAX_ACTIONS];
        uint32_t decisions = 0;
        if (actions[i] != NONE) advance(rules, states + i, (int)actions[i], options, &decisions);
    }
    return NONE;
}

/* One game for a loop in Python. A single pointer to it takes less time than several arguments. */
typedef struct {
    const Rules *rules;
    State *state;
    uint8_t *options; /* MAX_ACTIONS bytes */
} SingleGame;

/* Take an action in one game, or none. Write what may follow then, and return its number; 0 if the game is over.
 * Return NONE, without a change, if the action cannot follow. */
EXPORT int32_t EXPORTED(act)(const SingleGame *game, int32_t action) {
    const Rules *rules = game->rules;
    uint32_t decisions = 0;
    if (action == NONE) return list_options(rules, game->state, game->options);
    if (!may_follow(rules, game->state, action)) return NONE;
    return advance(rules, game->state, action, game->options, &decisions);
}

/* Return the next number of the generator SplitMix64. */
static uint64_t split_mix(uint64_t *generator) {
    uint64_t z = *generator += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Return an integer below `bound`. The probabilities differ by less than bound / 2^32. */
static int drawn(uint64_t *generator, int bound) {
    return (int)((split_mix(generator) >> 32) * (uint64_t)bound >> 32);
}

/* Play every game to its end; each action is drawn from those that may follow. Write the number of moves by game. */
EXPORT void EXPORTED(playouts)(
    const Rules *rules, State *states, int64_t count, const uint64_t *seeds, uint32_t *moves) {
    for (int64_t i = 0; i < count; i++) {
        uint8_t options[MAX_ACTIONS];
        uint64_t generator = seeds[i];
        int number = list_options(rules, states + i, options);
        moves[i] = 0;
        while (number)
            number = advance(rules, states + i, options[drawn(&generator, number)], options, moves + i);
    }
}

/* Write the rank, from 1, and the score by game and seat. */
EXPORT void EXPORTED(outcomes)(const Rules *rules, const State *states, int64_t count, int8_t *ranks, int32_t *scores) {
    for (int64_t i = 0; i < count; i++)
        for (int seat = 0; seat < rules->seats; seat++, ranks++, scores += SCORE_COLUMNS) {
            *ranks = (int8_t)rank_of(rules, states + i, seat);
            write_score(states + i, seat, scores);
        }
}
