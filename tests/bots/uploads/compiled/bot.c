/* A whole bot with nothing but the C library: it answers every question with its default move. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of the JSON value that begins at `at`. */
static const char *end_of_value(const char *at) {
    int depth = 0;
    for (int in_text = 0; *at; at++) {
        if (in_text) {
            if (*at == '\\') at++;
            else if (*at == '"') in_text = 0;
        } else if (*at == '"') in_text = 1;
        else if (*at == '[' || *at == '{') depth++;
        else if (*at == ']' || *at == '}') { if (depth-- == 0) return at; }
        else if (*at == ',' && depth == 0) return at;
    }
    return at;
}

/* The value of the first `key` from `at` on. */
static const char *value_of(const char *at, const char *key) {
    const char *found = strstr(at, key);
    return found ? found + strlen(key) : NULL;
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\"}");
        if (strstr(line, "\"type\":\"decide\"")) {
            const char *id = value_of(line, "\"id\":");
            const char *move = value_of(value_of(line, "\"decision\":"), "\"default\":");
            printf("{\"id\":%.*s,\"move\":%.*s}\n", (int)(end_of_value(id) - id), id, (int)(end_of_value(move) - move), move);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
