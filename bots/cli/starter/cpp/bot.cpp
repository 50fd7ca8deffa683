// A bot that plays one seat of one game. The decisions are in strategy.hpp.
#include <iostream>

#include "bot.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    play(std::cin, std::cout);
}
