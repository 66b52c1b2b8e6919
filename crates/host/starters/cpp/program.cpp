// @title@, by the command lines of the assignment and by the line protocol.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>

#include "board.h"
#include "line.h"
#include "player.h"

namespace {

const char* const USAGE =
    "usage: @program@ one-move INPUT OUTPUT DEPTH\n"
    "       @program@ interactive INPUT computer-next|human-next DEPTH\n"
    "       @program@ line\n"
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

void move_computer(Board& board, int depth, unsigned seed) {
    Move move = choose_move(board, depth, seed);
    std::cout << board.to_move() << " plays " << format_move(move) << "\n\n";
    board.play(move);
}

// Asks until the move is legal. False when there is nobody left to ask.
bool move_human(Board& board) {
    std::string line;
    while (true) {
        std::cout << board.to_move() << ", your move: " << std::flush;
        if (!std::getline(std::cin, line)) {
            std::cout << "\nNo more input.\n";
            return false;
        }
        std::string word;
        std::istringstream(line) >> word;
        std::optional<Move> move = parse_move(word);
        if (move && board.is_legal(*move)) {
            board.play(*move);
            return true;
        }
        std::cout << "That is not a legal move.\n";
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
        std::cout << "There is no legal move: the game is over.\n";
        return;
    }
    move_computer(board, depth, seed);
    std::cout << board.drawing();
    write(output, board.to_text(layout));
}

// Plays with a human until the game is over. Without the file it begins at the start.
void interactive(const std::string& input, bool computer_next, int depth, unsigned seed) {
    std::ifstream file(input, std::ios::binary);
    std::string layout = file ? read(file) : Board::START_FILE;
    Board board(layout);
    auto first = board.to_move();
    std::cout << board.drawing() << "\n";
    while (!board.legal_moves().empty()) {
        // In some games a move keeps the turn.
        bool is_computer = (board.to_move() == first) == computer_next;
        if (is_computer) {
            move_computer(board, depth, seed);
        } else if (!move_human(board)) {
            return;
        }
        write(is_computer ? "computer.txt" : "human.txt", board.to_text(layout));
        std::cout << board.drawing() << "\n";
    }
    std::cout << "There is no legal move: the game is over.\n";
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
    } else if (mode == "interactive" && words.size() == 4) {
        interactive(words[1], words[2] == "computer-next", std::stoi(words[3]), seed);
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
