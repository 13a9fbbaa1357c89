"""A write leads back to where it came from, and nowhere else."""

import pytest
from django.test import RequestFactory

from dashboard.answers import go_back


@pytest.mark.parametrize(
    ("referer", "location"),
    [
        ("http://testserver/locks/?page=2", "http://testserver/locks/?page=2"),
        ("https://evil.example/", "/locks/"),
        ("", "/locks/"),
    ],
)
def test_it_leads_back_within_the_dashboard(referer: str, location: str):
    answer = go_back(RequestFactory().post("/", headers={"Referer": referer}), "mandor:locks")

    assert answer.status_code == 303
    assert answer["Location"] == location
