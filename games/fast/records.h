/* Replay a game from its seed: with the moves of a record, which is compared, or with the choices of a compact one.
 *
 * The last file of a game includes its other files and this one. EXPORTED(name) is the name of a function with the
 * prefix of the game. */

/* --- What a game defines ---------------------------------------------------------------------------------------- */

/* Forget the chosen actions. */
static void unchoose(State *state);

/* Choose the move at the next tokens with `take_action`, and return whether it is complete. */
static bool read_move(const Rules *rules, Recorder *recorder, int seat);

/* Return the number of legal moves of the seat that is asked, or 0 if there are too many. */
static uint32_t count_moves(const Rules *rules, const State *state, int seat);

/* Choose the move at this place of the canonical order, below their number. Return false if there are too many. */
static bool choose_move(const Rules *rules, State *state, int seat, uint32_t place);

/* Return the place of the chosen move. */
static uint32_t place_of_move(const Rules *rules, const State *state, int seat);

/* Return whether other seats see the move only after all have chosen. Then the rules note it. */
static bool is_secret(const Rules *rules, const State *state);

/* --- Moves ------------------------------------------------------------------------------------------------------ */

/* Add an action if it may follow. */
static bool take_action(const Rules *rules, State *state, int action) {
    if (!may_follow(rules, state, action)) return false;
    choose_action(state, action);
    return true;
}

static const Token *read_token(Recorder *recorder) {
    static const Token nothing = {NULL, 0, END};
    return recorder->next < recorder->count ? recorder->steps + recorder->next++ : &nothing;
}

static bool read_key(Recorder *recorder, const char *key) { return is_text(read_token(recorder), key); }

/* The default move is the first one: the first action, again and again. */
static void choose_default(const Rules *rules, State *state) {
    uint8_t options[MAX_ACTIONS];
    while (list_options(rules, state, options)) {
        choose_action(state, options[0]);
        if (options[0] < WORDS) return;
    }
}

/* Read the next step, which must be a move, and choose it. Return its mark, or INVALID if it is not legal. Whether the
 * step is complete and canonical is found when the rules have noted it. */
static int read_step(const Rules *rules, Recorder *recorder, int seat) {
    State *state = &recorder->state;
    if (read_token(recorder)->kind != OBJECT || !read_key(recorder, "seat")) return INVALID;
    const Token *token = read_token(recorder);
    if (token->kind != NUMBER || token->number != seat || !read_key(recorder, "decision")) return INVALID;
    read_token(recorder);
    if (!read_key(recorder, "move") || !read_move(rules, recorder, seat)) return INVALID;
    token = read_token(recorder);
    if (token->kind == END) return CHOSEN;
    if (!is_text(token, "default")) return INVALID;
    int reason = place_of_text(read_token(recorder), recorder->replay->reasons, recorder->replay->reason_count);
    if (reason < 0 || read_token(recorder)->kind != END) return INVALID;
    State chosen;
    memcpy(&chosen, state, sizeof chosen);
    unchoose(state);
    choose_default(rules, state);
    return memcmp(&chosen, state, sizeof chosen) ? INVALID : reason;
}

/* --- Choices of a compact record ---------------------------------------------------------------------------------- */

/* A choice and its number of alternatives. */
typedef struct {
    uint32_t value;
    uint32_t radix;
} Digit;

typedef struct {
    Digit *digits;
    int64_t count;
    int64_t capacity;
} Digits;

static bool add_digit(Digits *digits, uint32_t value, uint32_t radix) {
    if (digits->count == digits->capacity) {
        digits->capacity = 2 * digits->capacity + 128;
        Digit *larger = realloc(digits->digits, (size_t)digits->capacity * sizeof *larger);
        if (!larger) return false;
        digits->digits = larger;
    }
    digits->digits[digits->count++] = (Digit){value, radix};
    return true;
}

/* Add the digits of the chosen move. Seats that have forfeited choose nothing. */
static bool pack_choice(const Rules *rules, Recorder *recorder, int seat, int mark, Digits *digits) {
    const Replay *replay = recorder->replay;
    if (recorder->gone[seat]) return true;
    State asked = recorder->state;
    unchoose(&asked);
    uint32_t moves = count_moves(rules, &asked, seat);
    if (!moves) return false;
    if (mark == CHOSEN) {
        uint32_t place = place_of_move(rules, &recorder->state, seat);
        return place < moves && add_digit(digits, place, moves + replay->defaults);
    }
    return add_digit(digits, moves, moves + 1) && add_digit(digits, (uint32_t)mark, replay->reason_count);
}

