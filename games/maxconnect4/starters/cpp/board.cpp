#include "board.h"

#include <algorithm>
#include <stdexcept>

namespace {

bool is_digit(char symbol) { return symbol >= '0' && symbol <= '2'; }

bool is_blank(char symbol) { return std::string(" \t\r\n/").find(symbol) != std::string::npos; }

}  // namespace

std::optional<Move> parse_move(const std::string& text) {
    bool is_column = text.size() == 1 && '1' <= text[0] && text[0] < '1' + Board::COLUMNS;
    return is_column ? std::optional<Move>(text[0] - '1') : std::nullopt;
}

std::string format_move(Move column) { return std::to_string(column + 1); }

const std::string Board::START_FILE =
    "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1\r\n";

Board::Board(const std::string& text) {
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
                 [](char symbol) { return !is_blank(symbol); });
    if (digits.size() != cells_.size() + 1 || digits.back() == '0'
        || !std::all_of(digits.begin(), digits.end(), is_digit)) {
        throw std::runtime_error(
            "expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player");
    }
    for (std::size_t i = 0; i < cells_.size(); i++) {
        cells_[i] = digits[i] - '0';
    }
    next_player_ = digits.back() - '0';
}

std::string Board::to_text(std::string layout) const {
    std::size_t count = 0;
    for (char& symbol : layout) {
        if (is_digit(symbol)) {
            int digit = count < cells_.size() ? cells_[count] : next_player_;
            symbol = static_cast<char>('0' + digit);
            count++;
        }
    }
    return layout;
}

std::vector<Move> Board::legal_moves() const {
    std::vector<Move> moves;
    for (int column = 0; column < COLUMNS; column++) {
        if (is_legal(column)) {
            moves.push_back(column);
        }
    }
    return moves;
}

int Board::pieces() const {
    return static_cast<int>(cells_.size() - std::count(cells_.begin(), cells_.end(), EMPTY));
}

void Board::play(Move column) {
    int row = ROWS - 1;
    while (cells_[row * COLUMNS + column] != EMPTY) {
        row--;
    }
    cells_[row * COLUMNS + column] = next_player_;
    next_player_ = 3 - next_player_;
}

void Board::undo(Move column) {
    int row = 0;
    while (cells_[row * COLUMNS + column] == EMPTY) {
        row++;
    }
    cells_[row * COLUMNS + column] = EMPTY;
    next_player_ = 3 - next_player_;
}

int Board::score(int player) const {
    int score = 0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            // Right, up, and the two diagonals: rows are counted from the top.
            score += is_four(player, row, column, 0, 1) + is_four(player, row, column, 1, 0)
                + is_four(player, row, column, 1, 1) + is_four(player, row, column, 1, -1);
        }
    }
    return score;
}

bool Board::is_four(int player, int row, int column, int down, int right) const {
    for (int i = 0; i < 4; i++) {
        int y = row + i * down;
        int x = column + i * right;
        if (y >= ROWS || x < 0 || x >= COLUMNS || cells_[y * COLUMNS + x] != player) {
            return false;
        }
    }
    return true;
}

std::string Board::drawing() const {
    const std::string border = " -----------------\n";
    std::string text = border;
    for (int row = 0; row < ROWS; row++) {
        text += " | ";
        for (int column = 0; column < COLUMNS; column++) {
            text += std::to_string(cells_[row * COLUMNS + column]) + ' ';
        }
        text += "| \n";
    }
    return text + border + "Score: Player 1 = " + std::to_string(score(1))
        + ", Player 2 = " + std::to_string(score(2)) + "\n";
}
