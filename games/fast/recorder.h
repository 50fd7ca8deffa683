/* The record of a game that is played: each step is compared with a given record, written as JSON, or both.
 *
 * A game includes this file after its header and the struct Names, and before its rules, which note what happens. */
#ifndef ESR_RECORDER_H
#define ESR_RECORDER_H

#include "documents.h"

/* Marks of moves. Others are places in the list of reasons for default moves. */
enum { CHOSEN = -1, FORCED = -2, INVALID = -3 };

enum { MAX_COLUMNS = 5 }; /* of a score */

/* What Python passes and gets. games/fast/records.py has the same fields in the same order. */
typedef struct {
    const Rules *rules;
    const Names *names;
    const char *const *reasons; /* for default moves */
    const uint8_t *seed;
    const uint8_t *steps; /* of a record, in the format of `marshal`; NULL: play the choices */
    int64_t steps_size;
    const uint8_t *choices; /* of a compact record */
    int64_t choices_size;
    char *text; /* result: the steps as JSON */
    int64_t text_size;
    uint8_t *packed; /* result: the choices of a compact record */
    int64_t packed_size;
    int64_t forfeited_at[MAX_SEATS]; /* number of steps, or NONE */
    int32_t scores[MAX_SEATS][MAX_COLUMNS]; /* result */
    int8_t ranks[MAX_SEATS]; /* result */
    uint8_t forfeited[MAX_SEATS];
    uint8_t knows_forfeits; /* 0: any seat may have forfeited */
    uint8_t reason_count;
    uint8_t forfeit_reason; /* the reason for the moves of a seat that has forfeited */
    uint8_t defaults; /* whether choices can be default moves; a result if `packed` is one */
    uint8_t packs; /* whether to write `text` and `packed` for given steps */
    uint8_t over; /* result: whether the game is over */
} Replay;

/* The game. The state is the first member, so a pointer to it is a pointer to the recorder. */
typedef struct {
    State state;
    Replay *replay;
    const Token *steps; /* the given record, or NULL */
    int64_t count;
    int64_t compared; /* tokens before this one are equal to those of the rules */
    int64_t next; /* the first token of the next move to read */
    Text text;
    bool writes;
    bool differs; /* the record is not the one that the rules give, or it cannot be played here */
    int64_t recorded; /* steps */
    bool gone[MAX_SEATS]; /* has made a default move because of its forfeit */
    int8_t marks[MAX_SEATS]; /* of secret choices */
} Recorder;

/* --- Values ---------------------------------------------------------------------------------------------------- */

static const Token *to_compare(Recorder *recorder) {
    static const Token nothing = {NULL, 0, END};
    if (recorder->compared < recorder->count) return recorder->steps + recorder->compared++;
    recorder->differs = true;
    return &nothing;
}

static void put_number(Recorder *recorder, int number) {
    if (recorder->steps) {
        const Token *token = to_compare(recorder);
        recorder->differs |= token->kind != NUMBER || token->number != number;
    }
    if (recorder->writes) append_number(&recorder->text, number);
}

static void put_text(Recorder *recorder, const char *text) {
    if (recorder->steps) recorder->differs |= !is_text(to_compare(recorder), text);
    if (recorder->writes) append_text(&recorder->text, text, true);
}

static void put_key(Recorder *recorder, const char *key) {
    put_text(recorder, key);
    if (recorder->writes) append(&recorder->text, ':');
}

static void put_true(Recorder *recorder) {
    if (recorder->steps) recorder->differs |= to_compare(recorder)->kind != TRUE;
    if (recorder->writes) append_text(&recorder->text, "true", false);
}

static void begin_object(Recorder *recorder) {
    if (recorder->steps) recorder->differs |= to_compare(recorder)->kind != OBJECT;
    if (recorder->writes) begin_value(&recorder->text), append(&recorder->text, '{');
}

static void end_object(Recorder *recorder) {
    if (recorder->steps) recorder->differs |= to_compare(recorder)->kind != END;
    if (recorder->writes) append(&recorder->text, '}');
}

static void begin_list(Recorder *recorder, int length) {
    if (recorder->steps) {
        const Token *token = to_compare(recorder);
        recorder->differs |= token->kind != LIST || token->number != length;
    }
    if (recorder->writes) begin_value(&recorder->text), append(&recorder->text, '[');
}

static void end_list(Recorder *recorder) {
    if (recorder->writes) append(&recorder->text, ']');
}

/* --- Steps ----------------------------------------------------------------------------------------------------- */

/* Put the move that was chosen. */
static void put_move(const Rules *rules, Recorder *recorder, int seat);

/* Return the name of the decision that is asked. */
static const char *decision_name(const Recorder *recorder);

static void begin_chance(Recorder *recorder, const char *name, const char *key) {
    begin_object(recorder);
    put_key(recorder, "chance");
    put_text(recorder, name);
    put_key(recorder, key);
}

static void end_step(Recorder *recorder) {
    end_object(recorder);
    recorder->recorded++;
}

static void note_deck(State *state, const char *name, const uint8_t *items, int count, const char *const *names) {
    Recorder *recorder = (Recorder *)state;
    begin_chance(recorder, name, "cards");
    begin_list(recorder, count);
    for (int i = 0; i < count; i++) put_text(recorder, names[items[i]]);
    end_list(recorder);
    end_step(recorder);
}

/* A default move because of a forfeit follows the forfeit, and the seat makes no moves later (games/record.py). */
static void check_forfeit(Recorder *recorder, int seat, int mark) {
    const Replay *replay = recorder->replay;
    if (mark == replay->forfeit_reason) {
        recorder->gone[seat] = true;
        recorder->differs |=
            replay->knows_forfeits && (!replay->forfeited[seat] || replay->forfeited_at[seat] > recorder->recorded);
    } else {
        recorder->differs |= recorder->gone[seat] && mark != FORCED;
    }
}

static void note_move(const Rules *rules, State *state, int seat, int mark) {
    Recorder *recorder = (Recorder *)state;
    check_forfeit(recorder, seat, mark);
    begin_object(recorder);
    put_key(recorder, "seat");
    put_number(recorder, seat);
    put_key(recorder, "decision");
    put_text(recorder, decision_name(recorder));
    put_key(recorder, "move");
    put_move(rules, recorder, seat);
    if (mark == FORCED) put_key(recorder, "forced"), put_true(recorder);
    if (mark >= 0) put_key(recorder, "default"), put_text(recorder, recorder->replay->reasons[mark]);
    end_step(recorder);
}

#define NOTE_DECK(state, name, items, count, field) \
    note_deck(state, name, items, count, ((Recorder *)(state))->replay->names->field)

#define NOTE_FORCED(rules, state) note_move(rules, state, (state)->turn, FORCED)

#define NOTE_SEAT(state, name, seat) \
    do { \
        begin_chance((Recorder *)(state), name, "seat"); \
        put_number((Recorder *)(state), seat); \
        end_step((Recorder *)(state)); \
    } while (0)

#endif
