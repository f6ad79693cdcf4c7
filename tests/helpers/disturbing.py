"""Functions that end or delay their worker. Ray sends them by value, because nodes do not have this file."""

import os
import signal
import time
from pathlib import Path

from nobi.cluster import RayExecutor

LOOPBACK = {"node_ip_address": "127.0.0.1", "object_store_memory": 80 * 2**20, "include_dashboard": False}
"""Settings of nodes that listen on the loopback interface only."""


class Disturbing:
    """A function of parts; the first worker that calls it in the generation with this mark is killed."""

    def __init__(self, function, mark):
        self.function = getattr(function, "function", function)
        self._whole = function
        self._mark = Path(mark)

    def __call__(self, begin, end):
        if not self._mark.exists():
            self._mark.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return self._whole(begin, end)


class Slow:
    """A function of parts that takes at least some seconds for each."""

    def __init__(self, function, seconds):
        self.function = getattr(function, "function", function)
        self._whole = function
        self._seconds = seconds

    def __call__(self, begin, end):
        time.sleep(self._seconds)
        return self._whole(begin, end)


class Wrapping(RayExecutor):
    """Wraps the functions of its calls by `wrap(function, number of the call)`."""

    def __init__(self, wrap):
        import ray.cloudpickle

        import helpers.disturbing as own

        super().__init__("ray")
        ray.cloudpickle.register_pickle_by_value(own)
        self._wrap = wrap
        self._number = 0

    def ranges(self, function, count, **more):
        self._number += 1
        return super().ranges(self._wrap(function, self._number), count, **more)
