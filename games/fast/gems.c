/* The rules of Edel, Stein & Reich and of its version for two. The functions have the names and the order of the
 * reference, from games/edel_stein_reich/table.py to duel.py. The reference explains the rules. */
#include "gems.h"

#include <string.h>

/* --- table.py: possessions and piles -------------------------------------------------------------------------- */

static void ask(State *state, int seat, int stage) {
    state->turn = (int8_t)seat;
    state->stage = (uint8_t)stage;
}

static void settle(State *state) { ask(state, NONE, BETWEEN); }

static uint8_t *holdings(State *state, int seat) { return seat == SUPPLY ? state->supply : state->gems[seat]; }

static void transfer(State *state, int giver, int receiver, const uint8_t gems[COLORS]) {
    for (int color = 0; color < COLORS; color++) {
        holdings(state, giver)[color] -= gems[color];
        holdings(state, receiver)[color] += gems[color];
    }
}

static void transfer_one(State *state, int giver, int receiver, int color) {
    holdings(state, giver)[color]--;
    holdings(state, receiver)[color]++;
}

/* Give a seat `wanted` gems of a color, as far as the supply has them (Rulings). */
static void take(State *state, int seat, int color, int wanted) {
    int taken = wanted < state->supply[color] ? wanted : state->supply[color];
    state->supply[color] -= (uint8_t)taken;
    state->gems[seat][color] += (uint8_t)taken;
}

static void shuffle_events(State *state, int count) {
    uint8_t *pile = state->event_pile;
    chance_shuffle(state->seed, "event_deck", state->event_shuffles++, pile, count);
    NOTE_DECK(state, "event_deck", pile, count, events);
    for (int i = 0; i < count / 2; i++) { /* the first card of the deck is drawn first */
        uint8_t card = pile[i];
        pile[i] = pile[count - 1 - i];
        pile[count - 1 - i] = card;
    }
    state->event_pile_count = (uint8_t)count;
}

/* Return the next event card. Reshuffles the discards first if the pile is empty (The event cards). */
static int draw_event(State *state) {
    if (!state->event_pile_count) {
        int counts[EVENT_KINDS] = {0}, count = 0;
        for (int i = 0; i < state->event_discard_count; i++) counts[state->event_discards[i]]++;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            while (counts[kind]--) state->event_pile[count++] = (uint8_t)kind;
        state->event_discard_count = 0;
        shuffle_events(state, count);
    }
    return state->event_pile[--state->event_pile_count];
}

static void discard_event(State *state, int card) {
    state->event_discards[state->event_discard_count++] = (uint8_t)card;
}

static void discard_display(State *state) {
    if (state->display == NONE) return;
    discard_event(state, state->display);
    state->display = NONE;
}

/* The sort key of openers and choosers (The barter): fewest red, yellow, green, blue, least money, youngest. */
static uint64_t precedence(const State *state, int seat) {
    uint64_t key = 0;
    for (int color = 0; color < COLORS; color++) key = key << 8 | state->gems[seat][color];
    return key << 24 | (uint64_t)state->money[seat] << 8 | (uint64_t)state->age[seat];
}

/* --- scoring.py ----------------------------------------------------------------------------------------------- */

/* In order: money, gems, red, yellow, green, blue. */
static uint64_t rank_key(const State *state, int seat) {
    uint64_t key = (uint64_t)state->money[seat] << 8 | (uint64_t)gem_total(state->gems[seat]);
    for (int color = 0; color < COLORS; color++) key = key << 8 | state->gems[seat][color];
    return key;
}

static void write_score(const State *state, int seat, int32_t score[SCORE_COLUMNS]) {
    score[0] = state->money[seat];
    for (int color = 0; color < COLORS; color++) score[1 + color] = state->gems[seat][color];
}

/* Scoring cards by seat and kind. */
typedef uint8_t Cards[MAX_SEATS][SCORING_KINDS];

static int sole_bonus(const Rules *rules, const uint8_t cards[SCORING_KINDS], int color) {
    return rules->sole_bonus[color] * cards[SOLE_RED + color] + rules->sole_any_bonus * cards[SOLE_ANY];
}

