"""Nim with seven matches by the protocol of rules, and what can be wrong with it, by the only argument: `fair` is
nothing, and by `again` taking two matches gives another turn.
"""

import sys
import time

MODE = sys.argv[1]
questions = 0


def facts(matches, side):
    result = "-" if matches > 0 else ("1-0", "0-1")[1 - side]
    if MODE == "result" and matches == 0:
        result = "2-0"
    if MODE == "no-moves" and matches == 0:
        result = "-"
    left = matches + (3 if MODE == "left" and matches == 4 else 0)
    text = f"{matches}/{'XO'[side]} {('first', 'second')[side]} {result} left {left}"
    if MODE == "changing":
        text += f" score {questions}"
    return text


def expand(position):
    matches, side = int(position[0]), "XO".index(position[-1])
    if MODE == "pass":
        print(f"pass {facts(matches - 1, side)}\nend")
        return
    for take in range(1, min(matches, 3) + 1):
        again = (MODE == "again" and take == 2 and matches > 2) or MODE == "one-side"
        after = facts(matches - take, side if again else 1 - side)
        if MODE == "nowhere" and take == 3:
            after = "nowhere"
        print("1" if MODE == "twice" else take, after)
    if MODE == "over" and matches == 0:
        print("1", facts(0, 1 - side))
    print("end")


for line in sys.stdin:
    questions += 1
    words = line.split()
    if MODE == "crash" and questions > 4:
        sys.exit(3)
    if MODE == "stall" and questions > 4:
        time.sleep(1000)
    if MODE == "debug":
        print("asked", words)
    if MODE == "exception" and questions > 4:
        print("error ValueError: no such square (nim.py, line 7)")
    if words[0] == "rules":
        print(f"rules 1\nname nim\nstart {facts(7, 0)}\nend")
    elif words[0] == "expand":
        for position in words[1:]:
            expand(position)
    elif words[0] == "read":
        matches, side = words[1].split("/")
        if MODE == "reading":
            matches = "1"
        print("position", facts(int(matches), "XO".index(side)))
    elif words[0] == "quit":
        break
    sys.stdout.flush()
