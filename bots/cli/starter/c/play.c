/* The input and output: one message per line, one answer per line. You do not have to change this file. */
#define _GNU_SOURCE
#include "play.h"

#include <stdlib.h>

#include "strategy.h"

int play(FILE *in, FILE *out) {
    Strategy strategy = {0, 1};
    char *line = NULL;
    size_t size = 0;
    bool over = false;
    while (!over && getline(&line, &size, in) > 0) {
        Json *message = json_parse(line);
        if (!message) return 1;
        const Json *type = json_get(message, "type");
        if (json_is(type, "hello")) {
            strategy = strategy_new(message);
            fputs("{\"type\":\"ready\"}\n", out);
        } else if (json_is(type, "decide")) {
            fprintf(out, "{\"id\":%d,\"move\":", json_number(json_get(message, "id")));
            strategy_choose(&strategy, json_get(message, "decision"), json_get(message, "view"), out);
            fputs("}\n", out);
        } else {
            over = true;
        }
        fflush(out);
        json_free(message);
    }
    free(line);
    return 0;
}