/* Pay the leaders of a color `value` millions and return their gems (The scoring). */
static void score_color(const Rules *rules, State *state, int color, int value, Cards cards) {
    int most = 0, leading = 0;
    for (int seat = 0; seat < rules->seats; seat++) {
        int count = state->gems[seat][color];
        if (count > most) most = count, leading = 0;
        leading += count == most;
    }
    int share = most ? value / leading : 0;
    int returned = leading == 1 ? (most + 1) / 2 : rules->tie_return < most ? rules->tie_return : most;
    for (int seat = 0; seat < rules->seats; seat++) {
        int count = state->gems[seat][color], money = state->money[seat] + count * cards[seat][PER_RED + color];
        if (most && count == most) {
            money += share + (leading == 1 ? sole_bonus(rules, cards[seat], color) : 0);
            state->gems[seat][color] -= (uint8_t)returned;
            state->supply[color] += (uint8_t)returned;
        }
        state->money[seat] = (uint16_t)money;
    }
}

static void pay_certificates(const Rules *rules, State *state, Cards cards) {
    int first = 0, second = 0, leading = 0;
    for (int seat = 0; seat < rules->seats; seat++)
        if (cards[seat][CERTIFICATE] > first) first = cards[seat][CERTIFICATE];
    for (int seat = 0; seat < rules->seats; seat++) {
        int count = cards[seat][CERTIFICATE];
        leading += count == first;
        if (count < first && count > second) second = count;
    }
    for (int seat = 0; seat < rules->seats && first; seat++) {
        int count = cards[seat][CERTIFICATE];
        if (count == first) state->money[seat] += rules->certificate_values[0];
        else if (count && count == second && leading == 1) state->money[seat] += rules->certificate_values[1];
    }
}

static void score_phase(const Rules *rules, State *state) {
    Cards cards = {{0}};
    for (int i = 0; i < state->kept_count; i++) cards[state->kept_by[i]][state->kept[i]]++;
    for (int color = 0; color < COLORS; color++)
        score_color(rules, state, color, rules->majority_values[color], cards);
    pay_certificates(rules, state, cards);
    for (int seat = 0; seat < rules->seats; seat++)
        for (int i = 0; i < state->kept_count; i++)
            if (state->kept_by[i] == seat) discard_event(state, state->kept[i]);
    state->kept_count = 0;
}

/* Score one color at half its value, without scoring cards (The event cards). */
static void score_half(const Rules *rules, State *state, int color) {
    Cards no_cards = {{0}};
    score_color(rules, state, color, rules->half_values[color], no_cards);
}

/* --- actions.py: actions and the barters for them -------------------------------------------------------------- */

/* Return the gem card with which a seat acts. In the version for two it is the card of the turn. */
static int used_card(const Rules *rules, const State *state, int seat) {
    return state->gem_cards[rules->duel ? state->active : seat];
}

/* Let all choosers of Free Choice act, in an order that is fixed now (The actions). */
static void begin_free_choice(State *state, const int8_t *seats, int count) {
    for (int i = 0; i < count; i++) {
        int place = i;
        while (place && precedence(state, seats[i]) < precedence(state, state->free_order[place - 1])) {
            state->free_order[place] = state->free_order[place - 1];
            place--;
        }
        state->free_order[place] = seats[i];
    }
    state->free_count = (uint8_t)count;
    state->free_next = 0;
    ask(state, state->free_order[0], FREE_CHOICE);
}

/* Carry out an action for the seat that won it (The actions). */
static void perform(const Rules *rules, State *state, int seat, int action) {
    if (action == WORD_MONEY) {
        state->money[seat] += rules->gem_card_money[used_card(rules, state, seat)];
    } else if (action == WORD_GEMS) {
        const uint8_t *gems = rules->gem_card_gems[used_card(rules, state, seat)];
        for (int color = 0; color < COLORS; color++) take(state, seat, color, gems[color]);
    } else if (action == WORD_EVENT) {
        ask(state, seat, EVENT_CARD);
    } else {
        begin_free_choice(state, &(int8_t){(int8_t)seat}, 1);
    }
}

