/* Records of Edel, Stein & Reich and its version for two. */
#include "gems.h"

typedef struct {
    const char *stages[OVER]; /* by kind of decision */
    const char *words[WORDS];
    const char *colors[COLORS];
    const char *events[EVENT_KINDS];
    const char *gem_cards[GEM_CARDS]; /* in the order before the shuffle */
} Names;

#include "recorder.h"

#define NOTE_SEATS(state, name, seats, count) note_seats(state, name, seats, count)

#define NOTE_CHOICES(rules, state) note_choices(rules, state)

static void note_seats(State *state, const char *name, const uint8_t *seats, int count) {
    Recorder *recorder = (Recorder *)state;
    begin_chance(recorder, name, "seats");
    begin_list(recorder, count);
    for (int i = 0; i < count; i++) put_number(recorder, seats[i]);
    end_list(recorder);
    end_step(recorder);
}

/* Note the secret choices of all seats. */
static void note_choices(const Rules *rules, State *state) {
    for (int seat = 0; seat < rules->seats; seat++) {
        state->chosen[0] = (uint8_t)state->choices[seat];
        state->chosen_count = 1;
        note_move(rules, state, seat, ((Recorder *)state)->marks[seat]);
    }
}

#include "gems.c"
#include "gems_options.c"

#define EXPORTED(name) gems_##name

#include "records.h"

/* --- Moves in documents ----------------------------------------------------------------------------------------- */

static const char *decision_name(const Recorder *recorder) {
    return recorder->replay->names->stages[recorder->state.stage];
}

static bool is_secret(const Rules *rules, const State *state) { return state->stage == ACTION && !rules->duel; }

static void unchoose(State *state) { state->chosen_count = 0; }

/* Return the seat whose gem an action "take … of …" names, as a text. */
static const char *owner_text(const Rules *rules, int seat, int action) {
    static const char *const seats[MAX_SEATS] = {"0", "1", "2", "3", "4"};
    return seats[owner_of(rules, seat, action)];
}

static const char *color_text(const Recorder *recorder, int color) { return recorder->replay->names->colors[color]; }

/* Put the gems that a rob takes, in the order of the seats. */
static void put_rob(const Rules *rules, Recorder *recorder, int seat) {
    const State *state = &recorder->state;
    begin_object(recorder);
    for (int owner = 0; owner < rules->seats; owner++)
        for (int i = 0; i < state->chosen_count; i++)
            if (owner_of(rules, seat, state->chosen[i]) == owner) {
                put_key(recorder, owner_text(rules, seat, state->chosen[i]));
                put_text(recorder, color_text(recorder, (state->chosen[i] - FROM) % COLORS));
            }
    end_object(recorder);
}

/* Put the colors that Free Choice takes. */
static void put_takes(Recorder *recorder, int first) {
    const State *state = &recorder->state;
    begin_list(recorder, state->chosen_count - first);
    for (int i = first; i < state->chosen_count; i++) put_text(recorder, color_text(recorder, state->chosen[i] - TAKE));
    end_list(recorder);
}

static void put_move(const Rules *rules, Recorder *recorder, int seat) {
    const uint8_t *chosen = recorder->state.chosen;
    int first = chosen[0];
    if (first < WORDS) {
        put_text(recorder, recorder->replay->names->words[first]);
        return;
    }
    begin_object(recorder);
    if (recorder->state.stage == COUNTER_GIFT) {
        put_key(recorder, "gift"), put_text(recorder, color_text(recorder, first - GIVE));
    } else if (first < NAME) {
        put_key(recorder, "give"), put_text(recorder, color_text(recorder, first - GIVE));
        if (recorder->state.stage == IMMEDIATE) {
            put_key(recorder, "seat"), put_number(recorder, owner_of(rules, seat, chosen[1]));
            put_key(recorder, "take"), put_text(recorder, color_text(recorder, (chosen[1] - FROM) % COLORS));
        } else {
            put_key(recorder, "take"), put_takes(recorder, 1);
        }
    } else if (first < TAKE) {
        put_key(recorder, "colour"), put_text(recorder, color_text(recorder, first - NAME));
    } else if (first < OFFER) {
        put_key(recorder, "take"), put_takes(recorder, 0);
    } else if (first < FROM) {
        put_key(recorder, "offer");
        begin_list(recorder, COLORS);
        for (int color = 0; color < COLORS; color++)
            put_number(recorder, chosen[color] - OFFER - color * OFFER_COUNTS);
        end_list(recorder);
    } else {
        put_key(recorder, "take"), put_rob(rules, recorder, seat);
    }
    end_object(recorder);
}

