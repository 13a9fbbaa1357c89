import json

import pytest

from jobs.masking import IN_ALL, MASKED, mask, mask_text


@pytest.mark.parametrize(
    "key",
    ["password", "DB_PASSWORD", "accessToken", "client-secret", "Authorization", "api key", "API_KEY", "Set-Cookie"],
)
def test_a_value_under_a_key_that_looks_secret_is_masked(key):
    assert mask({key: "hunter2"}) == {key: MASKED}


def test_a_secret_is_masked_however_deep_it_lies():
    shown = mask({"order": [{"id": 7, "card": {"token": {"number": "4711"}}}]})

    assert shown == {"order": [{"id": 7, "card": {"token": MASKED}}]}


def test_the_settings_name_more_secrets(settings):
    settings.MANDOR = {"REDACT": ["iban"]}

    assert mask({"IBAN_number": "DE02", "name": "ana"}) == {"IBAN_number": MASKED, "name": "ana"}


def test_what_comes_out_is_small_whatever_goes_in():
    bomb = "x" * 10_000
    for _ in range(30):
        bomb = [bomb] * 100

    shown = json.dumps(mask({"bomb": bomb, "text": "y" * 10_000}))

    assert len(shown) < 20 * IN_ALL
    assert "…" in shown or "\\u2026" in shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("login with password=hunter2 went well", f"login with password={MASKED} went well"),
        ('{"apiKey": "hunter2", "name": "ana"}', f'{{"apiKey": "{MASKED}", "name": "ana"}}'),
        ("Authorization: Bearer hunter2", f"Authorization: Bearer {MASKED}"),
        ("redis://ana:hunter2@host/0", f"redis://ana:{MASKED}@host/0"),
        ("the token is fine", "the token is fine"),
    ],
)
def test_a_secret_in_a_text_is_masked(said, shown):
    assert mask_text(said) == shown
