"""Runs in folders: cut short in several ways, resumed, and compared file by file with one that was left alone."""

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
    """Train to the end in a new folder or from where the run was left."""
    run = make(folder, resume=folder.exists(), **options)
    run.train()
    return run


def leave_after(make, folder, generations, lost=0):
    """Leave a run after so many generations are saved and `lost` more are not, as a crash would."""
    run = make(folder, resume=folder.exists())
    while run.generation < generations:
        run.step()
    run.save()
    for _ in range(lost):
        run.step()
    assert run.generation == generations + lost


def interrupt_at(make, folder, generation):
    """Press Ctrl-C when the generation is done."""

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
    """Start a command that never ends, kills it before its first checkpoint, after it, and a while after a later one.

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


def fault_of(call, *arguments, **options):
    """The sentence of the NobiError that the call raises."""
    try:
        call(*arguments, **options)
    except NobiError as fault:
        text = str(fault)
        assert "\n" not in text
        assert text.endswith(".")
        return text
    raise AssertionError("it raised nothing")


def check_interruptions(make, folder):
    """A run of 7 generations that is left or interrupted, once or often, ends in the files of an undisturbed one."""
    finish(make, folder / "whole")
    for cut in (1, 4, 7):
        leave_after(make, folder / str(cut), cut)
        finish(make, folder / str(cut))
        assert_same_files(folder / "whole", folder / str(cut))
    often = folder / "often"
    leave_after(make, often, 0)  # only the settings are there
    leave_after(make, often, 2, lost=3)
    interrupt_at(make, often, 3)
    interrupt_at(make, often, 6)
    for _ in range(2):  # the second time there is nothing left to do
        finish(make, often)
        assert_same_files(folder / "whole", often)


def check_kills(command, maker, folder):
    """The run of a command, killed three times and then brought to its end, is an undisturbed one.

    The command is given without its number of generations; `maker` makes the same run for such a number.
    """
    kill_three_times([*command, "--generations", "1000000"], folder / "killed")
    with safe_open(folder / "killed" / "checkpoint.safetensors", "numpy") as file:
        generations = len(file.get_tensor("told")) + 5
    for name in ("killed", "whole"):
        finish(maker(generations), folder / name)
    assert_same_files(folder / "whole", folder / "killed")
