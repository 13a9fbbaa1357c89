"""A recorded history of jobs and the rules it keeps: none lost, none doubled, nothing counted that is not there."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from tests.faults.marks import Run

FINISHED, FAILED, STOPPED = "finished", "failed", "stopped"


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What the server says of a job in the end. `committed` are the runs whose value it holds as results."""

    job: str
    queue: str
    status: str
    committed: tuple[str, ...] = ()
    failures: int = 0
    crashes: int = 0
    foreign: bool = False
    """It was ended by a stock worker, or by RQ's own code in ours."""


@dataclass(frozen=True, slots=True)
class History:
    """All that happened in a storm."""

    enqueued: frozenset[str]
    runs: tuple[Run, ...]
    records: dict[str, JobRecord]
    counts: dict[str, Counter[str]]
    left_over: tuple[str, ...] = ()
    cached: dict[str, str] = field(default_factory=dict)
    """The run whose value each cache entry holds."""
    struck: frozenset[int] = frozenset()
    """Workers and horses that were killed or frozen: what one had finished and could not say is done once more."""
    robbed: frozenset[str] = frozenset()
    """Resources whose lock was released by force."""


def figures(history: History) -> str:
    """Say how much happened."""
    ended = Counter(run.job for run in history.runs if run.ended is not None)
    crashes = sum(record.crashes for record in history.records.values())
    more = sum(number > 1 for number in ended.values())
    return (
        f"{len(history.enqueued)} jobs, {len(history.runs)} runs, {crashes} crashes, "
        f"{sum(run.raised for run in history.runs)} failures, {more} jobs ran to their end more than once"
    )


def breaches(history: History) -> list[str]:
    """Return each breach of a rule, in words."""
    rules = (_lost, _committed_superseded, _doubled, _overlapping, _cached_superseded, _miscounted, _left_over)
    return [breach for rule in rules for breach in rule(history)]


def _harmed(history: History, run: Run) -> bool:
    return run.worker in history.struck or run.horse in history.struck or run.resource in history.robbed


def _runs_by_job(history: History) -> dict[str, list[Run]]:
    ordered = sorted(history.runs, key=lambda run: (run.job, run.began))
    return {job: list(runs) for job, runs in groupby(ordered, key=lambda run: run.job)}


def _lost(history: History) -> Iterator[str]:
    ran = {run.job for run in history.runs if run.ended is not None}
    for job in sorted(history.enqueued):
        record = history.records.get(job)
        if record is None:
            yield f"{job} has no record"
        elif record.status not in (FINISHED, STOPPED):
            yield f"{job} is {record.status}"
        elif record.status == FINISHED and job not in ran:
            yield f"{job} counts as finished and never ran to its end"


def _committed_superseded(history: History) -> Iterator[str]:
    """A run lost its claim before another of its job began, unless that other was held up until its own had lapsed."""
    runs = _runs_by_job(history)
    for record in history.records.values():
        if record.status == FINISHED and not record.committed:
            yield f"{record.job} is finished without a result"
        for name in record.committed:
            known = runs.get(record.job, [])
            run = next((run for run in known if run.name == name), None)
            if run is None or run.ended is None:
                yield f"{record.job} holds the result of {name}, which never came to its end"
                continue
            for after in known:
                if after.began > run.began and not _harmed(history, after):
                    yield f"{record.job} holds the result of {name}, which was superseded by {after.name}"


def _doubled(history: History) -> Iterator[str]:
    for record in history.records.values():
        if len(record.committed) > 1:
            yield f"{record.job} was committed {len(record.committed)} times"
    for job, runs in _runs_by_job(history).items():
        ended = [run for run in runs if run.ended is not None]
        for run in ended[:-1]:
            if not _harmed(history, run):
                yield f"{job} ran to its end as {run.name} on an unharmed worker, {run.worker}, and once more"


def _overlapping(history: History) -> Iterator[str]:
    ordered = sorted((run for run in history.runs if run.resource), key=lambda run: (run.resource, run.began))
    for resource, group in groupby(ordered, key=lambda run: run.resource):
        runs = list(group)
        for run, after in pairwise(runs):
            if run.ended is not None and after.began < run.ended and not _harmed(history, run):
                yield f"{after.name} began at {resource} before {run.name}, unharmed, had ended"


def _cached_superseded(history: History) -> Iterator[str]:
    committed = {name for record in history.records.values() for name in record.committed}
    for key, name in history.cached.items():
        if name not in committed:
            yield f"{key} holds the value of {name}, which was not committed"


def _miscounted(history: History) -> Iterator[str]:
    """Mandor's scripts count each end once; what others ended they may have counted or not."""
    for queue, counts in history.counts.items():
        records = [record for record in history.records.values() if record.queue == queue]
        there = {
            "enqueued": [True for record in records],
            "finished": [record.status == FINISHED for record in records],
            "dead": [record.status == FAILED for record in records],
        }
        for what, which in there.items():
            ours = sum(is_so for is_so, record in zip(which, records, strict=True) if not record.foreign)
            if not ours <= counts[what] <= sum(which):
                yield f"{queue} counts {counts[what]} {what}, and {ours} to {sum(which)} are there"
        for what, number in (
            ("failed", sum(record.failures for record in records)),
            ("crashed", sum(record.crashes for record in records)),
        ):
            if counts[what] != number:
                yield f"{queue} counts {counts[what]} {what}, and {number} are there"
    raised = sum(run.raised for run in history.runs)
    failures = sum(record.failures for record in history.records.values())
    if failures > raised and not history.robbed:
        yield f"{failures} failures are on record, and {raised} runs raised"


def _left_over(history: History) -> Iterator[str]:
    yield from (f"left over: {what}" for what in history.left_over)