static int read_color(Recorder *recorder) {
    return place_of_text(read_token(recorder), recorder->replay->names->colors, COLORS);
}

static bool take_color(const Rules *rules, Recorder *recorder, int base) {
    int color = read_color(recorder);
    return color >= 0 && take_action(rules, &recorder->state, base + color);
}

static bool take_gem_of(const Rules *rules, Recorder *recorder, int seat, int owner, int color) {
    int distance = (owner - seat + rules->seats) % rules->seats;
    return color >= 0 && distance && take_action(rules, &recorder->state, FROM + COLORS * (distance - 1) + color);
}

/* Read gems by seat and take them clockwise. The tokens are before the first seat. */
static bool read_rob(const Rules *rules, Recorder *recorder, int seat) {
    int colors[MAX_SEATS];
    memset(colors, NONE, sizeof colors);
    const Token *owner;
    while ((owner = read_token(recorder))->kind == TEXT) {
        if (owner->number != 1 || owner->text[0] < '0' || owner->text[0] >= '0' + rules->seats) return false;
        colors[owner->text[0] - '0'] = read_color(recorder);
    }
    for (int distance = 1; distance < rules->seats; distance++) {
        int other = clockwise(rules, seat, distance);
        if (colors[other] != NONE && !take_gem_of(rules, recorder, seat, other, colors[other])) return false;
    }
    return owner->kind == END;
}

/* Read the colors that Free Choice takes. */
static bool read_takes(const Rules *rules, Recorder *recorder, int count) {
    for (int i = 0; i < count; i++)
        if (!take_color(rules, recorder, TAKE)) return false;
    return true;
}

static bool read_offer(const Rules *rules, Recorder *recorder) {
    const Token *token = read_token(recorder);
    if (token->kind != LIST || token->number != COLORS) return false;
    for (int color = 0; color < COLORS; color++) {
        token = read_token(recorder);
        if (token->kind != NUMBER || token->number < 0 || token->number >= OFFER_COUNTS ||
            !take_action(rules, &recorder->state, OFFER + color * OFFER_COUNTS + token->number))
            return false;
    }
    return true;
}

/* Read what follows the gem that is given. */
static bool read_exchange(const Rules *rules, Recorder *recorder, int seat) {
    if (!take_color(rules, recorder, GIVE)) return false;
    if (recorder->state.stage == IMMEDIATE) {
        if (!read_key(recorder, "seat")) return false;
        const Token *owner = read_token(recorder);
        if (owner->kind != NUMBER || owner->number < 0 || owner->number >= rules->seats) return false;
        return read_key(recorder, "take") && take_gem_of(rules, recorder, seat, owner->number, read_color(recorder));
    }
    if (!read_key(recorder, "take")) return false;
    const Token *list = read_token(recorder);
    return list->kind == LIST && read_takes(rules, recorder, list->number);
}

static bool read_move(const Rules *rules, Recorder *recorder, int seat) {
    State *state = &recorder->state;
    const Token *token = read_token(recorder);
    if (token->kind == TEXT) {
        int word = place_of_text(token, recorder->replay->names->words, WORDS);
        return word >= 0 && take_action(rules, state, word);
    }
    if (token->kind != OBJECT) return false;
    const Token *key = read_token(recorder);
    bool read = false;
    if (is_text(key, "offer")) read = read_offer(rules, recorder);
    else if (is_text(key, "gift")) read = take_color(rules, recorder, GIVE);
    else if (is_text(key, "colour")) read = take_color(rules, recorder, NAME);
    else if (is_text(key, "give")) read = read_exchange(rules, recorder, seat);
    else if (is_text(key, "take")) {
        token = read_token(recorder);
        if (token->kind == LIST) read = read_takes(rules, recorder, token->number);
        else read = token->kind == OBJECT && read_rob(rules, recorder, seat);
    }
    uint8_t options[MAX_ACTIONS];
    return read && read_token(recorder)->kind == END && !list_options(rules, state, options);
}