/* Begin a barter of two seats for an action (The barter). The seat with fewer gems opens. */
static void begin_barter(State *state, int first, int second) {
    bool second_opens = precedence(state, second) < precedence(state, first);
    state->opener = (int8_t)(second_opens ? second : first);
    state->other = (int8_t)(second_opens ? first : second);
    ask(state, state->opener, OPEN_BARTER);
}

static void end_barter(State *state) {
    state->opener = state->other = state->offerer = NONE;
    state->opener_declined = state->offer_count = 0;
    memset(state->standing, 0, COLORS);
    settle(state);
}

static void win_barter(const Rules *rules, State *state, int winner) {
    end_barter(state);
    perform(rules, state, winner, state->resolving);
}

/* Make the offer of `chosen`, which the other seat must answer. */
static void offer(State *state, int seat) {
    for (int color = 0; color < COLORS; color++)
        state->standing[color] = (uint8_t)(state->chosen[color] - OFFER - color * OFFER_COUNTS);
    state->offerer = (int8_t)seat;
    state->offer_count++;
    ask(state, seat == state->opener ? state->other : state->opener, ANSWER_OFFER);
}

static void open_barter(State *state, int seat) {
    if (state->chosen[0] == WORD_DECLINE) {
        state->opener_declined = 1;
        ask(state, state->other, COUNTER_GIFT);
    } else {
        offer(state, seat);
    }
}

static void answer_offer(const Rules *rules, State *state, int seat) {
    if (state->chosen[0] == WORD_ACCEPT) {
        int offerer = state->offerer;
        transfer(state, offerer, seat, state->standing);
        win_barter(rules, state, offerer);
    } else {
        offer(state, seat);
    }
}

/* Give one gem to the opener who declined, or make the action void. */
static void counter_gift(const Rules *rules, State *state, int seat) {
    if (state->chosen[0] == WORD_DECLINE) {
        end_barter(state);
    } else {
        transfer_one(state, seat, state->opener, state->chosen[0] - GIVE);
        win_barter(rules, state, seat);
    }
}

/* Take the display or the top card of the stack. Keep a scoring card; ask about an immediate card. */
static void event_card(State *state, int seat) {
    int card = state->display;
    if (state->chosen[0] == WORD_BLIND) {
        card = draw_event(state);
        discard_event(state, state->display);
    }
    state->display = NONE;
    if (card < SCORING_KINDS) {
        state->kept[state->kept_count] = (uint8_t)card;
        state->kept_by[state->kept_count++] = (int8_t)seat;
        settle(state);
    } else {
        state->immediate = (int8_t)card;
        ask(state, seat, IMMEDIATE);
    }
}

/* Change a color to ADJUSTED gems, as far as the supply allows (Rulings). */
static void adjust(const Rules *rules, State *state, int seat, int color) {
    int beyond = state->gems[seat][color] - rules->adjusted;
    if (beyond > 0) {
        state->gems[seat][color] -= (uint8_t)beyond;
        state->supply[color] += (uint8_t)beyond;
    } else {
        take(state, seat, color, -beyond);
    }
}

/* Return the seat whose gem an action "take … of …" names. */
static int owner_of(const Rules *rules, int seat, int action) {
    return clockwise(rules, seat, 1 + (action - FROM) / COLORS);
}

/* Move the gem that an action "take … of …" names from its owner to `receiver`. */
static void take_from(const Rules *rules, State *state, int seat, int action, int receiver) {
    transfer_one(state, owner_of(rules, seat, action), receiver, (action - FROM) % COLORS);
}

static void halve_all(const Rules *rules, State *state) {
    for (int seat = 0; seat < rules->seats; seat++)
        for (int color = 0; color < COLORS; color++) {
            int half = state->gems[seat][color] / 2;
            state->gems[seat][color] -= (uint8_t)half;
            state->supply[color] += (uint8_t)half;
        }
}

