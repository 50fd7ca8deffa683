#include "json.h"

#include <stdlib.h>
#include <string.h>

static const Json NOTHING = {JSON_NULL, NULL, NULL, NULL, NULL};

static char *skip(char *at) {
    return at + strspn(at, " \t\r\n");
}

/* Read a text: *at is behind its first quotation mark, and then behind the last one, which ends the text. */
static char *read_text(char **at) {
    char *start = *at;
    for (char *end = start; *end; end++) {
        if (*end == '\\' && end[1]) {
            end++;
        } else if (*end == '"') {
            *end = '\0';
            *at = end + 1;
            return start;
        }
    }
    return NULL;
}

static Json *read_value(char **at);

/* Read the items of a list or an object up to its closing bracket. */
static bool read_items(Json *json, char **at, char close) {
    Json **last = &json->first;
    for (*at = skip(*at); **at != close; *at = skip(*at)) {
        char *key = NULL;
        if (json->first && *(*at)++ != ',') return false;
        *at = skip(*at);
        if (close == '}') {
            if (*(*at)++ != '"' || !(key = read_text(at))) return false;
            *at = skip(*at);
            if (*(*at)++ != ':') return false;
        }
        if (!(*last = read_value(at))) return false;
        (*last)->key = key;
        last = &(*last)->next;
    }
    (*at)++;
    return true;
}

static Json *read_value(char **at) {
    Json *json = calloc(1, sizeof(Json));
    if (!json) return NULL;
    *at = skip(*at);
    char first = **at;
    bool ok = true;
    if (first == '{' || first == '[') {
        json->type = first == '{' ? JSON_OBJECT : JSON_LIST;
        (*at)++;
        ok = read_items(json, at, first == '{' ? '}' : ']');
    } else if (first == '"') {
        json->type = JSON_TEXT;
        (*at)++;
        ok = (json->text = read_text(at)) != NULL;
    } else {
        static const struct { const char *word; JsonType type; } WORDS[] = {
            {"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE},
        };
        json->type = JSON_NUMBER;
        json->text = *at;
        for (int index = 0; index < 3; index++) {
            if (strncmp(*at, WORDS[index].word, strlen(WORDS[index].word)) == 0) json->type = WORDS[index].type;
        }
        *at += strcspn(*at, ",]} \t\r\n");
        ok = *at > json->text;
    }
    if (ok) return json;
    json_free(json);
    return NULL;
}

Json *json_parse(char *text) {
    Json *json = read_value(&text);
    if (json && *skip(text)) {
        json_free(json);
        return NULL;
    }
    return json;
}

void json_free(Json *json) {
    while (json) {
        Json *next = json->next;
        json_free(json->first);
        free(json);
        json = next;
    }
}

void json_write(const Json *json, FILE *out) {
    if (json->type == JSON_TEXT) {
        fprintf(out, "\"%s\"", json->text);
    } else if (json->type == JSON_LIST || json->type == JSON_OBJECT) {
        fputc(json->type == JSON_LIST ? '[' : '{', out);
        for (const Json *item = json->first; item; item = item->next) {
            if (item != json->first) fputc(',', out);
            if (item->key) fprintf(out, "\"%s\":", item->key);
            json_write(item, out);
        }
        fputc(json->type == JSON_LIST ? ']' : '}', out);
    } else if (json->type == JSON_NUMBER) {
        fprintf(out, "%.*s", (int)strspn(json->text, "+-.0123456789eE"), json->text);
    } else {
        fputs(json->type == JSON_NULL ? "null" : json->type == JSON_TRUE ? "true" : "false", out);
    }
}

const Json *json_get(const Json *json, const char *key) {
    for (const Json *item = json->first; item; item = item->next) {
        if (item->key && strcmp(item->key, key) == 0) return item;
    }
    return &NOTHING;
}

const Json *json_at(const Json *json, int index) {
    const Json *item = json->first;
    while (item && index-- > 0) item = item->next;
    return item ? item : &NOTHING;
}

int json_count(const Json *json) {
    int count = 0;
    for (const Json *item = json->first; item; item = item->next) count++;
    return count;
}

int json_number(const Json *json) {
    return json->type == JSON_NUMBER ? (int)strtol(json->text, NULL, 10) : 0;
}

bool json_is(const Json *json, const char *text) {
    return json->type == JSON_TEXT && strcmp(json->text, text) == 0;
}
