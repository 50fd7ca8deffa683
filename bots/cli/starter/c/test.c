/* Tests of the bot. Run them with `make test`. examples.json contains a hello message and real decisions. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "strategy.h"

static void require(bool holds, const char *fault) {
    if (holds) return;
    fprintf(stderr, "%s\n", fault);
    exit(1);
}

/* The whole examples.json, which json_parse changes. */
static char *read_examples(void) {
    static char text[1 << 20];
    FILE *file = fopen("examples.json", "r");
    require(file != NULL, "examples.json is missing");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static char *written(const Json *json) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_write(json, out);
    fclose(out);
    return text;
}

/* Play the examples, and return what the bot writes. */
static char *played(const Json *examples) {
    char *input = NULL, *output = NULL;
    size_t input_size = 0, output_size = 0;
    FILE *out = open_memstream(&input, &input_size);
    json_write(json_get(examples, "hello"), out);
    for (const Json *question = json_get(examples, "questions")->first; question; question = question->next) {
        fputc('\n', out);
        json_write(question, out);
    }
    fputc('\n', out);
    fclose(out);
    FILE *in = fmemopen(input, input_size, "r");
    out = open_memstream(&output, &output_size);
    require(play(in, out) == 0, "the bot did not understand a message");
    fclose(in);
    fclose(out);
    free(input);
    return output;
}

static void every_answer_has_the_id_of_its_question_and_is_legal(const Json *examples) {
    char *output = played(examples), *line = strtok(output, "\n");
    require(line && strcmp(line, "{\"type\":\"ready\"}") == 0, "the bot is not ready");
    for (const Json *question = json_get(examples, "questions")->first; question; question = question->next) {
        line = strtok(NULL, "\n");
        require(line != NULL, "an answer is missing");
        Json *answer = json_parse(line);
        require(answer != NULL, "an answer is not JSON");
        require(json_number(json_get(answer, "id")) == json_number(json_get(question, "id")), "wrong id");
        const Json *legal = json_get(json_get(question, "decision"), "legal");
        char *move = written(json_get(answer, "move"));
        bool found = legal->type == JSON_NULL;
        for (const Json *each = legal->first; each; each = each->next) {
            char *text = written(each);
            found = found || strcmp(text, move) == 0;
            free(text);
        }
        require(found, move);
        free(move);
        json_free(answer);
    }
    free(output);
}

static void the_same_seed_gives_the_same_answers(const Json *examples) {
    char *first = played(examples), *second = played(examples);
    require(strcmp(first, second) == 0, "the same seed gives other answers");
    free(first);
    free(second);
}

int main(void) {
    Json *examples = json_parse(read_examples());
    require(examples != NULL, "examples.json is not JSON");
    every_answer_has_the_id_of_its_question_and_is_legal(examples);
    the_same_seed_gives_the_same_answers(examples);
    json_free(examples);
    puts("All tests passed.");
    return 0;
}
