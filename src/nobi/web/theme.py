"""The style sheet: light and dark colours as CSS variables, and the layout rules."""

from pathlib import Path

_LIGHT = {
    "page": "#f5f2ea",
    "surface": "#fffdf8",
    "rule": "#e4dccd",
    "ink": "#24211c",
    "muted": "#6b645a",
    "accent": "#0b6e6e",
    "on-accent": "#fffdf8",
    "second": "#b0561c",
    "good": "#2e7d32",
    "doubtful": "#9a5b00",
    "mistake": "#b3261e",
    "wood": "#e0b673",
    "wood2": "#d6a75f",
    "grain": ".48",
    "line": "#5a4123",
    "coord": "#4f3819",
    "b0": "#6a6c72",
    "b1": "#2c2d31",
    "b2": "#0b0b0d",
    "w0": "#ffffff",
    "w1": "#f6f3ec",
    "w2": "#cdc6b8",
    "move": "#0b6e6e",
    "best": "#04393b",
    "clear": "#f7ead0",
    "positive": "#0f4c6e",
    "negative": "#fff8e6",
    "shadow": "0 1px 2px rgba(40,25,8,.22),0 10px 30px -6px rgba(60,38,12,.30)",
    "edge": "inset 0 1px 0 rgba(255,244,220,.45),inset 0 -1px 0 rgba(70,42,10,.28)",
}
_DARK = {
    "page": "#161719",
    "surface": "#1f2124",
    "rule": "#33353a",
    "ink": "#ece8df",
    "muted": "#a29b8f",
    "accent": "#58b9b5",
    "on-accent": "#101112",
    "second": "#e39a63",
    "good": "#7cc58a",
    "doubtful": "#e2b25a",
    "mistake": "#ff8a7a",
    "wood": "#b98d54",
    "wood2": "#a97c45",
    "grain": ".6",
    "line": "#2f2110",
    "coord": "#24170a",
    "b0": "#5d5f66",
    "b1": "#242529",
    "b2": "#070708",
    "w0": "#f7f4ee",
    "w1": "#e6e1d7",
    "w2": "#b4ac9c",
    "move": "#0a5f62",
    "best": "#022c2e",
    "clear": "#e6d2a8",
    "positive": "#0b3550",
    "negative": "#f3e6c9",
    "shadow": "0 1px 2px rgba(0,0,0,.5),0 12px 34px -6px rgba(0,0,0,.55)",
    "edge": "inset 0 1px 0 rgba(255,232,190,.18),inset 0 -1px 0 rgba(0,0,0,.4)",
}


def _variables(tokens: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in tokens.items())


def stylesheet() -> str:
    """The complete style sheet."""
    folder = Path(__file__).parent
    rules = (folder / "board.css").read_text(encoding="utf-8") + (folder / "page.css").read_text(encoding="utf-8")
    light = f"body{{{_variables(_LIGHT)}--q-primary:{_LIGHT['accent']}!important}}"
    dark = f"body.body--dark{{{_variables(_DARK)}--q-primary:{_DARK['accent']}!important}}"
    return light + dark + rules
