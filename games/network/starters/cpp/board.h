// The board of Network: Berkeley's rules about moves, and the state file.

#ifndef BOARD_H
#define BOARD_H

#include <array>
#include <optional>
#include <string>
#include <vector>

// The column from the left and the row from the top, both from 0.
struct Square {
    int x;
    int y;
};

inline bool operator==(Square a, Square b) { return a.x == b.x && a.y == b.y; }

// A move adds a chip, or takes one from its origin to another square.
struct Move {
    std::optional<Square> origin;
    Square target;
};

// Reads `34` or `34-56`; nothing if the text is no move.
std::optional<Move> parse_move(const std::string& text);

// Writes what parse_move reads.
std::string format_move(const Move& move);

// A position. What a network is, it does not know: that is yours to write.
class Board {
public:
    static constexpr int SIDE = 8;
    static constexpr int CHIPS = 10;
    static constexpr char EMPTY = '.';
    static constexpr char WHITE = 'W';
    static constexpr char BLACK = 'B';

    // The state file of the start, without a chip.
    static const std::string START_FILE;

    // Reads a state file: 64 squares, the top row first, then the color to move. Blanks do not
    // matter, nor does what the lines end in; in the line protocol that is `/`. Throws
    // std::runtime_error.
    explicit Board(const std::string& text = START_FILE);

    // The text of a state file: that of the file `layout` with other symbols in it.
    std::string to_text(std::string layout) const;

    // WHITE or BLACK.
    char to_move() const { return to_move_; }

    // The number of chips of a color on the board.
    int count(char color) const;

    // The moves of the color to move.
    std::vector<Move> legal_moves();

    // Returns true if the color to move may make a move.
    bool is_legal(const Move& move);

    // Makes a legal move.
    void play(const Move& move);

    // Takes back the last move.
    void undo(const Move& move);

    // The board as people look at it.
    std::string drawing() const;

private:
    bool may_stand(Square square) const;
    std::vector<Square> friends(Square square) const;
    char& chip(Square square) { return chips_[square.y * SIDE + square.x]; }
    // The contents of a square; a blank beyond the edges.
    char chip_at(Square square) const;

    std::array<char, SIDE * SIDE> chips_;  // The top row first.
    char to_move_;
};

#endif
