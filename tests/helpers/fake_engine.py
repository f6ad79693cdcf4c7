"""A small GTP engine that plays the points of a column upwards, then passes, and can misbehave.

Black plays column A, white column E, so that two of them do not interfere. `fake_engine.py MANNER [MOVE]`: at its
MOVE-th genmove (counted over all games, the first is 1), it
    good       does nothing wrong
    kgs        does nothing wrong, and knows KGS's time settings and GNU Go's seeds
    crash      ends with the exit code 3
    hang       stops responding
    chatty     answers twice
    slow       answers after half a second, at every move
    illegal    plays on an occupied point
    garbage    prints text that is not a response
    nonsense   answers with a word that is not a move
    endless    sends an endless response
    refuse     responds with a failure
    resign     resigns
    passes     passes, at every move
    busy       passes after a quarter of a second of work, at every move
    deaf       never answers
"""

import sys
import time

TAKEN = ("boardsize", "clear_board", "komi", "play", "time_settings", "time_left", "set_free_handicap")
MORE = ("kgs-time_settings", "set_random_seed")
manner = sys.argv[1]
bad_move = int(sys.argv[2]) if len(sys.argv) > 2 else 1
generated = 0
count = {"b": 0, "w": 0}


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def misbehave(colour):
    if manner == "crash":
        sys.exit(3)
    if manner == "hang":
        time.sleep(1000)
    if manner == "illegal":
        return "A1" if colour == "w" else "E1"
    if manner == "chatty":
        say("= A1\n\n")
    if manner == "garbage":
        say("Thinking hard\n\n")
    if manner == "nonsense":
        return "somewhere"
    if manner == "endless":
        say("= ")
        while True:
            say("and so on\n")
    if manner == "refuse":
        return None
    return "resign" if manner == "resign" else "pass"


def move(colour):
    global generated
    generated += 1
    if manner == "slow":
        time.sleep(0.5)
    elif manner in ("passes", "busy"):
        while manner == "busy" and time.process_time() < 0.25 * generated:
            pass
        return "pass"
    elif manner not in ("good", "kgs") and generated == bad_move:
        return misbehave(colour)
    count[colour] += 1
    return f"{'A' if colour == 'b' else 'E'}{count[colour]}" if count[colour] <= 4 else "pass"


for line in sys.stdin:
    words = line.split()
    if not words or manner == "deaf":
        continue
    if words[0] == "quit":
        say("= \n\n")
        break
    if words[0] == "clear_board":
        count = {"b": 0, "w": 0}
    if words[0] == "known_command":
        say(f"= {'true' if manner == 'kgs' and words[1] in MORE else 'false'}\n\n")
    elif words[0] == "protocol_version":
        say("= 2\n\n")
    elif words[0] in ("name", "version") and manner in ("good", "kgs"):
        say("= Fake\n\n" if words[0] == "name" else "= 1.0\n\n")
    elif words[0] == "genmove":
        chosen = move(words[1])
        say("? I would rather not\n\n" if chosen is None else f"= {chosen}\n\n")
    elif words[0] in TAKEN or (manner == "kgs" and words[0] in MORE):
        say("= \n\n")
    elif words[0] == "final_score":
        say("= B+1.5\n\n" if manner == "good" else "= nobody knows\n\n")
    else:
        say("? unknown command\n\n")
