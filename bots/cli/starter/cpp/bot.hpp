// The input and output: one message per line, one answer per line. You do not have to change this file.
#pragma once

#include <istream>
#include <optional>
#include <ostream>

#include "strategy.hpp"

// Play one seat of one game. Write debug output to std::cerr. Throws std::runtime_error if a message is not JSON.
inline void play(std::istream &in, std::ostream &out) {
    std::optional<Strategy> strategy;
    for (std::string line; std::getline(in, line);) {
        const Json message = Json::parse(line);
        if (message["type"].is("hello")) {
            strategy.emplace(message);
            out << "{\"type\":\"ready\"}" << std::endl;
        } else if (message["type"].is("decide")) {
            const Json move = strategy.value().choose(message["decision"], message["view"]);
            out << "{\"id\":" << message["id"].number() << ",\"move\":" << move.written() << "}" << std::endl;
        } else {
            return; // the end of the game
        }
    }
}
