/* What all games share: seats, and lists of encoded actions. */
#ifndef ESR_GAME_H
#define ESR_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include "chance.h"

enum { MAX_SEATS = 5, NONE = -1 };

/* A list of actions that is being written. */
typedef struct {
    uint8_t *actions;
    int count;
} List;

static inline void add(List *list, int action) { list->actions[list->count++] = (uint8_t)action; }

#endif
