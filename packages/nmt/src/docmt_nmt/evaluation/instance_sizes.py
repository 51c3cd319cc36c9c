"""Numbers of sentences in the instances of a document, for scores of instances.

A translation is divided as the translating system divides the source.
"""

from __future__ import annotations

from collections.abc import Iterable

from docmt_files.base.documents import Document
from docmt_nmt.data import InstanceSettings, cut
from docmt_nmt.text import Pipeline


def instance_sizes(
    documents: Iterable[Document], pipeline: Pipeline, settings: InstanceSettings
) -> list[int]:
    """The number of sentences in each instance, in order; every sentence is in one instance.

    Target sides are ignored, because a system does not know them when it cuts a document.
    """
    return [
        instance.document_sentences
        for document in documents
        for instance in cut(
            pipeline.encode(Document(document.id, document.source)),
            settings.disjoint,
            pipeline.special_tokens,
        )
    ]
