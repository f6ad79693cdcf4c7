"""What can be wrong with a record."""

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


class RecordError(Exception):
    """Why a record cannot be used: a kind, by which an import counts errors, and a sentence for the user."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason
