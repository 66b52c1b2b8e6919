#include "board.h"

#include <algorithm>
#include <stdexcept>

namespace {

bool is_on_board(Square square) {
    return 0 <= square.x && square.x < Board::SIDE && 0 <= square.y && square.y < Board::SIDE;
}

char other(char color) { return color == Board::WHITE ? Board::BLACK : Board::WHITE; }

bool is_color(char symbol) { return symbol == Board::WHITE || symbol == Board::BLACK; }

bool is_symbol(char symbol) { return symbol == Board::EMPTY || is_color(symbol); }

bool is_blank(char symbol) { return std::string(" \t\r\n/").find(symbol) != std::string::npos; }

std::string name(Square square) { return std::to_string(square.x) + std::to_string(square.y); }

}  // namespace

std::optional<Move> parse_move(const std::string& text) {
    if (text.size() != 2 && (text.size() != 5 || text[2] != '-')) {
        return std::nullopt;
    }
    Square first{text[0] - '0', text[1] - '0'};
    Square last{text[text.size() - 2] - '0', text[text.size() - 1] - '0'};
    if (!is_on_board(first) || !is_on_board(last)) {
        return std::nullopt;
    }
    return text.size() == 2 ? Move{std::nullopt, last} : Move{first, last};
}

std::string format_move(const Move& move) {
    return (move.origin ? name(*move.origin) + "-" : "") + name(move.target);
}

const std::string Board::START_FILE =
    "........\r\n........\r\n........\r\n........\r\n"
    "........\r\n........\r\n........\r\n........\r\nW\r\n";

Board::Board(const std::string& text) {
    std::string symbols;
    std::copy_if(text.begin(), text.end(), std::back_inserter(symbols),
                 [](char symbol) { return !is_blank(symbol); });
    if (symbols.size() != chips_.size() + 1 || !is_color(symbols.back())
        || !std::all_of(symbols.begin(), symbols.end(), is_symbol)) {
        throw std::runtime_error(
            "expected 8 lines of 8 symbols `.`, `W` or `B`, and a line with the color to move");
    }
    std::copy_n(symbols.begin(), chips_.size(), chips_.begin());
    to_move_ = symbols.back();
}

std::string Board::to_text(std::string layout) const {
    std::size_t count = 0;
    for (char& symbol : layout) {
        if (is_symbol(symbol)) {
            symbol = count < chips_.size() ? chips_[count] : to_move_;
            count++;
        }
    }
    return layout;
}

int Board::count(char color) const {
    return static_cast<int>(std::count(chips_.begin(), chips_.end(), color));
}

std::vector<Move> Board::legal_moves() {
    std::vector<std::optional<Square>> origins;
    if (count(to_move_) < CHIPS) {
        origins.push_back(std::nullopt);
    }
    std::vector<Square> squares;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            squares.push_back({x, y});
            if (count(to_move_) == CHIPS && chip_at({x, y}) == to_move_) {
                origins.push_back(Square{x, y});
            }
        }
    }
    std::vector<Move> moves;
    for (const auto& origin : origins) {
        for (Square target : squares) {
            if (is_legal({origin, target})) {
                moves.push_back({origin, target});
            }
        }
    }
    return moves;
}

bool Board::is_legal(const Move& move) {
    bool is_adding = count(to_move_) < CHIPS;
    if (!move.origin) {
        return is_adding && may_stand(move.target);
    }
    if (is_adding || *move.origin == move.target || chip_at(*move.origin) != to_move_) {
        return false;
    }
    // The chip is in the hand while it steps, and nobody's neighbor.
    chip(*move.origin) = EMPTY;
    bool is_legal = may_stand(move.target);
    chip(*move.origin) = to_move_;
    return is_legal;
}

bool Board::may_stand(Square square) const {
    // The edges that are the other's goals; the corners are on the edges of both.
    int forbidden = to_move_ == WHITE ? square.y : square.x;
    if (chip_at(square) != EMPTY || forbidden == 0 || forbidden == SIDE - 1) {
        return false;
    }
    std::vector<Square> near = friends(square);
    return near.empty() || (near.size() == 1 && friends(near[0]).empty());
}

std::vector<Square> Board::friends(Square square) const {
    std::vector<Square> found;
    for (int y = square.y - 1; y <= square.y + 1; y++) {
        for (int x = square.x - 1; x <= square.x + 1; x++) {
            Square neighbor{x, y};
            if (!(neighbor == square) && chip_at(neighbor) == to_move_) {
                found.push_back(neighbor);
            }
        }
    }
    return found;
}

void Board::play(const Move& move) {
    if (move.origin) {
        chip(*move.origin) = EMPTY;
    }
    chip(move.target) = to_move_;
    to_move_ = other(to_move_);
}

void Board::undo(const Move& move) {
    to_move_ = other(to_move_);
    chip(move.target) = EMPTY;
    if (move.origin) {
        chip(*move.origin) = to_move_;
    }
}

char Board::chip_at(Square square) const {
    return is_on_board(square) ? chips_[square.y * SIDE + square.x] : ' ';
}

std::string Board::drawing() const {
    std::string text;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            text += chip_at({x, y});
            text += x + 1 < SIDE ? ' ' : '\n';
        }
    }
    return text + to_move_ + " is to move\n";
}
