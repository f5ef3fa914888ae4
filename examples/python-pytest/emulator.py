"""Starts the emulator and controls it over HTTP, with the standard library alone."""

import json
import shlex
import subprocess
import urllib.request
from typing import Any, Optional


class Emulator:
    """A running emulator. `command` is how it is started, for example `npx identity-service-sdk`."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(
            [*shlex.split(command), "emulator", "--json", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        first_line = self._process.stdout.readline()
        if not first_line:
            raise RuntimeError(f"the emulator did not start: {command}")
        started = json.loads(first_line)
        self.url: str = started["listening"]
        # The variables that an app needs: SVC_BASE_URL, SVC_API_KEY and the others.
        self.env: dict[str, str] = started["env"]

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def control(self, method: str, path: str, **fields: Any) -> Any:
        """Calls a control, such as `control("POST", "/clock/advance", ms=3_600_000)`."""
        return self._send(method, f"/_emulator/api{path}", fields if method == "POST" else None)

    def call(self, method: str, path: str, body: Optional[dict[str, Any]] = None) -> Any:
        """Calls the verification API, as an app does, and returns `data` of the response."""
        return self._send(method, f"/api/v2{path}", body, {"X-API-Key": self.env["SVC_API_KEY"]})["data"]

    def _send(self, method: str, path: str, body: Any, headers: Optional[dict[str, str]] = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers or {}, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as response:
            text = response.read()
        return json.loads(text) if text else None