/* Carry out the effect of an immediate card (The event cards). */
static void carry_out(const Rules *rules, State *state, int seat) {
    const uint8_t *chosen = state->chosen;
    switch (state->immediate) {
    case HALF: score_half(rules, state, chosen[0] - NAME); break;
    case THREE: take(state, seat, chosen[0] - NAME, rules->three_takes); break;
    case SWAP:
        transfer_one(state, seat, owner_of(rules, seat, chosen[1]), chosen[0] - GIVE);
        take_from(rules, state, seat, chosen[1], seat);
        break;
    case ROB:
        for (int i = 0; i < state->chosen_count; i++) take_from(rules, state, seat, chosen[i], SUPPLY);
        break;
    case HALVE_ALL: halve_all(rules, state); break;
    case ADJUST_RED_BLUE: adjust(rules, state, seat, 0), adjust(rules, state, seat, 3); break;
    case ADJUST_YELLOW_GREEN: adjust(rules, state, seat, 1), adjust(rules, state, seat, 2); break;
    }
}

/* Carry out the card completely or not at all, and discard it. */
static void decide_immediate(const Rules *rules, State *state, int seat) {
    if (state->chosen[0] != WORD_DECLINE) carry_out(rules, state, seat);
    discard_event(state, state->immediate);
    state->immediate = NONE;
    settle(state);
}

/* Return one gem and take two as the only chooser, or take one gem as one of several. */
static void free_choice(State *state, int seat) {
    if (state->chosen[0] != WORD_DECLINE) {
        int first_taken = 0;
        if (state->free_count == 1) transfer_one(state, seat, SUPPLY, state->chosen[first_taken++] - GIVE);
        for (int i = first_taken; i < state->chosen_count; i++) take(state, seat, state->chosen[i] - TAKE, 1);
    }
    if (++state->free_next < state->free_count) {
        ask(state, state->free_order[state->free_next], FREE_CHOICE);
    } else {
        state->free_count = state->free_next = 0;
        settle(state);
    }
}

/* Return whether a swap or a rob has gems to move (Rulings). Other cards can always be carried out. */
static bool immediate_has_effect(const Rules *rules, const State *state, int seat) {
    if (state->immediate != SWAP && state->immediate != ROB) return true;
    if (state->immediate == SWAP && !includes_gems(state->gems[seat])) return false;
    for (int other = 0; other < rules->seats; other++)
        if (other != seat && includes_gems(state->gems[other])) return true;
    return false;
}

/* Return the only legal move of the seat that is asked, which is always one word, or NONE if it has a choice. */
static int forced_word(const Rules *rules, const State *state) {
    const uint8_t *gems = state->gems[state->turn];
    switch (state->stage) {
    case ANSWER_OFFER: {
        bool more = state->offer_count < rules->offer_limit && offer_key(gems) > offer_key(state->standing);
        return more ? NONE : WORD_ACCEPT;
    }
    case OPEN_BARTER:
    case COUNTER_GIFT: return includes_gems(gems) ? NONE : WORD_DECLINE;
    case IMMEDIATE: return immediate_has_effect(rules, state, state->turn) ? NONE : WORD_DECLINE;
    case FREE_CHOICE: return includes_gems(state->free_count == 1 ? gems : state->supply) ? NONE : WORD_DECLINE;
    default: return NONE;
    }
}

/* --- duel.py: what is different with two seats (A turn) ------------------------------------------------------ */

/* Return the start player of phases 2 and 3: the richer one (The next phase), then the younger one. */
static int richer(const State *state) {
    uint64_t first = rank_key(state, 0), second = rank_key(state, 1);
    return first > second || (first == second && state->age[0] < state->age[1]) ? 0 : 1;
}

static void duel_guess(const Rules *rules, State *state, int seat) {
    int action = state->choices[state->active];
    state->guesses[state->guess_count++] = (int8_t)state->chosen[0];
    bool hit = state->chosen[0] == action;
    if (!hit && state->guess_count < rules->guesses) return;
    state->revealed = 1;
    settle(state);
    if (hit && state->guess_count == 1) return;
    state->resolving = (int8_t)action;
    if (hit) begin_barter(state, state->active, seat);
    else perform(rules, state, state->active, action);
}

/* --- procedure.py: phases and rounds --------------------------------------------------------------------------- */

static void clear_gem_cards(State *state) { memset(state->gem_cards, NONE, MAX_SEATS); }

