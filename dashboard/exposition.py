"""The figures in Prometheus' text format."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from jobs.durations import LIMITS_MS
from jobs.reads.metrics import CacheMetrics, Histogram, Metrics, QueueMetrics

QUEUE_GAUGES = {
    "waiting": "Jobs that wait to be taken, parked ones included.",
    "parked": "Jobs that wait for the lock of their resource.",
    "in_flight": "Jobs that a worker holds.",
    "long_running": "Jobs in flight for longer than they usually may.",
    "retrying": "Jobs that wait for their next attempt.",
    "dead": "Dead letters.",
}
QUEUE_COUNTERS = {
    "enqueued": "Jobs enqueued.",
    "finished": "Jobs finished.",
    "failed": "Attempts that failed.",
    "retried": "Attempts that failed and are tried again.",
    "reclaimed": "Jobs taken back from a worker that went silent.",
    "crashed": "Attempts that ended without a word.",
}
CACHE_COUNTERS = {
    "hits": "Reads of a fresh entry.",
    "stale": "Reads that were served a stale entry.",
    "misses": "Reads that found no entry.",
    "refreshes": "Entries computed and written.",
    "coalesced": "Reads that got what another computed.",
    "fallbacks": "Reads that fell back to the source.",
    "refused": "Late or outdated values that were not written.",
    "failures": "Computations that failed.",
}
QUEUE_HISTOGRAMS = {
    "wait": ("waited", "How long jobs waited to be taken, by the attempts that ended."),
    "duration": ("ran", "How long attempts ran that ended."),
}
EXPOSED_MS = {*(step * 10**power for power in range(7) for step in (1, 2, 5)), LIMITS_MS[-1]}
"""A scraper gets three limits a decade of the seven that are counted: it stores a series for each."""


def expose(metrics: Metrics | None, accept: str) -> tuple[bytes, str]:
    """Return the text and its content type; `None` says that Redis is away. `accept` is the scraper's header."""
    registry = CollectorRegistry()
    registry.register(_Figures(metrics))
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class _Figures(Collector):
    def __init__(self, metrics: Metrics | None) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield GaugeMetricFamily("mandor_up", "Whether Redis answers.", value=metrics is not None)
        if metrics is None:
            return
        yield GaugeMetricFamily("mandor_cache_up", "Whether the cache's server answers.", metrics.cache is not None)
        yield from _of_queues(metrics.queues)
        yield GaugeMetricFamily("mandor_locks_held", "Locks that are held.", metrics.locks_held)
        yield GaugeMetricFamily("mandor_locks_stuck", "Locks held for twice their maximum.", metrics.locks_stuck)
        yield from _of_cache(metrics.cache or ())


def _of_queues(queues: Iterable[QueueMetrics]) -> Iterator[Metric]:
    rows = list(queues)
    for name, text in QUEUE_GAUGES.items():
        gauge = GaugeMetricFamily(f"mandor_jobs_{name}", text, labels=["queue"])
        for row in rows:
            gauge.add_metric([row.name], getattr(row, name))
        yield gauge
    age = GaugeMetricFamily("mandor_jobs_oldest_waiting_seconds", "How long the next job has waited.", labels=["queue"])
    for row in rows:
        age.add_metric([row.name], row.oldest_age.total_seconds())
    yield age
    for name, text in QUEUE_COUNTERS.items():
        counter = CounterMetricFamily(f"mandor_jobs_{name}", text, labels=["queue"])
        for row in rows:
            counter.add_metric([row.name], getattr(row.counters, name))
        yield counter
    for name, (field, text) in QUEUE_HISTOGRAMS.items():
        histogram = HistogramMetricFamily(f"mandor_job_{name}_seconds", text, labels=["queue"])
        for row in rows:
            durations: Histogram = getattr(row, field)
            histogram.add_metric([row.name], _buckets(durations), durations.total.total_seconds())
        yield histogram


def _buckets(durations: Histogram) -> list[tuple[str, int]]:
    """Return the cumulative counts of the limits that are exposed."""
    sums = list(accumulate(durations.counts))
    counted = zip(LIMITS_MS, sums, strict=False)
    exposed = [(str(limit / 1000), count) for limit, count in counted if limit in EXPOSED_MS]
    return [*exposed, ("+Inf", sums[-1] if sums else 0)]


def _of_cache(namespaces: Iterable[CacheMetrics]) -> Iterator[Metric]:
    rows = list(namespaces)
    for name, text in CACHE_COUNTERS.items():
        counter = CounterMetricFamily(f"mandor_cache_{name}", text, labels=["namespace"])
        for row in rows:
            counter.add_metric([row.name], getattr(row, name))
        yield counter
