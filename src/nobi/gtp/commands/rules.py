"""Rules of Go by KataGo's names."""

from nobi.gtp.commands import command
from nobi.gtp.protocol import GtpError, take
from nobi.gtp.rulesets import as_json, from_text, one_rule
from nobi.gtp.session import Session

_KGS = {"chinese": "chinese-kgs", "aga": "aga", "japanese": "japanese", "new_zealand": "new-zealand"}


@command("kata-get-rules", "", "the rules as JSON", games="go")
def _get_rules(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return as_json(session.variant.settings)


@command("kata-set-rules", "RULES", "a shorthand such as `tromp-taylor`, or JSON; the moves stay", games="go")
def _set_rules(session: Session, arguments: list[str]) -> str:
    take(arguments, 1)
    session.change(**from_text(" ".join(arguments)))
    return ""


@command("kata-set-rule", "KEY VALUE", "one key of the JSON, such as `ko SIMPLE`", games="go")
def _set_rule(session: Session, arguments: list[str]) -> str:
    name, value = take(arguments, 2)
    session.change(**one_rule(name, value))
    return ""


@command("kgs-rules", "RULES", "`chinese`, `aga`, `japanese` or `new_zealand`", games="go")
def _kgs_rules(session: Session, arguments: list[str]) -> str:
    [name] = take(arguments, 1)
    if name.lower() not in _KGS:
        raise GtpError("syntax error")
    session.change(**from_text(_KGS[name.lower()]))
    return ""
