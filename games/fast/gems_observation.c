/* The observation of a seat. The sections and their order are those of games/edel_stein_reich/encoding/observation.py. */
#include "gems.h"
#include "observation.h"

enum {
    MONEY_UNIT = 100,
    OFFERS_UNIT = 20,
    IMMEDIATE_KINDS = EVENT_KINDS - SCORING_KINDS,
    DECISION_KINDS = OVER - ACTION
};

static Components count_components(const Rules *rules) {
    Components components = {{0}, {0}, 0, 0, 0};
    for (int i = 0; i < EVENT_CARDS; i++) components.events[rules->event_cards[i]]++;
    for (int i = 0; i < GEM_CARDS; i++) {
        int kind = rules->gem_card_kinds[i];
        components.gem_cards[kind]++;
        if (kind >= components.gem_card_kinds) components.gem_card_kinds = kind + 1;
        if (rules->gem_card_money[i] > components.most_money) components.most_money = rules->gem_card_money[i];
        for (int color = 0; color < COLORS; color++)
            if (rules->gem_card_gems[i][color] > components.most_gems)
                components.most_gems = rules->gem_card_gems[i][color];
    }
    return components;
}

static void put_gems(Writer *writer, const uint8_t gems[COLORS]) {
    for (int color = 0; color < COLORS; color++) put(writer, (double)gems[color] / GEMS_PER_COLOR);
}

/* By color, the gems of a seat minus the most of another seat, from 0 to 1. */
static void put_leads(Writer *writer, int seat) {
    const State *state = writer->state;
    for (int color = 0; color < COLORS; color++) {
        int most = 0;
        for (int other = 0; other < writer->rules->seats; other++)
            if (other != seat && state->gems[other][color] > most) most = state->gems[other][color];
        put(writer, (double)(state->gems[seat][color] - most + GEMS_PER_COLOR) / (2 * GEMS_PER_COLOR));
    }
}

/* For each kind of card, the share of its copies that is among the counted ones. */
static void put_shares(Writer *writer, const int *counts, const int *copies, int kinds) {
    for (int kind = 0; kind < kinds; kind++) {
        double share = 0;
        for (int i = 0; i < counts[kind]; i++) share += 1.0 / copies[kind];
        put(writer, share);
    }
}

/* --- the table ------------------------------------------------------------------------------------------------- */

static void put_gem_cards_out(Writer *writer, const Components *components) {
    const Rules *rules = writer->rules;
    const State *state = writer->state;
    int counts[GEM_CARDS] = {0};
    for (int i = 0; i < state->gem_discard_count; i++) counts[rules->gem_card_kinds[state->gem_pile[i]]]++;
    for (int seat = 0; seat < rules->seats; seat++)
        if (state->gem_cards[seat] != NONE) counts[rules->gem_card_kinds[state->gem_cards[seat]]]++;
    if (rules->aside) counts[rules->gem_card_kinds[state->gem_pile[GEM_CARDS - 1]]]++;
    put_shares(writer, counts, components->gem_cards, components->gem_card_kinds);
}

static void put_table(Writer *writer, const Components *components) {
    const Rules *rules = writer->rules;
    const State *state = writer->state;
    int gem_stack = rules->duel ? rules->rounds - state->round : GEM_CARDS - rules->aside - state->round * rules->seats;
    int discards[EVENT_KINDS] = {0};
    for (int i = 0; i < state->event_discard_count; i++) discards[state->event_discards[i]]++;
    put_one_hot(writer, state->phase - 1, rules->phases);
    put(writer, (double)state->round / rules->rounds);
    put_gems(writer, state->supply);
    put(writer, (double)gem_stack / GEM_CARDS);
    put_gem_cards_out(writer, components);
    put_one_hot(writer, state->display, EVENT_KINDS);
    put(writer, (double)state->event_pile_count / EVENT_CARDS);
    put_shares(writer, discards, components->events, EVENT_KINDS);
}

/* --- the players ----------------------------------------------------------------------------------------------- */

static void put_scoring_cards(Writer *writer, int seat, const Components *components) {
    const State *state = writer->state;
    int counts[SCORING_KINDS] = {0};
    for (int i = 0; i < state->kept_count; i++) counts[state->kept[i]] += state->kept_by[i] == seat;
    put_shares(writer, counts, components->events, SCORING_KINDS);
}

static void put_gem_card(Writer *writer, int card, const Components *components) {
    put(writer, card == NONE ? 0 : (double)writer->rules->gem_card_money[card] / components->most_money);
    for (int color = 0; color < COLORS; color++)
        put(writer, card == NONE ? 0 : (double)writer->rules->gem_card_gems[card][color] / components->most_gems);
}

/* Return whether the choice of a seat is public (procedure.py and duel.py, has_chosen). */
static bool has_chosen(const Rules *rules, const State *state, int seat) {
    return rules->duel ? state->choices[seat] != NONE : state->revealed;
}

