"""Django's own tests of its Redis cache, from Django's sdist, pass with `SharedCache` in its place."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import django
import pytest

from tests.conftest import SERVER

ROOT = Path(__file__).parents[3]
FOLDER = Path(tempfile.gettempdir()) / f"mandor-django-{django.__version__}"
THEIRS = '"django.core.cache.backends.redis.RedisCache"'


def get_djangos_tests() -> Path:
    """Return the folder of Django's tests, downloaded once for a machine."""
    found = FOLDER / f"django-{django.__version__}" / "tests"
    if not found.is_dir():
        wanted = ["download", "--quiet", "--no-binary", ":all:", "--no-deps", f"django=={django.__version__}"]
        command = [sys.executable, "-m", "pip", *wanted, "--dest", str(FOLDER)]
        got = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        archives = list(FOLDER.glob("*.tar.gz"))
        if got.returncode or not archives:
            say = pytest.fail if os.environ.get("CI") else pytest.skip
            say(f"Django's sdist cannot be downloaded: {got.stderr.strip()[-300:]}")
        with tarfile.open(archives[0]) as archive:
            archive.extractall(FOLDER, filter="data")
    return found


def test_djangos_own_tests_pass(tmp_path):
    djangos = get_djangos_tests()
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
