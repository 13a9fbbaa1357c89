"""Django's own tests of its Redis cache, from Django's sdist, pass with `SharedCache` in its place."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import django

from tests.conftest import SERVER
from tests.sdists import fetch_sdist

ROOT = Path(__file__).parents[3]
THEIRS = '"django.core.cache.backends.redis.RedisCache"'


def test_djangos_own_tests_pass(tmp_path):
    djangos = fetch_sdist("django", django.__version__) / "tests"
    for name in ("runtests.py", "urls.py"):
        shutil.copy(djangos / name, tmp_path)
    shutil.copytree(djangos / "templates", tmp_path / "templates")
    shutil.copytree(djangos / "cache", tmp_path / "cache")
    tests = tmp_path / "cache" / "tests.py"
    tests.write_text(tests.read_text().replace(THEIRS, '"jobs.caching.SharedCache"'))

    ran = subprocess.run(
        [
            sys.executable,
            "runtests.py",
            "--settings=tests.jobs.caching.django_settings",
            "--parallel=1",
            "cache.tests.RedisCacheTests",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "REDIS_URL": SERVER.url, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr[-3000:]
    assert int(re.search(r"Ran (\d+) tests", ran.stderr)[1]) > 60
    assert "OK (skipped=3)" in ran.stderr, "two that cull and one that needs a memory cache"
