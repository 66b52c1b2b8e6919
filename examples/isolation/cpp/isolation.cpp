// Isolation on five by five squares: each side has one piece, which it first puts on any free square. Then a piece
// moves like a queen in chess, and nobody may ever go to the square that it leaves. Who cannot move has lost.

#include "rules.hpp"

#include <algorithm>
#include <array>

using plyground::Result;
using plyground::Side;

constexpr int SIZE = 5;

struct State {
    std::array<char, SIZE * SIZE> cells;
    Side turn;
};

constexpr char symbol(Side side) { return side == Side::First ? 'X' : 'O'; }

class Isolation : public plyground::Rules<State> {
    static int place(const State &state, char piece) {
        const auto found = std::find(state.cells.begin(), state.cells.end(), piece);
        return found == state.cells.end() ? -1 : static_cast<int>(found - state.cells.begin());
    }

    // The cells that the side to move can go to.
    static std::vector<int> targets(const State &state) {
        std::vector<int> found;
        const int at = place(state, symbol(state.turn));
        if (at < 0) {
            for (int cell = 0; cell < SIZE * SIZE; ++cell)
                if (state.cells[cell] == '.') found.push_back(cell);
            return found;
        }
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy) {
                if (!dx && !dy) continue;
                int x = at % SIZE + dx, y = at / SIZE + dy;
                for (; x >= 0 && x < SIZE && y >= 0 && y < SIZE; x += dx, y += dy) {
                    if (state.cells[y * SIZE + x] != '.') break;
                    found.push_back(y * SIZE + x);
                }
            }
        return found;
    }

    static std::string name(int cell) {
        return std::string(1, static_cast<char>('a' + cell % SIZE)) + std::to_string(cell / SIZE + 1);
    }

public:
    std::string description() const override {
        return "name isolation\nrule-set 5x5\ntitle Isolation\nsides Black White\nboard 5 5 XO\n"
               "hint a square such as b3\n"
               "lesson The aim: Who cannot move has lost.\n"
               "lesson A piece: Each side has one piece, and first puts it on any free square. From then on it "
               "moves like a queen in chess: any number of free squares in a line.\n"
               "lesson Dead squares: Nobody may ever go to a square that a piece has left.\n";
    }

    State start() const override {
        State state{{}, Side::First};
        state.cells.fill('.');
        return state;
    }

    std::vector<std::string> moves(const State &state) const override {
        std::vector<std::string> names;
        for (const int cell : targets(state)) names.push_back(name(cell));
        return names;
    }

    State play(const State &state, const std::string &move) const override {
        State after = state;
        if (const int at = place(state, symbol(state.turn)); at >= 0) after.cells[at] = '#';
        after.cells[(std::stoi(move.substr(1)) - 1) * SIZE + (move[0] - 'a')] = symbol(state.turn);
        after.turn = state.turn == Side::First ? Side::Second : Side::First;
        return after;
    }

    std::optional<Result> outcome(const State &state) const override {
        if (!targets(state).empty()) return {};
        return state.turn == Side::First ? Result::SecondWins : Result::FirstWins;
    }

    std::string text(const State &state) const override {
        std::string text;
        for (int row = 0; row < SIZE; ++row)
            text += std::string(&state.cells[row * SIZE], SIZE) + "/";
        return text + symbol(state.turn);
    }

    State read(const std::string &text) const override {
        State state = start();
        const auto side = text.back();
        if (text.size() != SIZE * (SIZE + 1) + 1 || (side != 'X' && side != 'O'))
            throw std::invalid_argument("expected 5 rows of 5 cells, then the side to move");
        for (int cell = 0; cell < SIZE * SIZE; ++cell) {
            state.cells[cell] = text[cell / SIZE * (SIZE + 1) + cell % SIZE];
            if (std::string(".#XO").find(state.cells[cell]) == std::string::npos)
                throw std::invalid_argument("expected cells of . and #, one X and one O");
        }
        state.turn = side == 'X' ? Side::First : Side::Second;
        return state;
    }

    Side turn(const State &state) const override { return state.turn; }

    std::optional<int> plies_left(const State &state) const override {
        return static_cast<int>(std::count(state.cells.begin(), state.cells.end(), '.'));
    }
};

int main() { return plyground::serve(Isolation()); }
