#ifndef STRATEGY_H
#define STRATEGY_H

#include <stdint.h>
#include <stdio.h>

#include "json.h"

/* One seat in one game. It lasts until the game ends. */
typedef struct {
    int seat;
    uint64_t dice;
} Strategy;

/* Begin a game. The same seed gives the same game. */
Strategy strategy_new(const Json *hello);

/* Write the move. */
void strategy_choose(Strategy *strategy, const Json *decision, const Json *view, FILE *out);

#endif
