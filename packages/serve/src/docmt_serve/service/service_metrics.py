"""`Metrics`: counts of the service in Prometheus' text format. Labels are names of APIs and
statuses, never keys, addresses or texts of clients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from docmt_serve.jobs.job import JobStatus

_TIMES = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


JobCounts = Callable[[], Mapping[JobStatus, int]]
"""Gives the number of jobs by status."""


class Metrics:
    """Counts of a service, in a separate registry.

    Attributes:
        characters: characters of translated texts.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own = self._registry
        # Memory, processor time and open files, where the system tells them in /proc.
        ProcessCollector(registry=own)
        self.characters = Counter("docmt_characters", "Characters of texts", registry=own)
        self._requests = Counter(
            "docmt_requests", "Requests answered", ("api", "status"), registry=own
        )
        self._seconds = Histogram(
            "docmt_request_seconds", "Seconds of a request", ("api",), buckets=_TIMES, registry=own
        )
        self._in_flight = Gauge("docmt_requests_in_flight", "Requests being answered", registry=own)
        self._batch_requests = Histogram(
            "docmt_batch_requests", "Requests that share a batch", buckets=_SIZES, registry=own
        )
        self._batch_instances = Histogram(
            "docmt_batch_instances", "Instances of a batch", buckets=_SIZES, registry=own
        )
        self._batch_seconds = Histogram(
            "docmt_batch_seconds", "Seconds of the search of a batch", buckets=_TIMES, registry=own
        )

    def watch(
        self, waiting: Callable[[], int], jobs: Callable[[], Mapping[JobStatus, int]]
    ) -> None:
        """Measure values at each reading of the metrics.

        Args:
            waiting: gives the number of waiting instances.
            jobs: gives the number of jobs by status.
        """
        gauge = Gauge("docmt_waiting_instances", "Instances that wait", registry=self._registry)
        gauge.set_function(waiting)
        self._registry.register(_JobCounts(jobs))

    def observe_batch(self, requests: int, instances: int, seconds: float) -> None:
        """Count a searched batch."""
        self._batch_requests.observe(requests)
        self._batch_instances.observe(instances)
        self._batch_seconds.observe(seconds)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request until the answer."""
        with self._in_flight.track_inprogress():
            yield

    def observe_request(self, api: str, status: int, seconds: float) -> None:
        """Count an answer.

        Args:
            api: name of the API.
            status: HTTP status.
            seconds: time until the answer.
        """
        self._requests.labels(api, str(status)).inc()
        self._seconds.labels(api).observe(seconds)

    def text(self) -> bytes:
        """All counts in Prometheus' text format."""
        return generate_latest(self._registry)


class _JobCounts(Collector):
    """Number of jobs by status."""

    def __init__(self, counts: JobCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("docmt_jobs", "Files by status", labels=["status"])
        for status, count in self._counts().items():
            family.add_metric([status], count)
        yield family
