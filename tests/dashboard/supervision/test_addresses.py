import socket

import pytest

from dashboard.supervision.addresses import read_address
from dashboard.supervision.refusals import CannotStart


@pytest.mark.parametrize(
    ("text", "bind", "url"),
    [
        ("127.0.0.1:8000", "127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("0.0.0.0:80", "0.0.0.0:80", "http://127.0.0.1:80/"),
        ("[::1]:8000", "[::1]:8000", "http://[::1]:8000/"),
        (":9000", ":9000", "http://127.0.0.1:9000/"),
    ],
)
def test_host_and_port_are_read(text: str, bind: str, url: str) -> None:
    address = read_address(text)

    assert address.bind == bind
    assert address.url == url


@pytest.mark.parametrize(
    "text", ["8000", "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "a b:80", "::1:80"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(CannotStart, match=r"--bind takes host:port"):
        read_address(text)


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CannotStart, match=rf"127\.0\.0\.1:{port}: Address already in use"):
            read_address(f"127.0.0.1:{port}").check_free()
