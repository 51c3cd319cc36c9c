"""`Metrics`: what the service measures about itself, in Prometheus' text format. Labels have the
names of APIs and statuses, never what clients send: no keys, addresses or texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from docmt.serving.job import JobStatus

_TIMES = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


JobCounts = Callable[[], Mapping[JobStatus, int]]
"""Gives the number of jobs of each status."""


class Metrics:
    """Counts of one service, in a registry of its own.

    Attributes:
        characters: the characters of texts that were translated.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own = self._registry
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
        """Measure what is asked for whenever the metrics are read.

        Args:
            waiting: gives the number of instances that wait.
            jobs: gives the number of jobs of each status.
        """
        gauge = Gauge("docmt_waiting_instances", "Instances that wait", registry=self._registry)
        gauge.set_function(waiting)
        self._registry.register(_JobCounts(jobs))

    def observe_batch(self, requests: int, instances: int, seconds: float) -> None:
        """Count a batch that was searched."""
        self._batch_requests.observe(requests)
        self._batch_instances.observe(instances)
        self._batch_seconds.observe(seconds)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request while it is answered."""
        with self._in_flight.track_inprogress():
            yield

    def observe_request(self, api: str, status: int, seconds: float) -> None:
        """Count an answer.

        Args:
            api: the name of the API, one of few.
            status: the HTTP status.
            seconds: how long it took.
        """
        self._requests.labels(api, str(status)).inc()
        self._seconds.labels(api).observe(seconds)

    def text(self) -> bytes:
        """All counts, in Prometheus' text format."""
        return generate_latest(self._registry)


class _JobCounts(Collector):
    """The number of jobs of each status."""

    def __init__(self, counts: JobCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("docmt_jobs", "Files by status", labels=["status"])
        for status, count in self._counts().items():
            family.add_metric([status], count)
        yield family
