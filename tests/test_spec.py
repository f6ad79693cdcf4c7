"""Specs: names, settings and error messages."""

from dataclasses import dataclass
from typing import Literal

import pytest

from nobi.errors import NobiError
from nobi.spec import choices, format_spec, parse_spec, settings_from


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
    ("spec", "settings"),
    [
        ("x", Sample()),
        ("x:count=3", Sample(count=3)),
        ("x:share=0.25,bold=true,kind=two", Sample(share=0.25, bold=True, kind="two")),
    ],
)
def test_specs_and_settings_are_equivalent(spec, settings):
    name, given = parse_spec(spec)
    assert settings_from(Sample, given, spec) == settings
    assert format_spec(name, settings) == spec


@pytest.mark.parametrize(
    ("spec", "sentence"),
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
def test_bad_specs_get_one_sentence(spec, sentence):
    with pytest.raises(NobiError) as error:
        settings_from(Sample, parse_spec(spec)[1], spec)
    assert str(error.value) == sentence


def test_choices():
    assert choices([]) == "it takes none"
    assert choices(["a"]) == "the only choice is a"
    assert choices(["a", "b", "c"]) == "choose one of a, b or c"
    assert choices(["naive", "random"], "clever") == "choose one of naive or random"
    assert choices(["naive", "random"], "Naiv") == "did you mean 'naive'? Choose one of naive or random"
    assert choices(["naive"], "naiv") == "did you mean 'naive'? The only choice is naive"
    assert choices([f"study-{i}" for i in range(30)], "study-7x") == "did you mean 'study-7'? There are 29 others"
