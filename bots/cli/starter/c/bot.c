/* A bot that plays one seat of one game. The decisions are in strategy.c. */
#include "play.h"

int main(void) {
    return play(stdin, stdout);
}
