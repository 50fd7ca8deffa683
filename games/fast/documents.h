/* Documents: read from the format of Python's module `marshal`, written as JSON. */
#ifndef ESR_DOCUMENTS_H
#define ESR_DOCUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Tokens ---------------------------------------------------------------------------------------------------- */

/* A LIST is followed by its items; an OBJECT by its keys, each with its value, and an END. */
typedef enum { NUMBER, TEXT, TRUE, LIST, OBJECT, END } Kind;

typedef struct {
    const char *text;
    int32_t number; /* or the length of the text or of the list */
    uint8_t kind;
} Token;

/* The document that is being read. A reference repeats an earlier number or text. */
typedef struct {
    const uint8_t *next;
    const uint8_t *end;
    Token *tokens;
    int64_t count;
    int64_t *references; /* the token of each number, text, list and object that can be repeated */
    int64_t reference_count;
} Marshal;

static int64_t read_integer(Marshal *data, int bytes) {
    if (data->end - data->next < bytes) return -1;
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)data->next[i] << 8 * i;
    data->next += bytes;
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}

/* Read one value. Return false for anything but small integers, ASCII texts, true, lists, and objects, which is all
 * that steps of a record contain. */
static bool read_value(Marshal *data, int depth) {
    enum { MAX_DEPTH = 8, REFERABLE = 0x80 };
    if (data->next == data->end || depth > MAX_DEPTH) return false;
    uint8_t code = *data->next++;
    int64_t place = data->count, length = -1;
    Token *token = data->tokens + data->count++;
    if (code & REFERABLE) data->references[data->reference_count++] = place;
    switch (code & ~REFERABLE) {
    case 'T': token->kind = TRUE; return true;
    case 'i':
        if (data->end - data->next < 4) return false;
        *token = (Token){NULL, (int32_t)read_integer(data, 4), NUMBER};
        return true;
    case 'z':
    case 'Z': length = read_integer(data, 1); break;
    case 'a':
    case 'A': length = read_integer(data, 4); break;
    case 'r': {
        int64_t reference = read_integer(data, 4);
        if (reference < 0 || reference >= data->reference_count) return false;
        *token = data->tokens[data->references[reference]];
        return token->kind == NUMBER || token->kind == TEXT;
    }
    case '[':
        length = read_integer(data, 4);
        *token = (Token){NULL, (int32_t)length, LIST};
        for (int64_t i = 0; i < length; i++)
            if (!read_value(data, depth + 1)) return false;
        return length >= 0;
    case '{':
        token->kind = OBJECT;
        while (data->next < data->end && *data->next != '0')
            if (!read_value(data, depth + 1) || !read_value(data, depth + 1)) return false;
        if (data->next++ == data->end) return false;
        data->tokens[data->count++].kind = END;
        return true;
    default: return false;
    }
    if (length < 0 || data->end - data->next < length) return false;
    *token = (Token){(const char *)data->next, (int32_t)length, TEXT};
    data->next += length;
    return true;
}

/* Return the tokens of a document and their number, or NULL if it cannot be read. The caller frees them. Each token
 * takes at least one byte of the document. */
static Token *read_document(const uint8_t *bytes, int64_t size, int64_t *count) {
    Token *tokens = malloc((size_t)size * (sizeof(Token) + sizeof(int64_t)) + 1);
    if (!tokens) return NULL;
    Marshal data = {bytes, bytes + size, tokens, 0, (int64_t *)(tokens + size), 0};
    bool whole = read_value(&data, 0) && data.next == data.end;
    *count = data.count;
    if (whole) return tokens;
    free(tokens);
    return NULL;
}

/* Texts are short and mostly differ at once, so a loop takes less time than a function of the library. */
static bool is_text(const Token *token, const char *text) {
    if (token->kind != TEXT) return false;
    for (int i = 0; i < token->number; i++)
        if (!text[i] || text[i] != token->text[i]) return false;
    return !text[token->number];
}

/* Return the place of the text of a token among `count` texts, or -1. */
static int place_of_text(const Token *token, const char *const *texts, int count) {
    for (int i = 0; i < count; i++)
        if (is_text(token, texts[i])) return i;
    return -1;
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

/* A text that grows. It is lost if there is no memory for it. */
typedef struct {
    char *bytes;
    int64_t size;
    int64_t capacity;
    bool lost;
} Text;

static bool reserve(Text *text, int64_t size) {
    if (!text->lost && text->size + size > text->capacity) {
        int64_t capacity = 2 * (text->size + size);
        char *larger = realloc(text->bytes, (size_t)capacity);
        if (larger) text->bytes = larger, text->capacity = capacity;
        else text->lost = true;
    }
    return !text->lost;
}

static void append(Text *text, char byte) {
    if (reserve(text, 1)) text->bytes[text->size++] = byte;
}

/* Append a comma if another value is before the next one in the same list or object. */
static void begin_value(Text *text) {
    char last = text->size ? text->bytes[text->size - 1] : '[';
    if (last != '[' && last != '{' && last != ':') append(text, ',');
}

static void append_number(Text *text, int number) {
    enum { DIGITS = 10 };
    char digits[DIGITS];
    int count = 0;
    uint32_t left = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    do digits[count++] = (char)('0' + left % 10);
    while (left /= 10);
    begin_value(text);
    if (number < 0) append(text, '-');
    while (count) append(text, digits[--count]);
}

/* Append a text that needs no escapes, in quotes if it is a string. */
static void append_text(Text *text, const char *string, bool quoted) {
    size_t length = strlen(string);
    begin_value(text);
    if (quoted) append(text, '"');
    if (!reserve(text, (int64_t)length)) return;
    memcpy(text->bytes + text->size, string, length);
    text->size += (int64_t)length;
    if (quoted) append(text, '"');
}

/* --- Integers without a limit ----------------------------------------------------------------------------------- */

/* A natural number of 32-bit parts, the least significant one first. The highest part is not 0. */
typedef struct {
    uint32_t *parts;
    int count;
} Natural;

/* Divide by a number and return the remainder. A multiplication estimates each quotient, which is at most a little too
 * small then, because a division takes several times as long. */
static uint32_t divide(Natural *number, uint32_t by) {
    const uint64_t inverse = UINT64_MAX / by;
    uint64_t rest = 0;
    for (int i = number->count - 1; i >= 0; i--) {
        rest = rest << 32 | number->parts[i];
        uint64_t quotient = (uint64_t)((unsigned __int128)rest * inverse >> 64);
        rest -= quotient * by;
        for (; rest >= by; rest -= by) quotient++;
        number->parts[i] = (uint32_t)quotient;
    }
    while (number->count && !number->parts[number->count - 1]) number->count--;
    return (uint32_t)rest;
}

/* Multiply by a number and add another one. There must be room for one more part. */
static void multiply_and_add(Natural *number, uint32_t by, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->parts[i] * by;
        number->parts[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) number->parts[number->count++] = (uint32_t)carry;
}

#endif
