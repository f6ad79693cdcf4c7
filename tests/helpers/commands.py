"""The command line, called inside this process."""

import re

from nobi.cli import run

PASSING = re.compile(r"Compiling |nobi: .* so far")
"""Prefixes of lines that depend on the cache and the speed of the machine: compilation and progress."""


def call(capsys, *arguments):
    """The exit code, standard output and standard error of a command."""
    try:
        code = run(arguments)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    err = "".join(line for line in err.splitlines(keepends=True) if not PASSING.match(line))
    return code, out, err
