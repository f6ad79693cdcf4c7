"""KataGo's names for rules."""

import json
from dataclasses import replace

import pytest

from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError
from nobi.gtp.setup import as_json, from_text, one_rule
from nobi.records.properties import SHORTHANDS


@pytest.mark.parametrize("name", SHORTHANDS)
def test_what_is_told_is_understood(name):
    settings = replace(GoSettings(), **from_text(name))
    assert replace(GoSettings(), **from_text(as_json(settings))) == settings
    assert replace(GoSettings(), **from_text(name.upper().replace("-", "_"))) == settings


def test_shorthands():
    assert from_text("tromp-taylor") == {"ko": "positional", "scoring": "area", "suicide": True}
    assert from_text("japanese") == {"ko": "simple", "scoring": "territory", "suicide": False}
    assert from_text("aga")["ko"] == "situational"


def test_what_our_rules_have_not_is_refused():
    told = json.loads(as_json(GoSettings()))
    assert one_rule("tax", "NONE") == one_rule("friendlyPassOk", True) == {}
    for name, value in {**dict.fromkeys(told, "odd"), "tax": "SEKI", "hasButton": True, "what": 1}.items():
        with pytest.raises(GtpError):
            one_rule(name, value)