/* --- Moves by their place in the canonical order (moves.py) ------------------------------------------------------- */

/* Return the number of ways to choose `count` gems of two colors. */
static int of_two(int greens, int blues, int count) {
    int most = greens < count ? greens : count, least = count > blues ? count - blues : 0;
    return most >= least ? most - least + 1 : 0;
}

enum { MAX_GEMS = COLORS * GEMS_PER_COLOR };

/* Write the number of offers by their number of gems, up to all gems. */
static void count_offers(const uint8_t held[COLORS], uint32_t offers[MAX_GEMS + 1]) {
    uint32_t before[MAX_GEMS + 1];
    int most = 0;
    offers[0] = 1;
    for (int color = 0; color < COLORS; color++) {
        uint32_t ways = 0;
        memcpy(before, offers, (size_t)(most + 1) * sizeof *offers);
        for (int count = 0; count <= most + held[color]; count++) {
            if (count <= most) ways += before[count];
            if (count > held[color]) ways -= before[count - held[color] - 1];
            offers[count] = ways;
        }
        most += held[color];
    }
}

/* Return the number of offers with as many gems as this one that are lower. */
static uint32_t lower_offers(const uint8_t held[COLORS], const uint8_t offer[COLORS]) {
    int count = gem_total(offer);
    uint32_t lower = 0;
    for (int red = 0; red <= held[0] && red <= offer[0]; red++)
        for (int yellow = 0; yellow <= held[1] && red + yellow <= count; yellow++) {
            int rest = count - red - yellow, pairs = of_two(held[2], held[3], rest);
            if (red == offer[0] && yellow > offer[1]) break;
            if (red == offer[0] && yellow == offer[1]) {
                int fewer_greens = offer[2] - (rest > held[3] ? rest - held[3] : 0);
                if (fewer_greens < pairs) pairs = fewer_greens > 0 ? fewer_greens : 0;
            }
            lower += (uint32_t)pairs;
        }
    return lower;
}

/* Return the number of offers up to this one, all from the same gems. The offer itself can come from other gems. */
static uint32_t offers_up_to(const uint8_t held[COLORS], const uint8_t offer[COLORS]) {
    uint32_t counts[MAX_GEMS + 1], offers = lower_offers(held, offer);
    bool possible = true;
    count_offers(held, counts);
    for (int count = 0; count < gem_total(offer) && count <= gem_total(held); count++) offers += counts[count];
    for (int color = 0; color < COLORS; color++) possible &= offer[color] <= held[color];
    return offers + possible;
}

static uint32_t offers_in_all(const uint8_t held[COLORS]) {
    uint32_t offers = 1;
    for (int color = 0; color < COLORS; color++) offers *= held[color] + 1u;
    return offers;
}

static void choose_offer(State *state, const uint8_t held[COLORS], uint32_t place) {
    uint32_t counts[MAX_GEMS + 1];
    int count = 0;
    count_offers(held, counts);
    for (; place >= counts[count]; count++) place -= counts[count];
    for (int red = 0; red <= held[0] && red <= count; red++)
        for (int yellow = 0; yellow <= held[1] && red + yellow <= count; yellow++) {
            int rest = count - red - yellow, pairs = of_two(held[2], held[3], rest);
            if (place >= (uint32_t)pairs) {
                place -= (uint32_t)pairs;
                continue;
            }
            int green = (rest > held[3] ? rest - held[3] : 0) + (int)place;
            int offer[COLORS] = {red, yellow, green, rest - green};
            for (int color = 0; color < COLORS; color++)
                choose_action(state, OFFER + color * OFFER_COUNTS + offer[color]);
            return;
        }
}