static void clear_choices(State *state) {
    memset(state->choices, NONE, MAX_SEATS);
    state->revealed = 0;
}

static void shuffle_gem_cards(State *state) {
    for (int i = 0; i < GEM_CARDS; i++) state->gem_pile[i] = (uint8_t)i;
    chance_shuffle(state->seed, "gem_deck", state->gem_shuffles++, state->gem_pile, GEM_CARDS);
    NOTE_DECK(state, "gem_deck", state->gem_pile, GEM_CARDS, gem_cards);
    state->gem_discard_count = 0;
}

/* Refill a low supply (The next phase): every seat returns one gem of each low color. All colors are checked at once,
 * because each depends only on its own supply. */
static void replenish(const Rules *rules, State *state) {
    for (int color = 0; color < COLORS; color++) {
        if (state->supply[color] > rules->low_supply) continue;
        for (int seat = 0; seat < rules->seats; seat++)
            if (state->gems[seat][color]) transfer_one(state, seat, SUPPLY, color);
    }
}

/* Deal gem cards and turn up an event. All seats then choose; with two seats, the active one. */
static void begin_round(const Rules *rules, State *state) {
    if (rules->duel) {
        if (state->phase > 1 && !state->round) state->starter = (int8_t)richer(state);
        discard_display(state);
        state->active = (int8_t)clockwise(rules, state->starter, state->round);
        clear_gem_cards(state);
        state->gem_cards[state->active] = (int8_t)state->gem_pile[(state->phase - 1) * rules->rounds + state->round];
    } else {
        memcpy(state->gem_cards, state->gem_pile + state->round * rules->seats, rules->seats);
    }
    state->round++;
    state->display = (int8_t)draw_event(state);
    ask(state, rules->duel ? state->active : NONE, ACTION);
}

static void begin_phase(const Rules *rules, State *state) {
    state->phase++;
    state->round = 0;
    if (!rules->duel) shuffle_gem_cards(state);
    if (state->phase > 1) replenish(rules, state);
    begin_round(rules, state);
}

static void end_phase(const Rules *rules, State *state) {
    score_phase(rules, state);
    if (state->phase < rules->phases) begin_phase(rules, state);
    else ask(state, NONE, OVER);
}

/* Clear the table. In the version for two, the event stays on display until the next turn. */
static void end_round(const Rules *rules, State *state) {
    state->gem_discard_count += rules->duel ? 1 : rules->seats;
    clear_gem_cards(state);
    clear_choices(state);
    state->guess_count = 0;
    state->active = NONE;
    bool last = state->round == rules->rounds;
    if (!rules->duel || last) discard_display(state);
    if (last) end_phase(rules, state);
    else begin_round(rules, state);
}

/* Keep a choice secret. The last one reveals all of them. With two seats, the other seat then guesses. */
static void choose(const Rules *rules, State *state, int seat) {
    state->choices[seat] = (int8_t)state->chosen[0];
    if (rules->duel) {
        ask(state, 1 - seat, GUESS);
        return;
    }
    for (int other = 0; other < rules->seats; other++)
        if (state->choices[other] == NONE) return;
    NOTE_CHOICES(rules, state);
    state->revealed = 1;
    state->action_index = 0;
    settle(state);
}

/* Let the seats that chose `action` carry it out, barter for it, or find it canceled (Who may act). */
static void resolve(const Rules *rules, State *state, int action) {
    int8_t seats[MAX_SEATS];
    int count = 0;
    for (int seat = 0; seat < rules->seats; seat++)
        if (state->choices[seat] == action) seats[count++] = (int8_t)seat;
    if (count) state->resolving = (int8_t)action;
    if (count == 1) perform(rules, state, seats[0], action);
    else if (count && action == WORD_FREE_CHOICE) begin_free_choice(state, seats, count);
    else if (count == 2) begin_barter(state, seats[0], seats[1]);
}

/* Continue with the actions of this round up to the next decision, or end the round. */
static void proceed(const Rules *rules, State *state) {
    while (!rules->duel && state->action_index < rules->actions) {
        resolve(rules, state, state->action_index++);
        if (state->stage != BETWEEN) return;
    }
    state->resolving = NONE;
    end_round(rules, state);
}

