import os
import re
import subprocess
from pathlib import Path

import pytest

from dashboard.supervision.folders import lock_folder
from dashboard.supervision.refusals import CannotStart


def test_a_folder_is_kept_until_its_file_is_closed(tmp_path: Path) -> None:
    with lock_folder(tmp_path), pytest.raises(CannotStart, match=rf"already running .* \(process {os.getpid()}\)"):
        lock_folder(tmp_path)

    lock_folder(tmp_path).close()


def test_what_a_killed_run_left_behind_gets_the_time_to_end(tmp_path: Path) -> None:
    with lock_folder(tmp_path) as lock:
        left_behind = subprocess.Popen(["sleep", "0.5"], pass_fds=[lock.fileno()])
        ended = subprocess.Popen(["true"])
        ended.wait()
        (tmp_path / "up.lock").write_text(str(ended.pid))

    lock_folder(tmp_path).close()

    assert left_behind.poll() is not None or left_behind.wait() == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(CannotStart, match=re.escape(f"Cannot write in {file}/var: Not a directory.")):
        lock_folder(file / "var")