/* Moves that are not offers. At most, a rob has four colors of each of four opponents. */
enum { MAX_WAYS = 1 + 4 * 4 * 4 * 4 };

typedef struct {
    uint64_t key; /* ascending in the canonical order */
    uint8_t chosen[MAX_CHOSEN];
    uint8_t count;
} Way;

/* The canonical order of swaps and robs is that of the seats, not clockwise. */
static uint64_t key_of_way(const Rules *rules, const State *state, int seat) {
    uint64_t key = 0;
    for (int i = 0; i < state->chosen_count; i++) {
        int action = state->chosen[i];
        int owner = action < FROM ? NONE : owner_of(rules, seat, action), color = (action - FROM) % COLORS;
        if (owner == NONE) key = key << 8 | (uint64_t)(action + 1);
        else if (state->immediate == SWAP) key = key << 8 | (uint64_t)(owner * COLORS + color);
        else key |= (uint64_t)(color + 1) << 8 * (1 + MAX_SEATS - owner);
    }
    return key;
}

static void list_ways(const Rules *rules, State *state, int seat, Way *ways, int *count) {
    uint8_t options[MAX_ACTIONS];
    int number = list_options(rules, state, options);
    if (!number) {
        Way way = {key_of_way(rules, state, seat), {0}, state->chosen_count};
        memcpy(way.chosen, state->chosen, state->chosen_count);
        int place = (*count)++;
        for (; place && way.key < ways[place - 1].key; place--) ways[place] = ways[place - 1];
        ways[place] = way;
    }
    for (int i = 0; i < number; i++) {
        choose_action(state, options[i]);
        list_ways(rules, state, seat, ways, count);
        state->chosen_count--;
    }
}

static bool has_offers(const State *state) { return state->stage == OPEN_BARTER || state->stage == ANSWER_OFFER; }

static uint32_t count_moves(const Rules *rules, const State *state, int seat) {
    const uint8_t *held = state->gems[seat];
    if (has_offers(state)) return 1 + offers_in_all(held) - offers_up_to(held, state->standing);
    if (state->stage == ACTION || state->stage == GUESS || state->stage == EVENT_CARD) {
        uint8_t options[MAX_ACTIONS];
        return (uint32_t)list_options(rules, state, options);
    }
    Way ways[MAX_WAYS];
    State asked = *state;
    int count = 0;
    list_ways(rules, &asked, seat, ways, &count);
    return (uint32_t)count;
}

static bool choose_move(const Rules *rules, State *state, int seat, uint32_t place) {
    if (has_offers(state) && place) {
        choose_offer(state, state->gems[seat], place - 1 + offers_up_to(state->gems[seat], state->standing));
        return true;
    }
    if (has_offers(state)) {
        choose_action(state, state->stage == OPEN_BARTER ? WORD_DECLINE : WORD_ACCEPT);
        return true;
    }
    Way ways[MAX_WAYS];
    State asked = *state;
    int count = 0;
    list_ways(rules, &asked, seat, ways, &count);
    for (int i = 0; i < ways[place].count; i++) choose_action(state, ways[place].chosen[i]);
    return true;
}

static uint32_t place_of_move(const Rules *rules, const State *state, int seat) {
    if (has_offers(state)) {
        if (state->chosen[0] < WORDS) return 0;
        uint8_t offer[COLORS];
        for (int color = 0; color < COLORS; color++)
            offer[color] = (uint8_t)(state->chosen[color] - OFFER - color * OFFER_COUNTS);
        return offers_up_to(state->gems[seat], offer) - offers_up_to(state->gems[seat], state->standing);
    }
    Way ways[MAX_WAYS];
    State asked = *state;
    int count = 0;
    uint32_t place = 0;
    uint64_t key = key_of_way(rules, state, seat);
    unchoose(&asked);
    list_ways(rules, &asked, seat, ways, &count);
    while (place < (uint32_t)count && ways[place].key != key) place++;
    return place;
}
