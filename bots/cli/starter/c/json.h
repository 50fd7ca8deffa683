/* A reader and writer of JSON, because C has none in its standard library. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonType;

/* A value. Texts and keys are as written: the messages have no escapes in keys, kinds and cards. */
typedef struct Json {
    JsonType type;
    const char *key;        /* in an object */
    const char *text;       /* of a text or a number */
    struct Json *first;     /* the first item of a list or an object */
    struct Json *next;      /* the next item of the same list or object */
} Json;

/* Read one value from text, which is changed. NULL if it is not JSON. Free it with json_free. */
Json *json_parse(char *text);
void json_free(Json *json);

/* Write a value without spaces. */
void json_write(const Json *json, FILE *out);

/* The value of a key; a null value if it is missing. */
const Json *json_get(const Json *json, const char *key);

/* The item of a list at an index; a null value if there are not so many. */
const Json *json_at(const Json *json, int index);

int json_count(const Json *json);
int json_number(const Json *json);
bool json_is(const Json *json, const char *text);

#endif
