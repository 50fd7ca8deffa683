#ifndef PLAY_H
#define PLAY_H

#include <stdio.h>

/* Play one seat of one game. Returns 1 if a message is not JSON. Write debug output to stderr. */
int play(FILE *in, FILE *out);

#endif