static void put_players(Writer *writer, const Components *components) {
    const Rules *rules = writer->rules;
    const State *state = writer->state;
    int seats = rules->seats;
    for (int i = 0; i < seats; i++) put_gems(writer, state->gems[seat_at(writer, i)]);
    for (int i = 0; i < seats; i++) put_leads(writer, seat_at(writer, i));
    for (int i = 0; i < seats; i++) put_capped(writer, (double)state->money[seat_at(writer, i)] / MONEY_UNIT);
    for (int i = 0; i < seats; i++) put_scoring_cards(writer, seat_at(writer, i), components);
    for (int i = 0; i < seats; i++) put_gem_card(writer, state->gem_cards[seat_at(writer, i)], components);
    for (int i = 0; i < seats; i++)
        put_one_hot(writer, state->revealed ? state->choices[seat_at(writer, i)] : NONE, ACTION_CARDS);
    for (int i = 0; i < seats; i++) put(writer, has_chosen(rules, state, seat_at(writer, i)));
    for (int i = 0; i < seats; i++) put(writer, (double)state->age[seat_at(writer, i)] / (seats - 1));
    put_seat(writer, state->turn);
    put_seat(writer, state->active);
}

/* --- what is being carried out --------------------------------------------------------------------------------- */

/* 1: one seat alone; by seat, 1: picks now; lower: later. */
static void put_free_choice(Writer *writer) {
    const State *state = writer->state;
    int seats = writer->rules->seats;
    put(writer, state->free_count == 1);
    for (int i = 0; i < seats; i++) {
        double number = 0;
        for (int place = state->free_next; place < state->free_count; place++)
            if (state->free_order[place] == seat_at(writer, i))
                number = 1.0 - (double)(place - state->free_next) / seats;
        put(writer, number);
    }
}

static void put_resolving(Writer *writer) {
    const State *state = writer->state;
    put_one_hot(writer, state->choices[writer->seat], ACTION_CARDS);
    for (int action = 0; action < ACTION_CARDS; action++) {
        bool shown = false;
        for (int i = 0; i < state->guess_count; i++) shown |= state->guesses[i] == action;
        put(writer, shown);
    }
    put_one_hot(writer, state->resolving, ACTION_CARDS);
    put_seat(writer, state->opener);
    put_seat(writer, state->other);
    put_seat(writer, state->opener_declined ? state->opener : NONE);
    put_gems(writer, state->standing);
    put(writer, state->offerer == writer->seat);
    put(writer, (double)state->offer_count / OFFERS_UNIT);
    put_free_choice(writer);
    put_one_hot(writer, state->immediate - SCORING_KINDS, IMMEDIATE_KINDS);
}

/* --- what this seat is asked ----------------------------------------------------------------------------------- */

static void put_asked(Writer *writer) {
    const State *state = writer->state;
    bool asked = seat_to_play(writer->rules, state) == writer->seat;
    int chosen_count = asked ? state->chosen_count : 0, counts = 0;
    float picked[COLORS * (MAX_SEATS + 1)] = {0};
    put_one_hot(writer, asked ? state->stage - ACTION : NONE, DECISION_KINDS);
    for (int i = 0; i < COLORS; i++) {
        int action = i < chosen_count ? state->chosen[i] : 0;
        bool offered = action >= OFFER && action < FROM;
        counts += offered;
        put(writer, offered ? (double)(action - OFFER - i * OFFER_COUNTS) / GEMS_PER_COLOR : 0);
        if (action >= GIVE && action < NAME) picked[action - GIVE] = 1;
        else if (action >= TAKE && action < OFFER) picked[COLORS + action - TAKE] = 1;
        else if (action >= FROM) picked[2 * COLORS + action - FROM] = 1;
    }
    for (int i = 0; i < COLORS; i++) put(writer, i < counts);
    for (int i = 0; i < COLORS * (writer->rules->seats + 1); i++) put(writer, picked[i]);
}

/* The numbers of the four functions above, in their order. */
static int64_t observation_size(const Rules *rules, const Components *components) {
    int table = rules->phases + 1 + COLORS + 1 + components->gem_card_kinds + EVENT_KINDS + 1 + EVENT_KINDS;
    int player = 2 * COLORS + 1 + SCORING_KINDS + (1 + COLORS) + ACTION_CARDS + 4;
    int resolving = 3 * ACTION_CARDS + (COLORS + 1) + 1 + 1 + IMMEDIATE_KINDS, resolving_by_seat = 4;
    int asked = DECISION_KINDS + 2 * COLORS + COLORS, asked_by_seat = COLORS;
    return table + resolving + asked + rules->seats * (player + resolving_by_seat + asked_by_seat);
}

static void observe(const Rules *rules, const State *state, int seat, const Components *components, float *numbers) {
    Writer writer = {rules, state, seat, numbers};
    put_table(&writer, components);
    put_players(&writer, components);
    put_resolving(&writer);
    put_asked(&writer);
}
