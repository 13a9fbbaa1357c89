"""Other projects' own tests, from the sdist of the version that is installed, downloaded once for a machine."""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest


def fetch_sdist(project: str, version: str) -> Path:
    """Return the folder of the sdist; where it cannot be downloaded, CI fails and a person's run skips."""
    folder = Path(tempfile.gettempdir()) / f"mandor-{project}-{version}"
    found = folder / f"{project}-{version}"
    if not found.is_dir():
        wanted = ["download", "--quiet", "--no-binary", project, "--no-deps", f"{project}=={version}"]
        command = [sys.executable, "-m", "pip", *wanted, "--dest", str(folder)]
        got = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        archives = list(folder.glob("*.tar.gz"))
        if got.returncode or not archives:
            say = pytest.fail if os.environ.get("CI") else pytest.skip
            say(f"The sdist of {project} cannot be downloaded: {got.stderr.strip()[-300:]}")
        with tarfile.open(archives[0]) as archive:
            archive.extractall(folder, filter="data")
    return found
