"""Where the instances of a document end, for scores that compare them.

A translation is divided as the system that made it divides its source.
"""

from __future__ import annotations

from collections.abc import Iterable

from docmt.data import InstanceSettings, cut
from docmt.documents import Document
from docmt.text.pipeline import Pipeline


def instance_sizes(
    documents: Iterable[Document], pipeline: Pipeline, settings: InstanceSettings
) -> list[int]:
    """The number of sentences in each instance, in order, no sentence in two. Target sides are not
    looked at, because a system does not know them when it cuts."""
    return [
        len(instance.source)
        for document in documents
        for instance in cut(
            pipeline.encode(Document(document.id, document.source)), settings.disjoint
        )
    ]
