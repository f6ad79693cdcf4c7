"""Words, files, and the compiler's wrapper."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from nobi.compiling import UNBOUND, compiled, specialise
from nobi.errors import NobiError
from nobi.files import ready_folder, write_whole
from nobi.words import choices, join_word, settings_from, split_word


@dataclass(frozen=True)
class Sample:
    count: int = 1
    share: float = 0.5
    bold: bool = False
    kind: Literal["one", "two"] = "one"

    def __post_init__(self):
        if self.count < 0:
            raise ValueError("count must not be negative")


@pytest.mark.parametrize(
    ("word", "settings"),
    [
        ("x", Sample()),
        ("x:count=3", Sample(count=3)),
        ("x:share=0.25,bold=true,kind=two", Sample(share=0.25, bold=True, kind="two")),
    ],
)
def test_words_and_settings_are_the_same_thing(word, settings):
    name, given = split_word(word)
    assert settings_from(Sample, given, word) == settings
    assert join_word(name, settings) == word


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("x:count", "'x:count': 'count' is not of the form key=value."),
        ("x:size=1", "'x:size=1': there is no setting 'size'; choose one of count, share, bold or kind."),
        ("x:count=two", "'x:count=two': count is a whole number, not 'two'."),
        ("x:share=much", "'x:share=much': share is a number, not 'much'."),
        ("x:bold=maybe", "'x:bold=maybe': bold is true or false, not 'maybe'."),
        ("x:kind=three", "'x:kind=three': kind cannot be 'three'; choose one of one or two."),
        ("x:count=-1", "'x:count=-1': count must not be negative."),
    ],
)
def test_bad_words_get_one_sentence(word, sentence):
    with pytest.raises(NobiError) as fault:
        settings_from(Sample, split_word(word)[1], word)
    assert str(fault.value) == sentence


def test_choices():
    assert choices([]) == "it takes none"
    assert choices(["a"]) == "the only choice is a"
    assert choices(["a", "b", "c"]) == "choose one of a, b or c"


def test_a_file_is_whole_or_not_there(tmp_path):
    target = tmp_path / "file"
    write_whole(target, b"first")
    write_whole(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        write_whole(target, "no bytes")
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_written_to(tmp_path):
    assert ready_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(NobiError, match="cannot be written to"):
        ready_folder(tmp_path / "file" / "below")


step = UNBOUND


def _apply_twice(x):
    return step(step(x))


@compiled
def add_one(x):
    return x + 1


@compiled
def double(x):
    return 2 * x


def test_a_template_is_bound_to_functions():
    assert specialise(_apply_twice, "add", step=add_one)(5) == 7
    assert specialise(_apply_twice, "double", step=double)(5) == 20
    assert specialise(_apply_twice, "add", step=add_one)(5) == 7
    with pytest.raises(ValueError, match="never uses other"):
        specialise(_apply_twice, "add", step=add_one, other=double)


PROGRAM = """
from pathlib import Path
import sys
sys.path.insert(0, "FOLDER")
from nobi.compiling import UNBOUND, specialise, when_compiling
import rule
notes = []
when_compiling(lambda: notes.append("compiled"))
value = UNBOUND
exec(compile("def template(x):\\n    return value(x)\\n", "FOLDER/template.py", "exec"))
print(specialise(template, "t", value=rule.value)(1), *notes)
"""


def test_the_cache_is_used_and_never_stale(tmp_path):
    """A second process compiles nothing; after an edit of a called function in another file, it compiles anew."""
    (tmp_path / "template.py").write_text("def template(x):\n    return value(x)\n")
    rule = tmp_path / "rule.py"
    environment = os.environ | {"NOBI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run():
        return subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("FOLDER", str(tmp_path))],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip

    source = "from nobi.compiling import compiled\n@compiled\ndef value(x):\n    return x + {}\n"
    rule.write_text(source.format(10))
    assert run() == ["11", "compiled"]
    assert run() == ["11"]
    rule.write_text(source.format(20))
    os.utime(rule, ns=(10**18, 10**18))
    assert run() == ["21", "compiled"]


def test_the_layers_point_one_way():
    """Rules know nothing of players, players nothing of the arena, and only the command line prints."""
    package = Path(__file__).parent.parent / "src" / "nobi"
    layers = ["board", "games", "players", "arena", "bench", "cli"]
    for i, layer in enumerate(layers):
        for file in (package / layer).rglob("*.py"):
            for higher in layers[i + 1 :]:
                assert f"nobi.{higher}" not in file.read_text(), f"{file} imports nobi.{higher}"
