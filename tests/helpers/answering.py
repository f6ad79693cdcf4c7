"""A small GTP engine with given answers to some commands, and an empty answer to all others."""

import json
import shlex
import sys


def answering(**answers):
    """The command line of an engine with these answers, by command; an answer that begins with '?' is a failure."""
    return shlex.join([sys.executable, "-S", "-E", __file__, json.dumps({"protocol_version": "2", **answers})])


if __name__ == "__main__":
    answers = json.loads(sys.argv[1])
    for line in sys.stdin:
        answer = answers.get(line.split()[0], "")
        sys.stdout.write(f"{answer}\n\n" if answer.startswith("?") else f"= {answer}\n\n")
        sys.stdout.flush()
        if line.startswith("quit"):
            break
