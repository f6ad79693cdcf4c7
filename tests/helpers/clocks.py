"""Clocks that do not depend on the speed of the machine."""

from types import SimpleNamespace

from nobi.search import limits
from nobi.search import search as search_module
from nobi.search.state import DONE


def count_playouts_as_milliseconds(monkeypatch, search):
    """Replace the clock of searches by one on which every playout of this search takes a millisecond."""

    def perf_counter():
        return 0.001 * sum(int(workspace.counts[DONE]) for workspace in search._workspaces)

    for module in (search_module, limits):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=perf_counter))
