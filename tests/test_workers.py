"""The executor: results in order, and no thread left after an exception or Ctrl-C."""

import signal
import threading
import time

import numpy as np
import pytest

from nobi.evolution.fitness import Fitness
from nobi.networks import make_network
from nobi.workers import Executor, PartSizes, ThreadExecutor


@pytest.fixture
def no_threads_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@pytest.mark.usefixtures("no_threads_left")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_in_the_order_of_the_tasks(threads):
    def work(task):
        time.sleep(0.001 * (9 - task))  # later tasks finish earlier
        return task * task

    with ThreadExecutor(threads) as executor:
        assert executor.workers == threads
        assert executor.map(work, range(10)) == [task * task for task in range(10)]
        assert executor.map(work, []) == []


@pytest.mark.usefixtures("no_threads_left")
@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_cancels_the_tasks_that_have_not_begun(threads):
    begun = []

    def work(task):
        begun.append(task)
        time.sleep(0.01)
        if task == 2:
            raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        ThreadExecutor(threads).map(work, range(200))
    assert len(begun) < 100


@pytest.mark.usefixtures("no_threads_left")
@pytest.mark.parametrize("moment", [0, 1, 20])
def test_ctrl_c_cancels_the_tasks_that_have_not_begun(moment):
    begun = []
    main = threading.main_thread()

    def work(task):
        begun.append(task)
        if task == moment:
            signal.pthread_kill(main.ident, signal.SIGINT)
        time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        ThreadExecutor(2).map(work, range(300))
    assert len(begun) < 200


def test_fitness_uses_the_given_executor():
    class Counting(Executor):
        workers = 3
        tasks = 0

        def ranges(self, function, count, **_):
            self.tasks += count
            yield 0, count, function(0, count)

    network = make_network("mdrnn:hidden=1")
    candidates = np.zeros((4, network.weight_count(5)), np.float32)
    executor = Counting()
    found = Fitness("atari-go", [5], network, ["random"], 2, 0, executor=executor).measure(candidates, 0)
    assert executor.tasks == 4
    assert found.tolist() == Fitness("atari-go", [5], network, ["random"], 2, 0).measure(candidates, 0).tolist()


def parts_of(sizes):
    return [end - begin for begin, end in iter(sizes.take, None)]


def test_submitting_all_parts_takes_no_longer_than_one_part():
    # 1,000 items of 0.1 s for 1,000 workers, 1 ms for each part in the submitting process
    assert parts_of(PartSizes(1000, 1, 0.5, 1000, 0.1)) == [1] * 1000
    assert parts_of(PartSizes(1000, 1, 0.5, 1000, 0.1, 0.001))[:-1] == [3] * 333
    # few workers: their shares are larger anyway
    assert parts_of(PartSizes(1000, 1, 0.5, 4, 0.1, 0.001))[0] == 5


def test_workers_that_shorten_the_work():
    executor = ThreadExecutor(1000)
    assert executor.useful_workers(100.0) == 1000
    executor.serial_seconds = 0.001
    assert executor.useful_workers(0.0) == 1000  # unknown
    assert executor.useful_workers(100.0) == 316
    assert executor.useful_workers(1e-9) == 1
