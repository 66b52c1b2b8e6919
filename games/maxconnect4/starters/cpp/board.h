// The board of Max-Connect4: its rules, its score and its state file.

#ifndef BOARD_H
#define BOARD_H

#include <array>
#include <string>
#include <vector>

class Board {
public:
    static constexpr int ROWS = 6;
    static constexpr int COLUMNS = 7;
    static constexpr int EMPTY = 0;

    // A state file without a piece.
    static const std::string EMPTY_FILE;

    // Reads a state file: 42 cells, the top row first, then the next player. Blanks do not matter,
    // nor does what the lines end in; in the line protocol that is `/`. Throws std::runtime_error.
    explicit Board(const std::string& text = EMPTY_FILE);

    // The text of a state file: that of the file `layout` with other digits in it.
    std::string to_text(std::string layout) const;

    // 1 or 2.
    int next_player() const { return next_player_; }

    // The columns that are not full. Columns are numbered from 0 to 6, from the left.
    std::vector<int> legal_moves() const;

    // The number of pieces on the board.
    int pieces() const;

    // The next player drops a piece into a column that is not full.
    void play(int column);

    // Takes back the move that was made in this column.
    void undo(int column);

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
