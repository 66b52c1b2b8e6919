import sys


def free_columns(board):
    return [column for column in range(7) if board[0][column] == 0]


def drop(board, column, player):
    for row in range(5, -1, -1):
        if board[row][column] == 0:
            board[row][column] = player
            return row
    return -1


def count_lines(board, player):
    score = 0
    for row in range(6):
        for column in range(7):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + 3 * down, column + 3 * right
                if last_row > 5 or last_column > 6 or last_column < 0:
                    continue
                if all(board[row + i * down][column + i * right] == player for i in range(4)):
                    score += 1
    return score


def value(board, player):
    score = count_lines(board, player) - count_lines(board, 3 - player)
    for column in range(7):
        for row in range(6):
            if board[row][column] == player:
                score += 3 - abs(3 - column)
    return score


def search(board, player, depth, low, high):
    moves = free_columns(board)
    if depth == 0 or not moves:
        return value(board, player), None
    best = None
    for column in moves:
        row = drop(board, column, player)
        score = -search(board, 3 - player, depth - 1, -high, -low)[0]
        board[row][column] = 0
        if best is None or score > low:
            low, best = max(low, score), column
        if low >= high:
            break
    return low, best


def read(path):
    lines = open(path).read().split()
    board = [[int(digit) for digit in line] for line in lines[:6]]
    return board, int(lines[6])


def main():
    board, player = read(sys.argv[2])
    column = search(board, player, int(sys.argv[4]), -1000, 1000)[1]
    if column is not None:
        drop(board, column, player)
    with open(sys.argv[3], "w") as out:
        for row in board:
            out.write("".join(str(cell) for cell in row) + "\n")
        out.write(str(3 - player) + "\n")


main()
