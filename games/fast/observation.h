/* An observation that is being written. A game includes this file after its structs `Rules` and `State`.
 *
 * Numbers are divided in double precision and rounded once, as NumPy rounds the numbers of the reference. */
#ifndef ESR_OBSERVATION_H
#define ESR_OBSERVATION_H

enum { CAP = 10 }; /* limit of numbers without a natural bound */

typedef struct {
    const Rules *rules;
    const State *state;
    int seat; /* that observes */
    float *next;
} Writer;

static void put(Writer *writer, double number) { *writer->next++ = (float)number; }

static void put_capped(Writer *writer, double number) { put(writer, number < CAP ? number : CAP); }

static void put_one_hot(Writer *writer, int index, int size) {
    for (int i = 0; i < size; i++) put(writer, i == index);
}

/* Return the seat at this distance clockwise from the seat that observes. */
static int seat_at(const Writer *writer, int distance) {
    int seat = writer->seat + distance, seats = writer->rules->seats;
    return seat < seats ? seat : seat - seats;
}

/* By seat, 1 for `seat`, which can be NONE. */
static void put_seat(Writer *writer, int seat) {
    for (int i = 0; i < writer->rules->seats; i++) put(writer, seat_at(writer, i) == seat);
}

#endif
