"""The first users, made once so that somebody can sign in."""

from django.contrib.auth.models import Group, User
from django.utils.crypto import get_random_string

from dashboard.models import ActivityEntry

BY = "manage.py up"
ROLES = {"admin": "Admin"}
DEMO_ROLES = {"operator": "Operator", "viewer": "Viewer"}
UNMISTAKABLE = "abcdefghjkmnpqrstuvwxyz23456789"


def create_first_users(password: str, *, demo: bool) -> list[str]:
    """Create those of the first users that are missing, all with one password, and return their names.

    Each is an entry on Activity.
    """
    wanted = ROLES | (DEMO_ROLES if demo else {})
    there = set(User.objects.filter(username__in=wanted).values_list("username", flat=True))
    missing = [name for name in wanted if name not in there]
    for name in missing:
        admin = name == "admin"
        user = User.objects.create_user(name, password=password, is_superuser=admin, is_staff=admin)
        user.groups.add(Group.objects.get(name=wanted[name]))
        ActivityEntry.objects.create(
            who=BY, action="add_user", target=name, outcome="done", detail=f"role {wanted[name]}"
        )
    return missing


def make_password() -> str:
    """Return a new password without letters that look alike."""
    return get_random_string(14, UNMISTAKABLE)
