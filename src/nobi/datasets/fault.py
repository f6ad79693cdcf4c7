"""What is wrong with a record."""

DAMAGED = "damaged-file"
TOO_LARGE = "too-large"
NOT_SGF = "not-sgf"
TRUNCATED = "truncated"
MALFORMED = "malformed"
WRONG_ENCODING = "wrong-encoding"
WRONG_GAME = "wrong-game"
BOARD_SIZE = "board-size"
BAD_POINT = "bad-point"
SETUP = "set-up"
NO_MOVES = "no-moves"
ILLEGAL_MOVE = "illegal-move"
DUPLICATE = "duplicate"
SYMMETRIC_DUPLICATE = "symmetric-duplicate"


class Fault(Exception):  # noqa: N818 (it is handed on and counted, not only raised)
    """Why a record is not taken: a kind, by which faults are counted, and a sentence for the reader."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason
