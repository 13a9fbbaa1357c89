import pytest
from django.contrib.auth.models import User

from dashboard.models import ActivityEntry
from dashboard.users import create_first_users, make_password

pytestmark = pytest.mark.django_db


def test_each_first_user_has_its_role() -> None:
    created = create_first_users("open sesame", demo=True)

    roles = {user.username: [group.name for group in user.groups.all()] for user in User.objects.all()}
    assert created == ["admin", "operator", "viewer"]
    assert roles == {"admin": ["Admin"], "operator": ["Operator"], "viewer": ["Viewer"]}
    assert all(user.check_password("open sesame") for user in User.objects.all())
    assert [user.username for user in User.objects.filter(is_superuser=True)] == ["admin"]


def test_only_the_demo_has_an_operator_and_a_viewer() -> None:
    assert create_first_users("open sesame", demo=False) == ["admin"]


def test_a_user_who_is_there_keeps_the_password() -> None:
    create_first_users("the first", demo=False)

    created = create_first_users("the second", demo=True)

    assert created == ["operator", "viewer"]
    assert User.objects.get(username="admin").check_password("the first")


def test_who_was_made_stands_on_activity() -> None:
    create_first_users("open sesame", demo=False)

    (entry,) = ActivityEntry.objects.all()
    assert (entry.who, entry.action, entry.target) == ("manage.py up", "add_user", "admin")


def test_two_passwords_differ() -> None:
    assert make_password() != make_password()
