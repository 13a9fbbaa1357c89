"""What is sent is compressed: pages as they are made, files once they are collected."""

import gzip

from django.core.management import call_command


def test_a_page_is_sent_compressed(sign_in):
    client = sign_in("viewer")

    answer = client.get("/", headers={"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert b"<html" in gzip.decompress(answer.content)


def test_collected_files_lie_there_compressed(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path

    call_command("collectstatic", interactive=False, verbosity=0)

    assert list(tmp_path.glob("mandor/css/*.css.gz"))
