import sys

EMPTY = "0"
WIDTH = 7
HEIGHT = 6


class State:
    def __init__(self, text):
        words = text.split()
        self.turn = words[-1]
        self.stacks = ["".join(row[i] for row in reversed(words[:-1])).rstrip(EMPTY) for i in range(WIDTH)]

    def other(self):
        return "2" if self.turn == "1" else "1"

    def moves(self):
        order = sorted(range(WIDTH), key=lambda i: abs(i - WIDTH // 2))
        return filter(lambda i: len(self.stacks[i]) < HEIGHT, order)

    def at(self, x, y):
        if not 0 <= x < WIDTH or not 0 <= y < len(self.stacks[x]):
            return None
        return self.stacks[x][y]

    def play(self, i):
        self.stacks[i] += self.turn
        self.turn = self.other()

    def undo(self, i):
        self.turn = self.other()
        self.stacks[i] = self.stacks[i][:-1]

    def fours(self, who):
        found = 0
        for dx, dy in [(1, 0), (0, 1), (1, 1), (1, -1)]:
            x = 0
            while x < WIDTH:
                y = 0
                while y < HEIGHT:
                    cells = {self.at(x + k * dx, y + k * dy) for k in (0, 1, 2, 3)}
                    found += cells == {who}
                    y += 1
                x += 1
        return found


class Player:
    def __init__(self, depth):
        self.limit = depth

    def maximum(self, state, left):
        results = [self.after(state, i, left, self.minimum) for i in state.moves()]
        return max(results) if results and left else self.guess(state, state.turn)

    def minimum(self, state, left):
        results = [self.after(state, i, left, self.maximum) for i in state.moves()]
        return min(results) if results and left else self.guess(state, state.other())

    def after(self, state, i, left, next_one):
        if left == 0:
            return 0
        state.play(i)
        result = next_one(state, left - 1)
        state.undo(i)
        return result

    def guess(self, state, who):
        rival = "1" if who == "2" else "2"
        return 10 * state.fours(who) - 10 * state.fours(rival)

    def choose(self, state):
        return max(state.moves(), key=lambda i: self.after(state, i, self.limit, self.minimum))


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        state = State(file.read())
    state.play(Player(int(sys.argv[4])).choose(state))
    with open(sys.argv[3], "w") as file:
        for y in reversed(range(HEIGHT)):
            print("".join(state.at(x, y) or EMPTY for x in range(WIDTH)), file=file)
        print(state.turn, file=file)
