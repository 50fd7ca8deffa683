/* Chance outcomes of a seed, as in games/chance.py. */
#ifndef ESR_CHANCE_H
#define ESR_CHANCE_H

#include <stdint.h>

enum { SEED_BYTES = 32 };

/* Put `items` into the order of chance step number `occurrence`, from 0, of this name. */
void chance_shuffle(const uint8_t seed[SEED_BYTES], const char *name, unsigned occurrence, uint8_t *items, int count);

/* Return an integer from 0 to `bound` - 1 from chance step number `occurrence`, from 0, of this name. */
int chance_below(const uint8_t seed[SEED_BYTES], const char *name, unsigned occurrence, int bound);

#endif
