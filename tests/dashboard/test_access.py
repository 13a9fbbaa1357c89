"""Who may go where: the table of roles, refusals, and the way to the sign-in."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dashboard.models import ActivityEntry
from tests.dashboard.conftest import SignIn, poll

WRITES = {"pause_queue", "retry_job", "discard_job", "stop_job", "enqueue_job", "invalidate_cache"}
ROLES = {
    "Viewer": {"view"},
    "Operator": {"view", "view_activity", "view_metrics", *WRITES},
    "Admin": {
        *("view", "view_activity", "view_metrics", *WRITES),
        *("empty_queue", "edit_job", "release_lock", "stop_worker"),
    },
}


@pytest.mark.parametrize("role", ROLES)
def test_a_migration_makes_the_roles_with_their_permissions(db: None, role: str):
    held = Group.objects.get(name=role).permissions.values_list("codename", flat=True)

    assert set(held) == ROLES[role]


def test_a_signed_out_person_goes_to_the_sign_in_and_back(client: Client, db: None):
    answer = client.get("/locks/?page=2")

    assert answer["Location"] == "/accounts/login/?next=/locks/%3Fpage%3D2"


def test_looking_without_the_permission_is_refused_in_the_frame_without_a_trace(sign_in: SignIn):
    answer = sign_in("viewer").get("/activity/")

    assert answer.status_code == 403
    assert "mandor.view_activity" in answer.content.decode()
    assert not ActivityEntry.objects.exists()


def test_who_may_not_look_sees_no_figures_on_a_refusal(client: Client, db: None):
    client.force_login(User.objects.create(username="guest"), backend="django.contrib.auth.backends.ModelBackend")

    page = client.get("/").content.decode()

    assert 'id="place-queues"' not in page


def test_a_refused_write_is_on_activity_with_who_and_what(sign_in: SignIn):
    answer = sign_in("viewer").post("/locks/release/", {"resource": "report:42", "token": "1"})

    assert answer.status_code == 403
    entry = ActivityEntry.objects.get()
    assert (entry.who, entry.action, entry.target) == ("viewer", "release_lock", "report:42")
    assert entry.outcome == "denied"


def test_a_poll_that_is_no_longer_allowed_reloads_the_page(sign_in: SignIn):
    assert poll(sign_in("viewer"), "/activity/")["HX-Refresh"] == "true"


@pytest.mark.parametrize(("role", "shown"), [("viewer", False), ("operator", True)])
def test_activity_is_among_the_places_of_those_who_may_look(sign_in: SignIn, role: str, shown: bool):
    page = sign_in(role).get("/locks/").content.decode()

    assert ('id="place-activity"' in page) is shown
