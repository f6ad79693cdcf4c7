"""A little GTP engine that gives the answers it is told to, and to every other command only that it is done."""

import json
import shlex
import sys


def answering(**answers):
    """The command of an engine with these answers, by command; one that begins with '?' is a refusal."""
    return shlex.join([sys.executable, "-S", "-E", __file__, json.dumps({"protocol_version": "2", **answers})])


if __name__ == "__main__":
    answers = json.loads(sys.argv[1])
    for line in sys.stdin:
        answer = answers.get(line.split()[0], "")
        sys.stdout.write(f"{answer}\n\n" if answer.startswith("?") else f"= {answer}\n\n")
        sys.stdout.flush()
        if line.startswith("quit"):
            break
