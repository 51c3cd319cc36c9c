"""A scripted translator with several translations of each sentence, and a language model that likes
words of the context."""

from __future__ import annotations

from dataclasses import dataclass, field

from docmt_files.base.documents import SentenceWarning
from docmt_llm.in_process.text_model import TextModel, TextProbabilities, TextProbability
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.translators import Plan, Translator, request_of


@dataclass(frozen=True)
class Scripted(Translator):
    """Gives scripted translations of a sentence, `;` between them, each 0.1 less probable than the
    one before. Sentences in `doubted` have a warning."""

    doubted: frozenset[str] = frozenset()
    gives = frozenset({"sentences", "alternatives", "words", "revisions"})
    languages = ("pt", "en")

    def plan(self, request):
        return Plan(request)

    def can_keep(self, sentence, words):
        return all(word in sentence for word in words)

    def fingerprint(self, request):
        return f"scripted {request.documents}"

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = request_of(request)
        if progress is not None:
            progress(request.size, request.size)
        return [self._translation(request, each) for each in range(len(request.documents))]

    def _translation(self, request, owner):
        document = request.documents[owner]
        options = [sentence.split(";") for sentence in document.source]
        if request.revision is not None:
            known = request.revision.known[owner].target
            options = [
                each if (owner, i) in request.revision.sentences else [known[i]]
                for i, each in enumerate(options)
            ]
        sentences = []
        for source, texts in zip(document.source, options, strict=True):
            best, *others = (
                Candidate(text, -0.1 - 0.1 * rank)
                for rank, text in enumerate(texts[: request.n_best])
            )
            warnings = (SentenceWarning("numbers", ""),) if source in self.doubted else ()
            sentences.append(
                TranslatedSentence(source, *best, others=tuple(others), warnings=warnings)
            )
        return Translation(document.id, tuple(sentences), (1,) * len(document))


@dataclass
class LikesKnownWords(TextModel):
    """A text is the more probable, the more of its words are in the context. It records the groups
    that it was asked for."""

    asked: list = field(default_factory=list)
    identity = {"name": "likes known words"}  # noqa: RUF012

    def log_probabilities(self, groups):
        self.asked.append(list(groups))
        results = [
            [
                TextProbability(-10.0 + len(set(" ".join(context).split()) & set(text.split())), 1)
                for text in texts
            ]
            for context, texts in groups
        ]
        return TextProbabilities(results, sum(len(texts) for _, texts in groups))
