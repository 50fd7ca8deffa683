/* For games without a record. The rules note chance, forced moves and revealed choices where they happen, and here
 * these notes are nothing, so that they take no time in a batch. recorder.h defines the others. */
#define NOTE_DECK(state, name, items, count, names)
#define NOTE_SEATS(state, name, seats, count)
#define NOTE_SEAT(state, name, seat)
#define NOTE_FORCED(rules, state)
#define NOTE_CHOICES(rules, state)
