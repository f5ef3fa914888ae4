"""Receives webhooks and checks their signature, as an app in Python does."""

import hashlib
import hmac
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

# A sender whose clock differs by more than this may be replaying an old request.
TOLERANCE_SECONDS = 300


class Receiver:
    """A server on a free port that keeps the events whose signature is right."""

    def __init__(self, secret: str) -> None:
        self.events: list[dict[str, Any]] = []
        self.rejected = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_genuine = verify(body, self.headers, secret)
                if is_genuine:
                    receiver.events.append(json.loads(body))
                else:
                    receiver.rejected += 1
                self.send_response(200 if is_genuine else 400)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Prints nothing, because pytest shows what failed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def verify(body: bytes, headers: Any, secret: str) -> bool:
    """The signature covers the timestamp, a dot and the exact bytes of the body."""
    timestamp = headers.get("X-Svc-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, headers.get("X-Svc-Signature", ""))
