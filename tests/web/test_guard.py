"""Requests that the server rejects."""

import asyncio

import pytest

from nobi.web.guard import MOST_BODY, Guard
from nobi.web.server import ServerSettings

HOSTS = ["127.0.0.1:8080", "localhost:8080"]


def ask(guard, *, kind="http", body=b"", query=b"", **headers):
    """The status and headers of the response, and whether the request has reached the application."""
    sent = []
    messages = [{"type": "http.request", "body": body}] if kind == "http" else [{"type": "websocket.connect"}]
    scope = {
        "type": kind,
        "path": "/",
        "query_string": query,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    first = sent[0]
    return first.get("status", first.get("code")), dict(first.get("headers", []))


async def application(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.mark.parametrize(
    ("host", "origin", "served"),
    [
        ("127.0.0.1:8080", "", True),
        ("localhost:8080", "http://localhost:8080", True),
        ("127.0.0.1:8080", "http://evil.example", False),
        ("127.0.0.1:8080", "null", False),
        ("evil.example", "", False),
        ("evil.example", "http://evil.example", False),
        ("127.0.0.1:8080", "http://127.0.0.1:9999", False),
    ],
)
def test_foreign_hosts_and_origins_are_rejected(host, origin, served):
    guard = Guard(application, HOSTS)
    headers = {"host": host} | ({"origin": origin} if origin else {})
    assert ask(guard, **headers)[0] == (200 if served else 403)
    assert ask(guard, kind="websocket", **headers)[0] == (None if served else 1008)


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("192.0.2.7:8080", True),
        ("[2001:db8::7]:8080", True),
        ("[2001:db8::7]", True),
        ("myhost:8080", True),
        ("evil.example", False),
        ("evil.example:8080", False),
        ("127.0.0.1.evil.example:8080", False),
        ("192.0.2.7:x", False),
        ("", False),
    ],
)
def test_a_page_on_a_network_accepts_only_addresses_and_its_own_names(host, served):
    guard = Guard(application, ["myhost:8080"], addresses=True)
    assert ask(guard, host=host)[0] == (200 if served else 403)
    assert ask(guard, kind="websocket", host=host)[0] == (None if served else 1008)


def test_the_hosts_of_a_server():
    assert "evil.example:8080" not in ServerSettings(host="0.0.0.0", public=True).hosts  # noqa: S104
    assert ServerSettings(host="0.0.0.0", public=True).hosts  # noqa: S104
    proxied = ServerSettings(host="192.0.2.1", public=True, names=("go.example",)).hosts
    assert {"go.example", "go.example:8080", "192.0.2.1:8080"} <= set(proxied)


def test_large_bodies_are_rejected_regardless_of_their_header():
    guard = Guard(application, HOSTS)
    assert ask(guard, host=HOSTS[0], content_length=str(MOST_BODY + 1))[0] == 413
    assert ask(guard, host=HOSTS[0], content_length="x")[0] == 413
    assert ask(guard, host=HOSTS[0], body=b"x" * (MOST_BODY + 1))[0] == 413
    assert ask(guard, host=HOSTS[0], body=b"x" * 1000, content_length="1000")[0] == 200


def test_a_token_opens_the_page_and_is_kept_in_a_cookie():
    guard = Guard(application, ["any"], "word")
    assert ask(guard, host="any")[0] == 401
    assert ask(guard, host="any", query=b"token=wrong")[0] == 401
    assert ask(guard, kind="websocket", host="any")[0] == 1008
    status, headers = ask(guard, host="any", query=b"token=word")
    assert status == 200
    cookie = headers[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert ask(guard, host="any", cookie=cookie.partition(";")[0])[0] == 200
    assert ask(guard, kind="websocket", host="any", cookie=cookie.partition(";")[0])[0] is None
