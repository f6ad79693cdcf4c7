"""Random lines for both engines: `python .ci/fuzz.py --lines 100000 [--seed 1]`.

No line crashes or blocks an engine, and every answer has the form of its protocol. The tests make fewer lines.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from helpers.fuzzing import check_gtp, check_json, random_gtp_line, random_json_line, rng_of
from nobi.players import scoring

_BLOCK = 1000


def main() -> None:
    """Send the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000, help="of each protocol")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scoring.PLAYOUTS = 4  # the score itself does not matter here
    start = time.monotonic()
    answers = 0
    for block in range(0, options.lines, _BLOCK):
        rng = rng_of(options.seed * 10**9 + block)
        count = min(_BLOCK, options.lines - block)
        answers += check_json([random_json_line(rng, i) for i in range(count)])
        check_gtp([random_gtp_line(rng) for _ in range(count)], rng)
    print(
        f"{options.lines:,} lines of JSON with {answers:,} answers and {options.lines:,} lines of GTP in "
        f"{time.monotonic() - start:.0f} s: no crash, and all answers are of the protocols."
    )


if __name__ == "__main__":
    main()
