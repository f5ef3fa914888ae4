import os
from collections.abc import Iterator

import pytest
from emulator import Emulator
from receiver import Receiver


@pytest.fixture(scope="session")
def running() -> Iterator[Emulator]:
    """One emulator for all tests, because starting Node takes longer than a test."""
    emulator = Emulator(os.environ.get("EMULATOR", "npx identity-service-sdk"))
    yield emulator
    emulator.close()


@pytest.fixture
def emulator(running: Emulator) -> Emulator:
    """The emulator in its initial state."""
    running.control("POST", "/reset")
    return running


@pytest.fixture
def receiver(emulator: Emulator) -> Iterator[Receiver]:
    receiver = Receiver(emulator.env["SVC_WEBHOOK_SECRET"])
    yield receiver
    receiver.close()
