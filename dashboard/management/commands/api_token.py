"""Make or revoke a user's API tokens."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.tokens import issue_token, revoke_tokens


class Command(BaseCommand):
    help = "Prints a new API token of a user, once; --revoke makes all tokens of the user worthless instead."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="name of the user the token speaks for")
        parser.add_argument("--revoke", action="store_true", help="revoke all tokens of the user")

    def handle(self, *_: Any, user: str, revoke: bool, **__: Any) -> None:
        try:
            person = User.objects.get(username=user)
        except User.DoesNotExist:
            message = f"There is no user called {user!r}."
            raise CommandError(message) from None
        if revoke:
            for token in revoke_tokens(person):
                self.stdout.write(f"Revoked {token}.")
        else:
            self.stdout.write(issue_token(person))
