"""Runs in folders: interrupted in several ways, resumed, and compared file by file with an uninterrupted run."""

import signal
import subprocess
import sys
import time

from safetensors import safe_open

from nobi.errors import NobiError

PLAYERS = ("champion.safetensors", "champion-a.safetensors", "champion-b.safetensors")
FILES = ("config.json", "checkpoint.safetensors", "metrics.jsonl", *PLAYERS)


def files_of(folder):
    """The contents of the files that are a pure function of the settings."""
    found = {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}
    assert {"config.json", "checkpoint.safetensors", "metrics.jsonl", "champion.safetensors"} <= found.keys()
    return found


def assert_same_files(one, other):
    ours, theirs = files_of(one), files_of(other)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def finish(make, folder, **options):
    """Train to the end in a new folder, or resume a run."""
    run = make(folder, resume=folder.exists(), **options)
    run.train()
    return run


def leave_after(make, folder, generations, lost=0):
    """Leave a run with this number of saved generations and `lost` unsaved ones, as after a crash."""
    run = make(folder, resume=folder.exists())
    while run.generation < generations:
        run.step()
    run.save()
    for _ in range(lost):
        run.step()
    assert run.generation == generations + lost


def interrupt_at(make, folder, generation):
    """Simulate Ctrl-C at the end of the generation."""

    def press(run):
        if run.generation == generation:
            raise KeyboardInterrupt

    run = make(folder, resume=folder.exists())
    try:
        run.train(press)
    except KeyboardInterrupt:
        return
    raise AssertionError("the run was over before")


def kill_three_times(command, folder):
    """Start an endless command; kill it before its first checkpoint, after it, and a while after a later one.

    `command` are the arguments of nobi, without --resume.
    """
    config, checkpoint = folder / "config.json", folder / "checkpoint.safetensors"
    for moment in range(3):
        arguments = [sys.executable, "-m", "nobi", *command, *(["--resume"] if moment else [])]
        before = checkpoint.stat().st_size if checkpoint.exists() else 0
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while not (config.exists() if moment == 0 else checkpoint.exists() and checkpoint.stat().st_size > before):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.3 if moment == 2 else 0)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert checkpoint.exists() == (moment > 0)


def error_of(call, *arguments, **options):
    """The message of the NobiError that the call raises."""
    try:
        call(*arguments, **options)
    except NobiError as error:
        text = str(error)
        assert "\n" not in text
        assert text.endswith(".")
        return text
    raise AssertionError("it raised nothing")


def check_interruptions(make, folder):
    """Check that a run of 7 generations, interrupted once or often, ends in the files of an uninterrupted one."""
    finish(make, folder / "whole")
    for cut in (1, 4, 7):
        leave_after(make, folder / str(cut), cut)
        finish(make, folder / str(cut))
        assert_same_files(folder / "whole", folder / str(cut))
    often = folder / "often"
    leave_after(make, often, 0)  # only the settings exist
    leave_after(make, often, 2, lost=3)
    interrupt_at(make, often, 3)
    interrupt_at(make, often, 6)
    for _ in range(2):  # the second time nothing is left to do
        finish(make, often)
        assert_same_files(folder / "whole", often)


def check_kills(command, maker, folder):
    """Check that the run of a command, killed three times and then finished, equals an uninterrupted one.

    The command is given without its number of generations; `maker` creates the same run for a given number.
    """
    kill_three_times([*command, "--generations", "1000000"], folder / "killed")
    with safe_open(folder / "killed" / "checkpoint.safetensors", "numpy") as file:
        generations = len(file.get_tensor("told")) + 5
    for name in ("killed", "whole"):
        finish(maker(generations), folder / name)
    assert_same_files(folder / "whole", folder / "killed")
