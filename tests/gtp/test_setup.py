"""KataGo's names for rules."""

import json
from dataclasses import replace

import pytest

from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError
from nobi.gtp.setup import parse_rule, parse_rules, rules_json
from nobi.records.properties import SHORTHANDS


@pytest.mark.parametrize("name", SHORTHANDS)
def test_what_is_told_is_understood(name):
    settings = replace(GoSettings(), **parse_rules(name))
    assert replace(GoSettings(), **parse_rules(rules_json(settings))) == settings
    assert replace(GoSettings(), **parse_rules(name.upper().replace("-", "_"))) == settings


def test_shorthands():
    assert parse_rules("tromp-taylor") == {"ko": "positional", "scoring": "area", "suicide": True}
    assert parse_rules("japanese") == {"ko": "simple", "scoring": "territory", "suicide": False}
    assert parse_rules("aga")["ko"] == "situational"


def test_what_our_rules_have_not_is_refused():
    told = json.loads(rules_json(GoSettings()))
    assert parse_rule("tax", "NONE") == parse_rule("friendlyPassOk", True) == {}
    for name, value in {**dict.fromkeys(told, "odd"), "tax": "SEKI", "hasButton": True, "what": 1}.items():
        with pytest.raises(GtpError):
            parse_rule(name, value)
