// Network, by a file exchange and by the line protocol.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "board.h"
#include "line.h"
#include "player.h"

namespace {

const char* const USAGE =
    "usage: network one-move INPUT OUTPUT DEPTH\n"
    "       network line\n"
    "and at the end, perhaps, --seed N: the same seed, the same moves\n";

std::string read(std::istream& file) {
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Binary, or some systems would change what the lines end in.
void write(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error(path + ": cannot write the file");
    }
}

// Reads a file, makes one move and writes the position after it in the same format.
void one_move(const std::string& input, const std::string& output, int depth, unsigned seed) {
    std::ifstream file(input, std::ios::binary);
    if (!file) {
        throw std::runtime_error(input + ": cannot read the file");
    }
    std::string layout = read(file);
    Board board(layout);
    std::cout << board.drawing() << "\n";
    if (board.legal_moves().empty()) {
        std::cout << "There is no legal move: the game is lost.\n";
        return;
    }
    Move move = choose_move(board, depth, seed);
    std::cout << board.to_move() << " plays " << format_move(move) << "\n\n";
    board.play(move);
    std::cout << board.drawing();
    write(output, board.to_text(layout));
}

// Takes `--seed N` out of the words; without it, every run is another.
unsigned take_seed(std::vector<std::string>& words) {
    auto place = std::find(words.begin(), words.end(), "--seed");
    if (words.end() - place < 2) {
        return std::random_device()();
    }
    unsigned seed = static_cast<unsigned>(std::stoul(place[1]));
    words.erase(place, place + 2);
    return seed;
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> words(argv + 1, argv + argc);
    unsigned seed = take_seed(words);
    std::string mode = words.empty() ? "" : words[0];
    if (mode == "one-move" && words.size() == 4) {
        one_move(words[1], words[2], std::stoi(words[3]), seed);
    } else if (mode == "line" && words.size() == 1) {
        talk(seed);
    } else {
        std::cerr << USAGE;
        return 2;
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
}
