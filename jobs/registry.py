"""The jobs of this deployment: what `@coordinated` registers, by public name."""

import inspect
import json
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial, update_wrapper
from typing import Any, Generic, Literal, ParamSpec, TypeVar, get_args

from django.db import transaction

from jobs import caching, enqueueing, read_through
from jobs.arguments import check_arguments, check_names, digest_arguments
from jobs.conf import conf

P = ParamSpec("P")
R = TypeVar("R")
Unique = Literal["", "queued", "keep-latest"]

_jobs: dict[str, "CoordinatedJob[..., Any]"] = {}


class UnknownJob(LookupError):
    """No registered job has this name; the message lists what there is."""


@dataclass(frozen=True, slots=True)
class Coordination:
    """How a job is coordinated: its queue, what it locks, what it caches, its limits, and how its calls are unique."""

    queue: str
    resource: str | None
    cache: str | None
    fresh_for: timedelta
    stale_for: timedelta
    max_duration: timedelta
    slow_after: timedelta
    retries: int
    unique: Unique = ""


class CoordinatedJob(Generic[P, R]):
    """A function whose calls run on workers, one at a time for each resource, and fill the shared cache."""

    do_not_call_in_templates = True  # a Django template calls what it can

    def __init__(self, function: Callable[P, R], name: str, coordination: Coordination) -> None:
        self.function = function
        self.name = name
        self.coordination = coordination
        self.signature = inspect.signature(function)
        update_wrapper(self, function)
        _check_templates(self)

    @property
    def queue(self) -> str:
        return self.coordination.queue

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def resource(self, arguments: dict[str, Any]) -> str | None:
        """Return what a call with these arguments locks.

        Without a resource a cached job locks its entry, and one that keeps the latest call its unique key.
        """
        template = self.coordination.resource
        if template is not None:
            return template.format(**arguments)
        key = self.cache_key(arguments)
        if key:
            return f"cache:{key}"
        return f"unique:{self.unique_key(arguments)}" if self.coordination.unique == "keep-latest" else None

    def cache_key(self, arguments: dict[str, Any]) -> str | None:
        """Return the cache entry that the return value of a call becomes, if any."""
        template = self.coordination.cache
        return template.format(**arguments) if template else None

    def unique_key(self, arguments: dict[str, Any]) -> str:
        """Return what makes two calls the same one: the job, and its resource and entry, or else all arguments."""
        templates = (self.coordination.resource, self.coordination.cache)
        named = [template.format(**arguments) for template in templates if template]
        what = named[0] if len(named) == 1 else json.dumps(named) if named else digest_arguments(arguments)
        return f"{self.name}:{what}"

    def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> "enqueueing.Enqueued":
        """Enqueue a call and return its id and status, or those of the job that stands for it if calls are unique.

        Inside `transaction.atomic()` the id is made at once and the job pushed on commit, never after a rollback; which
        job stands for it is decided then, so that the id may come to nothing. Raises InvalidArguments, naming each
        wrong one.
        """
        return enqueueing.enqueue(self, self.bind(args, kwargs))

    def enqueue_in(self, delay: timedelta, *args: P.args, **kwargs: P.kwargs) -> "enqueueing.Enqueued":
        """Enqueue a call that becomes due after `delay`, never early."""
        return enqueueing.enqueue(self, self.bind(args, kwargs), delay=delay)

    def read(self, wait: timedelta = timedelta(0), **arguments: Any) -> "caching.Entry":
        """Return the cache entry of a call. A stale or missing one enqueues one refresh; waits for it at most `wait`.

        Raises TypeError when the job has no `cache=`.
        """
        return read_through.read_through(self, self.bind((), arguments), wait=wait)

    def compute(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function here and now, without queue, lock or cache: the source, for a reader that fell back."""
        return self.function(*args, **kwargs)

    def changed(self, **arguments: Any) -> "enqueueing.Enqueued":
        """Say that the data behind a call changed: the entry is invalid at once, and one refresh is enqueued.

        A refresh that waits already takes over these arguments; while one runs, another waits for its end. Inside
        `transaction.atomic()` the entry is invalid for a second time on commit, and the refresh is enqueued then.
        """
        bound = self.bind((), arguments)
        key = self.cache_key(bound)
        if key:
            caching.invalidate(key)
            if transaction.get_connection().in_atomic_block:
                transaction.on_commit(partial(caching.invalidate, key))
        return enqueueing.enqueue(self, bound, once="keep-latest")

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return a call's arguments by name, checked, with the defaults.

        Raises InvalidArguments.
        """
        if args:
            message = f"{self.name} takes keyword arguments only."
            raise TypeError(message)
        bound = check_arguments(self.name, self.signature, kwargs)
        check_names(self.name, bound, self.resource(bound), self.cache_key(bound))
        return bound


def coordinated(
    *,
    queue: str,
    resource: str | None = None,
    cache: str | None = None,
    fresh_for: timedelta = timedelta(minutes=1),
    stale_for: timedelta = timedelta(minutes=10),
    max_duration: timedelta | None = None,
    slow_after: timedelta | None = None,
    retries: int | None = None,
    unique: Unique = "",
    name: str = "",
) -> Callable[[Callable[P, R]], CoordinatedJob[P, R]]:
    """Register a function as a job.

    `queue` must be in `RQ_QUEUES`. `resource` is what to lock and `cache` the entry its return value becomes, both
    formatted from the call's keyword arguments. An entry is fresh for `fresh_for` and may be served for `stale_for`
    after that. `max_duration` is the job's timeout, in whole seconds (3 minutes unless `MANDOR["MAX_DURATION"]` says
    otherwise); from `slow_after` (half of it) on it counts as long-running. `retries` is 3 by default
    (`MANDOR["RETRIES"]`). `name` is the public name, the dotted path by default.

    Calls of one resource and entry, or with the same arguments where neither is named, can be unique. With
    `unique="queued"` a call is dropped while another waits (a retry of one that ran meanwhile may wait beside it). With
    `unique="keep-latest"` one runs at a time and one waits at most, with the newest arguments: a call that waits takes
    them over and keeps its id, its place, its attempts and the time of its retry, and an attempt that failed or crashed
    gives way to a newer call. Either way a call that was scheduled for later is due when the sooner of both is.
    """
    if unique not in get_args(Unique):
        message = f"unique={unique!r}: it takes one of {', '.join(map(repr, get_args(Unique)))}."
        raise ValueError(message)

    def register(function: Callable[P, R]) -> CoordinatedJob[P, R]:
        longest = max_duration or conf().MAX_DURATION
        coordination = Coordination(
            queue=queue,
            resource=resource,
            cache=cache,
            fresh_for=fresh_for,
            stale_for=stale_for,
            max_duration=longest,
            slow_after=slow_after or longest / 2,
            retries=conf().RETRIES if retries is None else retries,
            unique=unique,
        )
        public = name or f"{function.__module__}.{function.__qualname__}"
        job = CoordinatedJob(function, public, coordination)
        _jobs[job.name] = job
        return job

    return register


def find_job(name: str) -> CoordinatedJob[..., Any]:
    """Return the job registered under a public name.

    Raises UnknownJob.
    """
    try:
        return _jobs[name]
    except KeyError:
        message = f"No job is called {name!r}. There are: {', '.join(sorted(_jobs)) or 'none'}."
        raise UnknownJob(message) from None


def list_jobs() -> list[CoordinatedJob[..., Any]]:
    """Return all registered jobs, by name."""
    return [_jobs[name] for name in sorted(_jobs)]


def _check_templates(job: CoordinatedJob[..., Any]) -> None:
    wrong_kind = [p.name for p in job.signature.parameters.values() if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    if wrong_kind:
        message = f"{job.name}: make its arguments keyword-only (put * before {wrong_kind[0]!r})."
        raise TypeError(message)
    for setting, template in (("resource", job.coordination.resource), ("cache", job.coordination.cache)):
        for _, field, _, _ in string.Formatter().parse(template or ""):
            if field is not None and field.split(".")[0].split("[")[0] not in job.signature.parameters:
                message = f"{job.name}: {setting}={template!r} names {field!r}, which is not an argument of it."
                raise TypeError(message)
