"""The Activity page."""

import csv
import io
from datetime import datetime

from django.test import Client

from dashboard.models import ActivityEntry
from tests.dashboard.conftest import SignIn


def add(who: str = "ann", action: str = "release_lock", target: str = "report:42", outcome: str = "done") -> None:
    ActivityEntry.objects.create(
        who=who, action=action, target=target, outcome=outcome, reason="it hangs", ip="10.0.0.7"
    )


def test_an_entry_says_who_did_what_to_what_from_where_and_why(sign_in: SignIn):
    add()

    page = sign_in("operator").get("/activity/").content.decode()

    for figure in ("ann", "Release lock", "report:42", "10.0.0.7", "it hangs", "Done"):
        assert figure in page


def test_entries_are_filtered_by_who_action_outcome_and_target(sign_in: SignIn):
    add(target="the-wanted")
    add(who="bob", target="by-another")
    add(action="retry_job", target="another-action")
    add(outcome="denied", target="another-outcome")
    client = sign_in("admin")

    page = client.get("/activity/?who=ann&action=release_lock&outcome=done&q=want").content.decode()

    assert "the-wanted" in page
    assert "1 entry" in page


def test_what_is_done_under_another_permissions_name_goes_by_its_own(sign_in: SignIn):
    client = sign_in("operator")
    client.post("/queues/mail/pause/")
    client.post("/queues/mail/resume/")

    page = client.get("/activity/?action=resume_queue").content.decode()

    assert "1 entry" in page
    assert "Resume queue" in page


def test_fifty_entries_a_page_the_newest_first(sign_in: SignIn):
    for number in range(51):
        add(target=f"report-{number:02}")
    client = sign_in("admin")

    first, second = client.get("/activity/").content.decode(), client.get("/activity/?page=2").content.decode()

    assert first.index("report-50") < first.index("report-01")
    assert "report-00" not in first
    assert "report-00" in second


def test_what_people_wrote_is_escaped(sign_in: SignIn):
    add(target="<script>alert(1)</script>")

    assert "<script>alert" not in sign_in("admin").get("/activity/").content.decode()


def export(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"/activity/export/{query}")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="activity.csv"'
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_the_entries_that_match_are_exported(sign_in: SignIn):
    add(target="the-wanted, with a comma")
    add(who="bob")
    client = sign_in("operator")

    (row,) = export(client, "?who=ann&page=7")

    assert datetime.fromisoformat(row.pop("at")).tzinfo
    assert row == {
        "who": "ann",
        "action": "release_lock",
        "target": "the-wanted, with a comma",
        "count": "1",
        "outcome": "done",
        "reason": "it hangs",
        "detail": "",
        "ip": "10.0.0.7",
    }
    assert "/activity/export/?who=ann" in client.get("/activity/?who=ann").content.decode()


def test_nothing_that_is_exported_is_a_formula(sign_in: SignIn):
    add(target='=HYPERLINK("http://evil.example")')

    assert export(sign_in("admin"))[0]["target"] == '\'=HYPERLINK("http://evil.example")'


def test_a_viewer_exports_nothing(sign_in: SignIn):
    assert sign_in("viewer").get("/activity/export/").status_code == 403
