import pytest
from django.core.management import CommandError, call_command

from dashboard.models import ApiToken
from dashboard.tokens import find_user, issue_token, revoke_tokens
from tests.dashboard.conftest import make_user

pytestmark = pytest.mark.django_db


def test_a_token_speaks_for_its_user_and_is_kept_only_as_a_hash():
    user = make_user("operator")

    token = issue_token(user)

    assert find_user(token) == user
    assert token not in str(ApiToken.objects.values_list())
    assert str(ApiToken.objects.get()).startswith(f"…{token[-4:]} of operator")


def test_a_wrong_token_and_one_of_a_user_who_may_not_sign_in_speak_for_nobody():
    user = make_user("operator")
    token = issue_token(user)
    user.is_active = False
    user.save()

    assert find_user(token) is None
    assert find_user(token + "x") is None
    assert find_user("") is None


def test_revoked_tokens_speak_for_nobody():
    mine, theirs = issue_token(make_user("operator")), issue_token(make_user("admin"))

    assert len(revoke_tokens(make_user("operator"))) == 1
    assert revoke_tokens(make_user("operator")) == []

    assert find_user(mine) is None
    assert find_user(theirs) == make_user("admin")


def test_the_command_prints_a_token_and_revokes_it(capsys):
    make_user("operator")

    call_command("api_token", "operator")
    token = capsys.readouterr().out.strip()
    known = find_user(token)
    call_command("api_token", "operator", "--revoke")

    assert known == make_user("operator")
    assert find_user(token) is None
    assert f"Revoked …{token[-4:]}" in capsys.readouterr().out


def test_the_command_names_a_user_that_there_is_not():
    with pytest.raises(CommandError, match="no user called 'nobody'"):
        call_command("api_token", "nobody")
