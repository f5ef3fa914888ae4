import urllib.error

import pytest
from emulator import Emulator
from receiver import Receiver


def create_session(emulator: Emulator, receiver: Receiver, person: str = "user-42") -> str:
    session = {"workflow_id": "wf_identity", "vendor_data": person, "callback": receiver.url}
    return emulator.call("POST", "/session", session)["session_id"]


def test_a_declined_person_is_reported_with_the_check_that_failed(emulator: Emulator, receiver: Receiver) -> None:
    session_id = create_session(emulator, receiver)

    emulator.control("POST", f"/sessions/{session_id}/decline", checks={"face_match": "failed"})

    [event] = receiver.events
    assert event["type"] == "verification.declined"
    assert event["session_id"] == session_id
    decision = emulator.call("GET", f"/session/{session_id}/decision")
    assert decision["decision"] == "DECLINED"
    assert [check["type"] for check in decision["checks"] if check["status"] == "failed"] == ["face_match"]


def test_a_review_is_decided_later(emulator: Emulator, receiver: Receiver) -> None:
    session_id = create_session(emulator, receiver)

    emulator.control("POST", f"/sessions/{session_id}/review")
    emulator.call("PATCH", f"/session/{session_id}/status", {"status": "APPROVED"})
    emulator.control("POST", "/webhooks/settled")

    assert [event["type"] for event in receiver.events] == ["verification.in_review", "verification.approved"]


def test_a_person_who_does_not_come_expires(emulator: Emulator, receiver: Receiver) -> None:
    session_id = create_session(emulator, receiver)

    emulator.control("POST", "/clock/advance", ms=3_600_000)

    assert emulator.call("GET", f"/session/{session_id}")["status"] == "EXPIRED"


def test_a_forged_webhook_is_rejected(emulator: Emulator, receiver: Receiver) -> None:
    emulator.control("POST", "/webhooks/faults", kind="bad_signature")

    emulator.control("POST", f"/sessions/{create_session(emulator, receiver)}/complete", status="APPROVED")

    assert receiver.events == []
    assert receiver.rejected == 1


def test_an_outage_is_an_error_until_it_ends(emulator: Emulator, receiver: Receiver) -> None:
    emulator.control("POST", "/faults", match="sessions.create", status=503)

    with pytest.raises(urllib.error.HTTPError) as error:
        create_session(emulator, receiver)

    assert error.value.code == 503
    assert create_session(emulator, receiver)
