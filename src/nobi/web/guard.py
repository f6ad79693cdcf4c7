"""Requests that the server rejects first: unknown hosts and origins, large uploads, a missing token.

NiceGUI checks none of these. A plain ASGI class handles both HTTP requests and web sockets.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 1_100_000
"""Maximum size of a request body in bytes: an SGF file of 1 MB and its multipart headers."""
COOKIE = "nobi_token"
_LOCKED = "This page requires a token. Open the address that 'nobi play' has printed."


class _BodyTooLargeError(Exception):
    """The body of a request is too large."""


class Guard:
    """ASGI middleware that rejects requests from elsewhere."""

    def __init__(self, app: App, hosts: Iterable[str], token: str = "", *, addresses: bool = False) -> None:
        """Protect `app`.

        Args:
            app: the ASGI application.
            hosts: accepted values of the Host header.
            token: the required token; empty for none.
            addresses: whether any numeric address is accepted as well, for a page that listens on a network. A foreign
                page can make its own host name resolve to this machine, but not a numeric address.
        """
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or reject a request or a web socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self.refusal(headers)
        if refused:
            await _refuse(scope, receive, send, 403, refused)
            return
        admitted = self.is_admitted(scope, headers)
        if not admitted:
            await _refuse(scope, receive, send, 401, _LOCKED)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            await _refuse(scope, receive, send, 413, "SGF files can be up to 1 MB.")
            return
        await self._serve(scope, _limited(receive), send, set_cookie=bool(self._token) and admitted == "query")

    def refusal(self, headers: dict[str, str]) -> str:
        """Why a request with these headers is rejected; empty if it is accepted."""
        host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower()
        if host not in self._hosts and not (self._addresses and _is_address(host)):
            return "This host name is not allowed."
        if origin and origin.partition("://")[2] != host:
            return "Requests from other pages are not allowed."
        return ""

    def is_admitted(self, scope: Scope, headers: dict[str, str]) -> str:
        """Return how the token was given, `query` or `cookie`; `open` if none is needed, else empty."""
        if not self._token:
            return "open"
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if any(hmac.compare_digest(word.encode(), self._token.encode()) for word in query.get("token", [])):
            return "query"
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        shown = cookie.value if cookie else ""
        return "cookie" if hmac.compare_digest(shown.encode(), self._token.encode()) else ""

    async def _serve(self, scope: Scope, receive: Receive, send: Send, *, set_cookie: bool) -> None:
        async def send_with_cookie(message: Message) -> None:
            if set_cookie and message["type"] == "http.response.start":
                cookie = f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode("latin-1"))]
            await send(message)

        try:
            await self._app(scope, receive, send_with_cookie)
        except _BodyTooLargeError:
            await _refuse(scope, receive, send, 413, "SGF files can be up to 1 MB.")


def _is_address(host: str) -> bool:
    """Return whether a Host header is a numeric address, with or without a port."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name = host
    elif not port.isdecimal():
        return False
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _limited(receive: Receive) -> Receive:
    """Return the same messages, with an error if the bodies together are too large; for requests without a length."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BODY:
            raise _BodyTooLargeError
        return message

    return limited


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
