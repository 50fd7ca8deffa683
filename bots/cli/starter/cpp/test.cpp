// Tests of the bot. Run them with `make test`. examples.json contains a hello message and real decisions.
#include <fstream>
#include <iostream>
#include <sstream>

#include "bot.hpp"

static void require(bool holds, const std::string &fault) {
    if (holds) return;
    std::cerr << fault << std::endl;
    std::exit(1);
}

// Play the examples, and return the lines that the bot writes.
static std::vector<std::string> played(const Json &examples) {
    std::stringstream in, out;
    in << examples["hello"].written() << '\n';
    for (const auto &[_, question] : examples["questions"].items) in << question.written() << '\n';
    play(in, out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    return lines;
}

int main() {
    std::stringstream text;
    text << std::ifstream("examples.json").rdbuf();
    const Json examples = Json::parse(text.str());
    const auto &questions = examples["questions"].items;
    const std::vector<std::string> lines = played(examples);
    require(lines.size() == questions.size() + 1, "an answer is missing");
    require(lines[0] == "{\"type\":\"ready\"}", "the bot is not ready");
    for (std::size_t index = 0; index < questions.size(); index++) {
        const Json &question = questions[index].second, answer = Json::parse(lines[index + 1]);
        require(answer["id"].number() == question["id"].number(), "wrong id");
        const Json &legal = question["decision"]["legal"];
        bool found = legal.is_null();
        for (const auto &[_, move] : legal.items) found = found || move.written() == answer["move"].written();
        require(found, "illegal: " + answer["move"].written());
    }
    require(lines == played(examples), "the same seed gives other answers");
    std::cout << "All tests passed." << std::endl;
}
