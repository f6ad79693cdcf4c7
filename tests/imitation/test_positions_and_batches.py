"""Positions by number and their batches, compared with a plain loop over the records."""

import threading

import numpy as np
import pytest
import torch

from helpers.records import collection_of, random_records
from nobi.board.stones import BLACK, WHITE
from nobi.imitation.data import AHEAD, NO_ANSWER, Positions, Reader, read_ahead
from nobi.records.collection import PASS_CODE, WHITE_BIT, span

PASSING = [
    {"size": 5, "moves": [(BLACK, None), (WHITE, (0, 1)), (BLACK, None), (WHITE, None), (BLACK, (2, 2))]},
    {"size": 5, "moves": []},
    {"size": 5, "moves": [(BLACK, None)]},
    {"size": 5, "moves": [(BLACK, (3, 3)), (BLACK, (1, 1)), (WHITE, None)]},
]


def plain_positions(games):
    """(game, ply, white) of every move that is not a pass, by a plain loop."""
    found = []
    for game in range(len(games.size)):
        for ply, code in enumerate(games.moves[games.start[game] : games.start[game + 1]].tolist()):
            if code & PASS_CODE != PASS_CODE:
                found.append((game, ply, bool(code & WHITE_BIT)))
    return found


@pytest.mark.parametrize("records", [PASSING, random_records(5, 6, seed=0)])
@pytest.mark.parametrize("first", [0, 1])
def test_positions_are_the_moves_that_are_not_passes(records, first):
    games = span(collection_of(records), first, len(records))
    positions = Positions(games)
    plain = plain_positions(games)
    places = positions.locate(np.arange(len(positions)))
    assert list(zip(*(array.tolist() for array in places), strict=True)) == plain
    assert len(positions) == len(plain)


@pytest.mark.parametrize("first", [0, 1])
def test_answers_and_results(first):
    records = [{**record, "result": 1 - i % 3} for i, record in enumerate([*PASSING, *random_records(5, 3, seed=2)])]
    games = span(collection_of(records), first, len(records))
    positions = Positions(games)
    places = positions.locate(np.arange(len(positions)))
    answers, results = positions.answers(places), positions.results(places)
    for i, (game, ply, white) in enumerate(plain_positions(games)):
        moves = records[first + game]["moves"]
        own = WHITE if white else BLACK
        follows = moves[ply + 1] if ply + 1 < len(moves) else (own, None)
        answered = follows[0] != own and follows[1] is not None
        assert answers[i] == (follows[1][0] * 5 + follows[1][1] if answered else NO_ANSWER)
        assert results[i] == records[first + game]["result"] * (-1 if white else 1)
    assert (answers == NO_ANSWER).any()


def test_boards_of_several_sizes_are_refused():
    with pytest.raises(ValueError, match="one size"):
        Positions(collection_of([{"size": 5}, {"size": 7}, PASSING[0]]))


def turn(cells, size, symmetry):
    """Boards, [i, …, n·n], mirrored left and right from symmetry 4 on, then turned anticlockwise."""
    boards = cells.reshape(*cells.shape[:-1], size, size)
    mirrored = boards[..., ::-1] if symmetry >= 4 else boards
    return np.rot90(mirrored, symmetry % 4, axes=(-2, -1)).reshape(cells.shape)


def test_planes_targets_and_legal_moves_are_transformed_alike():
    positions = Positions(collection_of(random_records(5, 5, seed=1)))
    numbers = np.arange(len(positions))
    reader = Reader([positions], "m15", torch.device("cpu"))
    plain = reader.read(0, numbers)
    for symmetry in range(8):
        turned = reader.read(0, numbers, np.full(len(numbers), symmetry, np.uint8))
        marks = np.zeros((len(numbers), 25), np.int64)
        marks[np.arange(len(numbers)), plain.target.numpy()] = 1
        assert turn(marks, 5, symmetry).argmax(1).tolist() == turned.target.tolist()
        assert (turn(plain.planes.flatten(2).numpy(), 5, symmetry) == turned.planes.flatten(2).numpy()).all()
        assert (turn(plain.legal.numpy(), 5, symmetry) == turned.legal.numpy()).all()
        assert turned.white.tolist() == plain.white.tolist()
        answered = plain.answer != NO_ANSWER
        marks[:] = 0
        marks[np.arange(len(numbers)), plain.answer.clamp_min(0).numpy()] = 1
        assert (turn(marks, 5, symmetry).argmax(1) == turned.answer.numpy())[answered.numpy()].all()
        assert ((turned.answer == NO_ANSWER) == ~answered).all()
    assert plain.legal.gather(1, plain.target[:, None]).all()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_batches_are_in_order_and_errors_are_raised(device):
    made = []

    def make(number):
        if number == 7:
            raise ZeroDivisionError
        made.append(number)
        return number

    with read_ahead(make, 2, 9, torch.device(device)) as next_batch:
        assert [next_batch() for _ in range(5)] == [2, 3, 4, 5, 6]
        with pytest.raises(ZeroDivisionError):
            next_batch()
        assert next_batch() == 8
    made.clear()
    with read_ahead(make, 10, 10_000, torch.device(device), 3) as next_batch:  # ended with unused batches
        assert next_batch() == 10
    assert len(made) <= 3


def test_the_queue_of_large_batches_is_short():
    reader = Reader([Positions(collection_of(random_records(5, 5, seed=1)))], "m15", torch.device("cpu"))
    assert reader.ahead(128) == AHEAD
    assert reader.ahead(10_000) == 3  # of 36 MB each
    assert reader.ahead(1_000_000) == 1


def test_batches_are_made_in_parallel():
    """Batches that wait for each other are completed only if several threads make them."""
    torch.set_num_threads(3)
    together = threading.Barrier(3)

    def make(number):
        together.wait(30)
        return number

    with read_ahead(make, 0, 6, torch.device("cpu"), 3) as next_batch:
        assert [next_batch() for _ in range(6)] == list(range(6))


def test_batches_are_made_ahead_for_a_gpu():
    made = [threading.Event() for _ in range(4)]

    def make(number):
        made[number].set()
        return number

    with read_ahead(make, 0, 4, torch.device("cuda"), 3) as next_batch:
        assert next_batch() == 0
        assert made[2].wait(30)
        assert not made[3].is_set()
