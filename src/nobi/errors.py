"""The one kind of error that is the user's to mend."""


class NobiError(Exception):
    """Bad input: one clear sentence that says what to do. The command line prints it and exits with 2."""
