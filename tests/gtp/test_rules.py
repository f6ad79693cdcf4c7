"""KataGo's names for rules."""

import json
from dataclasses import replace

import pytest

from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError
from nobi.gtp.rules import read_rules, rules_json
from nobi.records.properties import SHORTHANDS


@pytest.mark.parametrize("name", SHORTHANDS)
def test_reported_rules_are_accepted(name):
    settings = replace(GoSettings(), **read_rules(name).settings)
    assert replace(GoSettings(), **read_rules(rules_json(settings)).settings) == settings
    assert replace(GoSettings(), **read_rules(name.upper().replace("-", "_")).settings) == settings


def test_shorthands():
    assert read_rules("tromp-taylor").settings == {"ko": "positional", "scoring": "area", "suicide": True}
    assert read_rules("japanese").settings == {"ko": "simple", "scoring": "territory", "suicide": False}
    assert read_rules("aga").settings["ko"] == "situational"


@pytest.mark.parametrize(
    "name",
    ["japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "nz", "TrompTaylor", "goe", "french"],
)
def test_names_of_clients_without_a_warning(name):
    assert read_rules(name).warnings == []


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("stone_scoring", "tax"),
        ("ancient-area", "tax"),
        ("aga-button", "button"),
        ({"ko": "SPIGHT"}, "situational"),
        ({"scoring": "TERRITORY", "tax": "SEKI"}, "SEKI"),
        ({"hasButton": True}, "button"),
    ],
)
def test_rules_that_are_not_supported_become_the_nearest_with_a_warning(given, word):
    [warning] = read_rules(given).warnings
    assert word in warning


def test_komi_and_handicap_of_rules():
    assert read_rules("chinese").bonus == "N"
    assert read_rules({"whiteHandicapBonus": "N-1"}).bonus == "N-1"
    assert (read_rules("japanese").usual_komi, read_rules("chinese").usual_komi) == (6.5, 7.5)
    assert read_rules("aga-button").usual_komi == 7
    assert read_rules({"komi": 5.5}, with_komi=True).komi == 5.5
    with pytest.raises(GtpError):
        read_rules({"komi": 5.5})


def test_unknown_rules_are_refused():
    document = json.loads(rules_json(GoSettings()))
    assert read_rules({"tax": "NONE", "friendlyPassOk": True}).settings == {}
    for name, value in {**dict.fromkeys(document, "odd"), "what": 1}.items():
        with pytest.raises(GtpError):
            read_rules({name: value})