/* Carry out the move of `chosen` for the seat that is asked. */
static void apply(const Rules *rules, State *state) {
    int seat = seat_to_play(rules, state);
    switch (state->stage) {
    case ACTION: choose(rules, state, seat); break;
    case OPEN_BARTER: open_barter(state, seat); break;
    case ANSWER_OFFER: answer_offer(rules, state, seat); break;
    case COUNTER_GIFT: counter_gift(rules, state, seat); break;
    case EVENT_CARD: event_card(state, seat); break;
    case IMMEDIATE: decide_immediate(rules, state, seat); break;
    case FREE_CHOICE: free_choice(state, seat); break;
    case GUESS: duel_guess(rules, state, seat); break;
    }
    state->chosen_count = 0;
}

/* Play chance and forced moves up to the next decision with a choice, or to the end (games/stepped.py). */
static void go_on(const Rules *rules, State *state) {
    for (;;) {
        if (state->stage == BETWEEN) {
            proceed(rules, state);
            continue;
        }
        int forced = state->turn == NONE ? NONE : forced_word(rules, state);
        if (forced == NONE) return;
        state->chosen[0] = (uint8_t)forced;
        state->chosen_count = 1;
        NOTE_FORCED(rules, state);
        apply(rules, state);
    }
}

static void choose_action(State *state, int action) { state->chosen[state->chosen_count++] = (uint8_t)action; }

static void deal_game(const Rules *rules, State *state, const uint8_t seed[SEED_BYTES]) {
    memset(state, 0, sizeof *state);
    memcpy(state->seed, seed, SEED_BYTES);
    for (int color = 0; color < COLORS; color++) {
        for (int seat = 0; seat < rules->seats; seat++) state->gems[seat][color] = rules->gems_at_start;
        state->supply[color] = (uint8_t)(GEMS_PER_COLOR - rules->seats * rules->gems_at_start);
    }
    clear_choices(state);
    state->display = state->immediate = state->resolving = state->active = state->starter = NONE;
    uint8_t order[MAX_SEATS] = {0, 1, 2, 3, 4};
    chance_shuffle(seed, "age_order", 0, order, rules->seats);
    NOTE_SEATS(state, "age_order", order, rules->seats);
    for (int age = 0; age < rules->seats; age++) {
        state->age_order[age] = (int8_t)order[age];
        state->age[order[age]] = (int8_t)age;
    }
    memcpy(state->event_pile, rules->event_cards, EVENT_CARDS);
    shuffle_events(state, EVENT_CARDS);
    if (rules->duel) {
        shuffle_gem_cards(state);
        state->starter = (int8_t)chance_below(seed, "starter", 0, rules->seats);
        NOTE_SEAT(state, "starter", state->starter);
    }
    end_barter(state); /* no barter is in progress */
    begin_phase(rules, state);
    go_on(rules, state);
}

static int seat_to_play(const Rules *rules, const State *state) {
    if (state->turn != NONE || state->stage == OVER) return state->turn;
    for (int seat = 0; seat < rules->seats; seat++)
        if (state->choices[seat] == NONE) return seat;
    return NONE;
}

static bool fits(const Rules *rules) {
    for (int i = 0; i < EVENT_CARDS; i++)
        if (rules->event_cards[i] >= EVENT_KINDS) return false;
    for (int i = 0; i < GEM_CARDS; i++)
        if (rules->gem_card_kinds[i] >= GEM_CARDS) return false;
    int seats_with_cards = rules->duel ? rules->phases : rules->seats; /* all phases of the duel share one pile */
    return rules->seats >= 2 && rules->seats <= MAX_SEATS && (!rules->duel || rules->seats == 2) &&
           rules->rounds >= 1 && rules->rounds <= MAX_KEPT && rules->rounds * seats_with_cards <= GEM_CARDS &&
           rules->actions >= 2 && rules->actions <= ACTION_CARDS && rules->guesses < rules->actions &&
           rules->free_choice_takes < MAX_CHOSEN && rules->seats * rules->gems_at_start <= GEMS_PER_COLOR;
}