/* Write the choices as one big-endian integer, the first choice least significant. */
static bool pack(const Digits *digits, Replay *replay) {
    Natural number = {malloc((size_t)(digits->count + 1) * sizeof(uint32_t)), 0};
    if (!number.parts) return false;
    for (int64_t i = digits->count - 1; i >= 0; i--)
        multiply_and_add(&number, digits->digits[i].radix, digits->digits[i].value);
    int64_t size = 4 * (int64_t)number.count;
    while (size && !(number.parts[(size - 1) / 4] >> 8 * ((size - 1) % 4) & 0xff)) size--;
    replay->packed = malloc((size_t)size + 1);
    for (int64_t i = 0; replay->packed && i < size; i++)
        replay->packed[size - 1 - i] = (uint8_t)(number.parts[i / 4] >> 8 * (i % 4));
    replay->packed_size = size;
    free(number.parts);
    return replay->packed;
}

static bool unpack(Natural *number, const Replay *replay) {
    number->count = (int)((replay->choices_size + 3) / 4);
    number->parts = calloc((size_t)number->count + 1, sizeof(uint32_t));
    for (int64_t i = 0; number->parts && i < replay->choices_size; i++)
        number->parts[i / 4] |= (uint32_t)replay->choices[replay->choices_size - 1 - i] << 8 * (i % 4);
    while (number->parts && number->count && !number->parts[number->count - 1]) number->count--;
    return number->parts;
}

/* Choose the next move of the number. Return its mark, or INVALID if there are too many moves. */
static int unpack_choice(const Rules *rules, Recorder *recorder, int seat, Natural *number) {
    const Replay *replay = recorder->replay;
    State *state = &recorder->state;
    int mark = replay->forfeit_reason;
    if (!recorder->gone[seat]) {
        uint32_t moves = count_moves(rules, state, seat);
        if (!moves) return INVALID;
        uint32_t place = divide(number, moves + replay->defaults);
        if (place < moves) return choose_move(rules, state, seat, place) ? CHOSEN : INVALID;
        mark = (int)divide(number, replay->reason_count);
    }
    choose_default(rules, state);
    return mark;
}

/* --- A whole game ------------------------------------------------------------------------------------------------ */

/* Play from the seed to the end of the game, or of the record. */
static void play(const Rules *rules, Recorder *recorder, Natural *number, Digits *digits) {
    State *state = &recorder->state;
    deal_game(rules, state, recorder->replay->seed);
    for (int seat; (seat = seat_to_play(rules, state)) != NONE && !recorder->differs;) {
        if (recorder->next < recorder->compared) recorder->next = recorder->compared;
        if (recorder->steps && recorder->next == recorder->count) return;
        int mark = recorder->steps ? read_step(rules, recorder, seat) : unpack_choice(rules, recorder, seat, number);
        if (mark == INVALID || (recorder->replay->packs && !pack_choice(rules, recorder, seat, mark, digits))) {
            recorder->differs = true;
            return;
        }
        if (is_secret(rules, state)) recorder->marks[seat] = (int8_t)mark;
        else note_move(rules, state, seat, mark);
        apply(rules, state);
        go_on(rules, state);
    }
    recorder->replay->over = state->stage == OVER;
    for (int seat = 0; seat < rules->seats && recorder->replay->over; seat++) {
        recorder->replay->ranks[seat] = (int8_t)rank_of(rules, state, seat);
        write_score(state, seat, recorder->replay->scores[seat]);
    }
}

EXPORT size_t EXPORTED(names_size)(void) { return sizeof(Names); }

EXPORT size_t EXPORTED(replay_size)(void) { return sizeof(Replay); }

/* Return 1 if the record is the one that the rules give. Return 0 if it is not, or if the plain engine must find out:
 * then nothing else is a result. `records_release` frees the results. */
EXPORT int32_t EXPORTED(replay)(Replay *replay) {
    Recorder recorder = {.replay = replay, .writes = !replay->steps || replay->packs};
    Natural number = {NULL, 0};
    Digits digits = {NULL, 0, 0};
    Token *tokens = NULL;
    bool readable;
    if (replay->steps) readable = (tokens = read_document(replay->steps, replay->steps_size, &recorder.count));
    else readable = unpack(&number, replay);
    recorder.steps = tokens;
    if (replay->packs && tokens)
        for (int64_t i = 0; i < recorder.count; i++) replay->defaults |= is_text(tokens + i, "default");
    if (readable) {
        begin_list(&recorder, tokens ? tokens->number : 0);
        play(replay->rules, &recorder, &number, &digits);
        end_list(&recorder);
    }
    bool same = readable && !recorder.differs && recorder.compared == recorder.count && !number.count &&
                !recorder.text.lost && (!replay->packs || (replay->over && pack(&digits, replay)));
    replay->text = recorder.text.bytes;
    replay->text_size = recorder.text.size;
    free(tokens);
    free(number.parts);
    free(digits.digits);
    return same;
}
