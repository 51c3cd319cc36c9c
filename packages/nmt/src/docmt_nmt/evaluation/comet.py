"""COMET (Rei et al. 2020, 2022), a score of each sentence by a trained model, and document COMET
(Vernikos et al. 2022, "Embarrassingly Easy Document-Level MT Metrics").

Document COMET is computed by the same model. The preceding sentences of the document, two by
default, are put before a sentence on every side, divided by the separator of the model's tokenizer.
The model encodes all of them, but only the states of the last sentence are averaged. The sentences
put before a translation are the reference's sentences: an error is counted once, in the sentence
with the error. With a model without references they are the translation's sentences.

Both need the package unbabel-comet and a COMET model, downloaded at the first use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.base.choices import COMET_MODEL
from docmt_nmt.evaluation.realigned_documents import RealignedDocument
from docmt_nmt.evaluation.segments import ParallelDocuments, target_sentences
from docmt_nmt.evaluation.statistics import Counts, Statistics, mean

_BATCH_SIZE = 16
"""Number of sentences per forward pass of the model; it does not change the scores."""

_PACKAGE = "unbabel-comet"

_FROM_0 = re.compile(r"(?i)(?:^|/)(?:wmt2[2-4]-(?:comet|cometkiwi)-da|xcomet-)[^/]*(?:/|$)")
"""Names of models with scores from 0 to 1. Those of others, as of wmt20-comet-da, have no end."""


class CometModel(Protocol):
    """The part of a model of the package `comet` used here."""

    encoder: Any
    """Has `tokenizer`, of transformers, and `max_positions`."""

    use_context: bool
    """A flag: states of sentences before the last are left out of the average."""

    def requires_references(self) -> bool:
        """Return whether the model reads references."""

    def enable_context(self) -> None:
        """Set `use_context`, if the model can."""

    def predict(self, samples: list[dict[str, str]], **options: Any) -> Any:
        """Score samples with the keys `src`, `mt` and, if it reads references, `ref`; the result
        has `scores`, one for each."""


@dataclass
class Comet:
    """A COMET model, loaded when it first scores.

    Attributes:
        name: the model: a name of the Hugging Face hub, or a file `.ckpt`.
        context: number of sentences put before a sentence for document COMET.
        gpus: number of GPUs to use.
        model: the loaded model.
    """

    name: str = COMET_MODEL
    context: int = 2
    gpus: int = 0
    model: CometModel | None = None
    _known: dict[tuple[str, ...], float] = field(default_factory=dict, repr=False)

    def check_installed(self) -> None:
        """Check the installation of the package before any work.

        Raises:
            InputError: the package is not installed.
        """
        if self.model is None and find_spec("comet") is None:
            raise InputError(
                f"COMET is not installed (the package {_PACKAGE})",
                cure="Install it with `pip install 'docmt[comet]'`, or leave the metric out",
            )

    def statistics(
        self,
        parallel: ParallelDocuments,
        sources: Sequence[Document] | None = None,
        *,
        document_level: bool = False,
    ) -> tuple[Statistics, list[str]]:
        """The score of each sentence, 100 times the model's score, and notes for the reader of the
        scores. With several references, the score is the mean over the references.

        Args:
            parallel: the translation and the references.
            sources: the source documents. Default: the source sides of the translation.
            document_level: whether to compute document COMET.

        Raises:
            InputError: COMET is not installed, the model cannot be loaded or cannot leave context
                out of the average, or the source is not known.
        """
        model = self._load()
        parallel.segments("sentence")  # Joined sentences are an error.
        source = _source_sentences(parallel, sources)
        model.use_context = False
        if document_level:
            model.enable_context()
            if not model.use_context:
                raise InputError(
                    f"the COMET model {self.name} cannot score with context",
                    cure=f"Choose a regression model, such as {COMET_MODEL}, or the metric comet",
                )
        references: Sequence[Sequence[Document] | None] = [None]
        if model.requires_references():
            references = parallel.references
        samples = [
            self._samples(
                model, parallel.hypothesis, source, reference, self.context * document_level
            )
            for reference in references
        ]
        scores = np.mean([self._predict(model, one, document_level) for one in samples], axis=0)
        counts = np.stack([100 * scores, np.ones(len(scores))], axis=1)
        notes = []
        if any(isinstance(document, RealignedDocument) for document in parallel.hypothesis):
            counts, note = self._with_lost_and_added(parallel.hypothesis, counts)
            notes.append(note)
        elif parallel.empty:
            notes.append(
                f"{counted(parallel.empty, 'translation')} without words, which COMET cannot score"
            )
        if cut := sum(self._is_too_long(model, sample) for sample in samples[0]):
            notes.append(
                f"{counted(cut, 'sentence')} with more tokens than the COMET model reads; the rest "
                "was ignored"
            )
        signature = self._signature(references, document_level=document_level)
        return Statistics(counts, mean, signature), notes

    def _load(self) -> CometModel:
        """The model.

        Raises:
            InputError: COMET is not installed, or the model cannot be loaded.
        """
        if self.model is None:
            self.check_installed()
            import comet

            try:
                path = self.name
                if not path.endswith(".ckpt"):
                    path = comet.download_model(self.name)
                self.model = comet.load_from_checkpoint(path)
            except Exception as error:
                # It raises Exception itself, and whatever the network and torch raise.
                raise InputError(
                    f"the COMET model {self.name} cannot be loaded ({error})",
                    cure="Check its name and the network, or name a file .ckpt as `comet_model`",
                    parameters=("comet_model",),
                ) from error
        return self.model

    def _samples(
        self,
        model: CometModel,
        hypothesis: Sequence[Document],
        sources: Sequence[Sequence[str]],
        reference: Sequence[Document] | None,
        context: int,
    ) -> list[dict[str, str]]:
        """Return the model's input for each sentence: the sentence and the given number of
        sentences before it, or as many as fit."""
        samples = []
        for index, (document, source) in enumerate(zip(hypothesis, sources, strict=True)):
            ours = target_sentences(document)
            if isinstance(document, RealignedDocument):
                ours = document.kept
            sides = {"src": source, "mt": ours}
            before = dict(sides)
            if reference is not None:
                sides["ref"] = before["ref"] = before["mt"] = target_sentences(reference[index])
            for i in range(len(document)):
                # Where all would be too long, the oldest context is left out first.
                for size in range(min(i, context), -1, -1):
                    sample = {
                        key: _joined(model, [*before[key][i - size : i], sides[key][i]])
                        for key in sides
                    }
                    if size == 0 or not self._is_too_long(model, sample):
                        break
                samples.append(sample)
        return samples

    def _is_too_long(self, model: CometModel, sample: dict[str, str]) -> bool:
        """Return whether the model would cut off a side of a sample: a unified model (COMET-Kiwi,
        xCOMET) reads all sides as one sequence, other models each on its own."""
        # comet passes max_positions - 2 to the tokenizer.
        tokenizer, limit = model.encoder.tokenizer, int(model.encoder.max_positions) - 2
        lengths = [len(tokenizer(text)["input_ids"]) for text in sample.values()]
        is_unified = "input_segments" in getattr(model, "hparams", ())
        return (sum(lengths) if is_unified else max(lengths)) > limit

    def _predict(
        self, model: CometModel, samples: list[dict[str, str]], document_level: bool
    ) -> list[float]:
        """The scores of samples. Scores computed before, for example for another metric, are
        remembered."""
        keys = [(str(document_level), *sample.values()) for sample in samples]
        new = {key: s for key, s in zip(keys, samples, strict=True) if key not in self._known}
        if new:
            prediction = model.predict(
                list(new.values()), batch_size=_BATCH_SIZE, gpus=self.gpus, progress_bar=False
            )
            self._known.update(zip(new, map(float, prediction.scores), strict=True))
        return [self._known[key] for key in keys]

    def _with_lost_and_added(
        self, documents: Sequence[Document], counts: Counts
    ) -> tuple[Counts, str]:
        """The score of each sentence with 0 for a lost one, and for each added sentence another 0
        (Wang et al. 2025); and the note for the reader.

        Raises:
            InputError: there are such sentences, and scores of the model may be below 0.
        """
        kept = [text for d in documents if isinstance(d, RealignedDocument) for text in d.kept]
        added = [n for d in documents if isinstance(d, RealignedDocument) for n in d.added]
        is_lost = np.array([not text for text in kept])
        lost_and_added = (
            f"{counted(int(is_lost.sum()), 'lost sentence')} and "
            f"{counted(sum(added), 'added sentence')}"
        )
        if (is_lost.any() or any(added)) and not _FROM_0.search(self.name):
            raise InputError(
                f"{lost_and_added} would count with the score 0, and the COMET model {self.name} "
                "is not known to score from 0: a bad translation may be below",
                cure=f"Choose a model from 0 to 1, such as {COMET_MODEL}, or leave COMET out",
                parameters=("comet_model",),
            )
        scores = np.where(is_lost, 0.0, counts[:, 0])
        note = f"{lost_and_added} count with the score 0"
        return np.stack([scores, 1.0 + np.array(added)], axis=1), note

    def _signature(
        self, references: Sequence[Sequence[Document] | None], *, document_level: bool
    ) -> str:
        read = references != [None]
        parts = [f"nrefs:{len(references) if read else 0}"]
        if len(references) > 1:
            parts.append("refs:mean")
        if document_level:
            parts.append(f"context:{self.context}|mt-context:{'ref' if read else 'mt'}")
        return "|".join([*parts, f"model:{self.name}", "scale:100", f"version:{_version()}"])


def _version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def _joined(model: CometModel, sentences: Sequence[str]) -> str:
    """Sentences divided by the separator of the model's tokenizer."""
    if len(sentences) == 1:
        return sentences[0]
    return f" {model.encoder.tokenizer.sep_token} ".join(sentences)


def _source_sentences(
    parallel: ParallelDocuments, sources: Sequence[Document] | None
) -> list[tuple[str, ...]]:
    """The source sentences of each document, one for each of the translation."""
    documents = parallel.hypothesis if sources is None else sources
    if sources is None and all(d.source == d.target for d in documents):
        raise InputError(
            "COMET compares with the source, and the translation comes without it",
            cure="Name the source file as `source`, or give `sources`",
            parameters=("source",),
        )
    theirs = [len(document) for document in documents]
    ours = [len(document) for document in parallel.hypothesis]
    if theirs != ours:
        raise InputError(
            f"the source has {counted(len(theirs), 'document')} and "
            f"{counted(sum(theirs), 'sentence')}, the translation "
            f"{counted(len(ours), 'document')} and {counted(sum(ours), 'sentence')}, or they are "
            "divided differently",
            cure="Name the source of exactly this translation as `source`",
            parameters=("source",),
        )
    return [document.source for document in documents]
