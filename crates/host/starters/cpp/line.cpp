#include "line.h"

#include <iostream>
#include <sstream>

#include "player.h"

namespace {

// For a `go` that does not say how far to look ahead.
const int DEFAULT_DEPTH = @depth@;

// Answers, at once: a line that waits in a buffer is one that nobody hears.
void say(const std::string& line) { std::cout << line << std::endl; }

// The board that `position START moves M1 M2 ...` describes; `words` begins with START.
Board position(std::istringstream& words) {
    std::string word;
    words >> word;
    Board board = word == "startpos" ? Board() : Board(word);
    words >> word;  // `moves`, if there are any.
    while (words >> word) {
        std::optional<Move> move = parse_move(word);
        if (!move || !board.is_legal(*move)) {
            say("illegal " + word);
            break;
        }
        board.play(*move);
    }
    return board;
}

// How far `go depth N` says to look ahead; other limits may stand beside it.
int depth_of(std::istringstream& words) {
    int depth = DEFAULT_DEPTH;
    std::string word;
    while (words >> word) {
        if (word == "depth") {
            words >> depth;
        }
    }
    return depth;
}

}  // namespace

void talk(unsigned seed) {
    Board board;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command;
        words >> command;
        if (command == "newgame") {
            if (line.find(" @game@ @rules@ ") == std::string::npos) {
                say("info error: this game, or these rules, are not known");
            }
        } else if (command == "protocol") {
            say("protocol 1");
        } else if (command == "isready") {
            say("readyok");
        } else if (command == "position") {
            board = position(words);
        } else if (command == "go") {
            say("bestmove " + format_move(choose_move(board, depth_of(words), seed)));
        } else if (command == "quit") {
            return;
        }
    }
}
