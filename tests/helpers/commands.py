"""The command line, called inside this process."""

from nobi.cli import run


def call(capsys, *arguments):
    """The exit code, standard output and standard error of a command."""
    try:
        code = run(arguments)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    err = "".join(line for line in err.splitlines(keepends=True) if not line.startswith("Compiling "))
    return code, out, err
