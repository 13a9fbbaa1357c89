"""The permissions, the roles that hold them, and the record of who did what."""

from typing import Any

from django.db import migrations, models

from dashboard.models.access import PERMISSIONS

VIEWER = ("view",)
OPERATOR = (
    *VIEWER,
    "pause_queue",
    "retry_job",
    "discard_job",
    "stop_job",
    "enqueue_job",
    "invalidate_cache",
    "view_activity",
    "view_metrics",
)
ADMIN = (*OPERATOR, "empty_queue", "edit_job", "release_lock", "stop_worker")
ROLES = {"Viewer": VIEWER, "Operator": OPERATOR, "Admin": ADMIN}


def make_roles(apps: Any, _: Any) -> None:
    """Make the groups and, since Django makes permissions only after all migrations, what they hold."""
    kind, _made = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="mandor", model="access")
    permission = apps.get_model("auth", "Permission").objects
    for codename, name in PERMISSIONS:
        permission.get_or_create(content_type=kind, codename=codename, defaults={"name": name})
    for role, codenames in ROLES.items():
        group, _made = apps.get_model("auth", "Group").objects.get_or_create(name=role)
        group.permissions.add(*permission.filter(content_type=kind, codename__in=codenames))


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.CreateModel(
            name="Access",
            fields=[("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))],
            options={"permissions": PERMISSIONS, "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="ActivityEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("who", models.CharField(db_index=True, max_length=150)),
                ("ip", models.GenericIPAddressField(null=True)),
                ("action", models.CharField(db_index=True, max_length=50)),
                ("target", models.CharField(max_length=500)),
                ("count", models.PositiveIntegerField(default=1)),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("done", "Done"), ("denied", "Denied"), ("skipped", "Skipped")],
                        db_index=True,
                        max_length=10,
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=500)),
            ],
            options={"ordering": ("-at", "-pk"), "default_permissions": ()},
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
