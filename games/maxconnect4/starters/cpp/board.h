// The board of Max-Connect4: its rules, its score and its state file.

#ifndef BOARD_H
#define BOARD_H

#include <array>
#include <optional>
#include <string>
#include <vector>

// A move is the number of a column, from 0 to 6, from the left.
using Move = int;

// Reads the number of a column, from 1; nothing if it is none.
std::optional<Move> parse_move(const std::string& text);

// Writes what parse_move reads.
std::string format_move(Move column);

class Board {
public:
    static constexpr int ROWS = 6;
    static constexpr int COLUMNS = 7;
    static constexpr int EMPTY = 0;

    // The state file of the start, without a piece.
    static const std::string START_FILE;

    // Reads a state file: 42 cells, the top row first, then the next player. Blanks do not matter,
    // nor does what the lines end in; in the line protocol that is `/`. Throws std::runtime_error.
    explicit Board(const std::string& text = START_FILE);

    // The text of a state file: that of the file `layout` with other digits in it.
    std::string to_text(std::string layout) const;

    // 1 or 2.
    int next_player() const { return next_player_; }

    // The side to move, for people.
    std::string to_move() const { return "Player " + std::to_string(next_player_); }

    // The columns that are not full.
    std::vector<Move> legal_moves() const;

    // Returns true if there is room in a column.
    bool is_legal(Move column) const { return cells_[column] == EMPTY; }

    // The number of pieces on the board.
    int pieces() const;

    // The next player drops a piece into a column that is not full.
    void play(Move column);

    // Takes back the move that was made in this column.
    void undo(Move column);

    // The points of a player: one for every four in a row.
    int score(int player) const;

    // The board as people look at it, with the score.
    std::string drawing() const;

private:
    bool is_four(int player, int row, int column, int down, int right) const;

    std::array<int, ROWS * COLUMNS> cells_;  // The top row first.
    int next_player_;
};

#endif
