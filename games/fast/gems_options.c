/* The moves of Edel, Stein & Reich as sequences of actions: what may follow the actions chosen so far.
 * The functions are those of games/edel_stein_reich/encoding/moves.py. */
#include "gems.h"

/* Add `count` actions from `first` on, at most OFFER_COUNTS. Copying a fixed number of them needs no branch. */
static void add_range(List *list, int first, int count) {
    for (int i = 0; i < OFFER_COUNTS; i++) list->actions[list->count + i] = (uint8_t)(first + i);
    list->count += count;
}

/* Add an action for every color that `gems` contains. */
static void add_colors(List *list, int base, const uint8_t gems[COLORS]) {
    for (int color = 0; color < COLORS; color++)
        if (gems[color]) add(list, base + color);
}

static void add_every_color(List *list, int base) {
    for (int color = 0; color < COLORS; color++) add(list, base + color);
}

/* The action cards in hand that were not guessed yet in this turn. */
static void list_words(const Rules *rules, const State *state, List *list) {
    if (!state->guess_count) add_range(list, 0, rules->actions);
    for (int word = 0; word < rules->actions && state->guess_count; word++) {
        bool shown = false;
        for (int i = 0; i < state->guess_count; i++) shown |= state->guesses[i] == word;
        if (!shown) add(list, word);
    }
}

/* The counts of the next color that lead to a legal offer: those for which all gems of the later colors make it legal.
 * A barter at the limit of offers is never asked: accepting is forced. */
static void list_offers(const State *state, const uint8_t held[COLORS], List *list) {
    int color = state->chosen_count;
    if (color == COLORS) return;
    if (!color) add(list, state->stage == ANSWER_OFFER ? WORD_ACCEPT : WORD_DECLINE);
    uint32_t standing = offer_key(state->standing), key = 0;
    for (int i = 0; i < color; i++)
        key += (uint32_t)(state->chosen[i] - OFFER - i * OFFER_COUNTS) * key_of_one(i);
    for (int i = color + 1; i < COLORS; i++) key += held[i] * key_of_one(i);
    int least = key > standing ? 0 : (int)((standing - key) / key_of_one(color)) + 1;
    if (least <= held[color]) add_range(list, OFFER + color * OFFER_COUNTS + least, held[color] - least + 1);
}

/* A gem of any opponent who has one, after the gem that is given. */
static void list_swap(const Rules *rules, const State *state, int seat, List *list) {
    if (!state->chosen_count) add_colors(list, GIVE, state->gems[seat]);
    for (int distance = 1; distance < rules->seats && state->chosen_count == 1; distance++)
        add_colors(list, FROM + COLORS * (distance - 1), state->gems[clockwise(rules, seat, distance)]);
}

/* A gem of the next opponent who has one, clockwise. */
static void list_rob(const Rules *rules, const State *state, int seat, List *list) {
    int victims = 0;
    for (int distance = 1; distance < rules->seats; distance++) {
        const uint8_t *gems = state->gems[clockwise(rules, seat, distance)];
        if (includes_gems(gems) && victims++ == state->chosen_count)
            add_colors(list, FROM + COLORS * (distance - 1), gems);
    }
}

static void list_immediate(const Rules *rules, const State *state, int seat, List *list) {
    if (!state->chosen_count) add(list, WORD_DECLINE);
    switch (state->immediate) {
    case HALF:
    case THREE:
        if (!state->chosen_count) add_every_color(list, NAME);
        break;
    case SWAP: list_swap(rules, state, seat, list); break;
    case ROB: list_rob(rules, state, seat, list); break;
    default: add(list, WORD_APPLY);
    }
}

/* The colors that Free Choice can take next, in order, so that enough gems remain for the rest. */
static void list_takes(const State *state, int taken, int first, int missing, List *list) {
    int left[COLORS], at_least = 0;
    for (int color = 0; color < COLORS; color++) left[color] = state->supply[color];
    if (state->chosen_count) left[state->chosen[0] - GIVE]++;
    for (int i = state->chosen_count - taken; i < state->chosen_count; i++) left[state->chosen[i] - TAKE]--;
    for (int color = first; color < COLORS; color++) at_least += left[color];
    for (int color = first; color < COLORS && missing; at_least -= left[color++])
        if (left[color] && at_least >= missing) add(list, TAKE + color);
}

static void list_free_choice(const Rules *rules, const State *state, int seat, List *list) {
    bool alone = state->free_count == 1;
    if (!state->chosen_count) {
        add(list, WORD_DECLINE);
        if (alone) add_colors(list, GIVE, state->gems[seat]);
        else list_takes(state, 0, 0, 1, list);
    } else if (alone) {
        int taken = state->chosen_count - 1, in_supply = gem_total(state->supply) + 1;
        int count = in_supply < rules->free_choice_takes ? in_supply : rules->free_choice_takes;
        list_takes(state, taken, taken ? state->chosen[taken] - TAKE : 0, count - taken, list);
    }
}

static int count_actions(const Rules *rules) { return FROM + COLORS * (rules->seats - 1); }

static int list_options(const Rules *rules, const State *state, uint8_t options[MAX_ACTIONS]) {
    List list = {options, 0};
    int seat = seat_to_play(rules, state);
    if (seat == NONE || (state->chosen_count && state->chosen[0] < GIVE)) return 0;
    switch (state->stage) {
    case ACTION:
    case GUESS: list_words(rules, state, &list); break;
    case EVENT_CARD: add(&list, WORD_FACE_UP), add(&list, WORD_BLIND); break;
    case OPEN_BARTER:
    case ANSWER_OFFER: list_offers(state, state->gems[seat], &list); break;
    case COUNTER_GIFT:
        if (!state->chosen_count) add(&list, WORD_DECLINE), add_colors(&list, GIVE, state->gems[seat]);
        break;
    case IMMEDIATE: list_immediate(rules, state, seat, &list); break;
    case FREE_CHOICE: list_free_choice(rules, state, seat, &list); break;
    }
    return list.count;
}
