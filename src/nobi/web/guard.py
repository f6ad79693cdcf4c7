"""What the server refuses before anything else sees it: foreign hosts and origins, large uploads, a missing token.

NiceGUI checks none of these itself. A plain ASGI class sees HTTP requests and web sockets alike.
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
"""Bytes of a request's body: an SGF file of 1 MB and what surrounds it."""
COOKIE = "nobi_token"
_SHUT_OUT = "This page needs its token: open the address that nobi has printed."


class _BodyTooLargeError(Exception):
    """The body of a request is larger than it may be."""


class Guard:
    """Refuses what does not come from this page."""

    def __init__(self, app: App, hosts: Iterable[str], token: str = "", *, addresses: bool = False) -> None:
        """Protects `app`.

        Args:
            app: what is served.
            hosts: the values of the Host header that are served.
            token: opens the page; empty for none.
            addresses: whether any numeric address is served as well, as where the page listens to a network. A page
                elsewhere can let its own name point to this machine, but not a number.
        """
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves or refuses a request or a socket."""
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
            await _refuse(scope, receive, send, 401, _SHUT_OUT)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            await _refuse(scope, receive, send, 413, "SGF files can have up to 1 MB.")
            return
        await self._serve(scope, _limited(receive), send, set_cookie=bool(self._token) and admitted == "query")

    def refusal(self, headers: dict[str, str]) -> str:
        """Why a request with these headers is not served; empty if it is."""
        host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower()
        if host not in self._hosts and not (self._addresses and _is_address(host)):
            return "This host is not served."
        if origin and origin.partition("://")[2] != host:
            return "Requests of other pages are not served."
        return ""

    def is_admitted(self, scope: Scope, headers: dict[str, str]) -> str:
        """How the token was shown, `query` or `cookie`; `open` where none is needed, else nothing."""
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
            await _refuse(scope, receive, send, 413, "SGF files can have up to 1 MB.")


def _is_address(host: str) -> bool:
    """Whether a Host header is a numeric address, with a port or without."""
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
    """The same messages; an error when the bodies together are too large, as those without a length may be."""
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
