"""Errors caused by invalid input, and the exit codes of commands."""

from importlib.util import find_spec

INVALID_INPUT = 2
INTERRUPTED = 130


class NobiError(Exception):
    """Invalid input, described in one sentence with the remedy. The command line prints it and exits with 2."""


def sentence(error: Exception) -> str:
    """Return the message of an error of a settings dataclass, which is a phrase, as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def phrase(error: Exception) -> str:
    """Return the message of an error, a sentence or a phrase, as a part of another sentence."""
    return str(error).removesuffix(".")


def require_torch(purpose: str, extras: str = "deep") -> None:
    """Raise a NobiError with instructions if PyTorch is missing; `purpose` begins the sentence."""
    if find_spec("torch") is None:
        raise NobiError(f"{purpose} needs PyTorch; install it with pip install 'nobi[{extras}]'.")
