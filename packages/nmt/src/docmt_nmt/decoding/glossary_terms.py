"""`GlossaryTerms`: the terms of a glossary as constraints of search (`term_constraints`)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np

from docmt_files.base.documents import Sentence
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance
from docmt_nmt.decoding.assembling import translated_sentences
from docmt_nmt.decoding.limits import max_length
from docmt_nmt.decoding.literals import Literals
from docmt_nmt.decoding.term_constraints import (
    SentenceConstraints,
    TermConstraint,
    TermConstraints,
    WordEdges,
)
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import Pipeline
from docmt_nmt.text.word_boundaries import is_in_word
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.requests import SourceDocument
from docmt_nmt.translators.term_uses import TermUse, find_uses

_WITHIN, _AFTER_BRACKET = "a ", "("
"""Text before a term in a sentence: a word and a space, or an opening bracket."""

_CLOSING_MARKS = frozenset(".,;:!?…%)]}»”’")
"""Marks after which a word begins with a space, where words have spaces between them."""

_LISTED = 3
"""The maximum number of terms in an error."""

_EDGES: WeakKeyDictionary[Pipeline, WordEdges] = WeakKeyDictionary()
"""The word edges of each pipeline in use: of 32,000 tokens they take longer than a sentence."""

Sentences = list[list[TermConstraint]]
"""Constraints of each sentence."""


class GlossaryTerms:
    """The terms of a glossary for a translator, and literals that it has lost.

    Raises:
        InputError: the search is not a beam search.
    """

    def __init__(self, glossary: Glossary, pipeline: Pipeline, settings: SearchSettings) -> None:
        if settings.method != "beam":
            raise InputError(
                f"a glossary needs beam search, not search.method {settings.method}",
                cure=f"Leave out the glossary, or `{settings.method}`",
                parameters=(f"{settings.method}",),
            )
        self.glossary = glossary.normalized(pipeline.normalize)
        self._pipeline, self._settings = pipeline, settings
        self._encoded: dict[tuple[str, bool], tuple[tuple[int, ...], ...]] = {}

    @property
    def edges(self) -> WordEdges:
        """The word edges of the target vocabulary. A closing mark counts as a word: a token without
        a space would be glued to the mark."""
        known = _EDGES.get(self._pipeline)
        if known is None:
            surfaces = [surface or " " for surface in self._pipeline.surfaces()]
            begins = np.array([is_in_word(surface[0]) for surface in surfaces])
            ends = np.array([is_in_word(s[-1]) or s[-1] in _CLOSING_MARKS for s in surfaces])
            known = _EDGES[self._pipeline] = WordEdges(begins, ends)
        return known

    def constraints(
        self,
        document: SourceDocument,
        literals: Sequence[Literals | None],
        instances: Sequence[Instance],
    ) -> list[Sentences]:
        """The constraints of the sentences of each instance of a document.

        Args:
            document: the document as given. No term is found inside protected words.
            literals: the literals of each sentence that has some. Those that are forced are
                written as far as they fit.
            instances: the instances of the document, or sliding windows over it.

        Raises:
            InputError: a term of a sentence cannot be written; the message names the document, the
                sentence and the term.
        """
        numbers = translated_sentences(document.plain)
        uses = [self._uses(document.sentences[number], literals[number]) for number in numbers]
        if not any(uses):
            return [[[] for _ in instance.source] for instance in instances]
        needed = [
            [
                self._constraint(use, f"document {document.id!r}: sentence {number + 1:,}")
                for use in of_sentence
            ]
            for number, of_sentence in zip(numbers, uses, strict=True)
        ]
        constraints = []
        for instance in instances:
            sentences_of_instance = slice(
                instance.first, instance.first + instance.document_sentences
            )
            sentences, named, first = (
                needed[sentences_of_instance],
                uses[sentences_of_instance],
                numbers[sentences_of_instance][0],
            )
            if instance.joined:
                sentences, named = [list(chain(*sentences))], [list(chain(*named))]
            lengths = map(len, instance.source)
            for k, (length, of_sentence) in enumerate(zip(lengths, sentences, strict=True)):
                where = f"document {document.id!r}: sentence {numbers[instance.first + k] + 1:,}"
                if instance.joined:
                    where = f"document {document.id!r}: the chunk from sentence {first + 1:,} on"
                self._check_length(of_sentence, named[k], length, where)
            constraints.append(sentences)
        return constraints

    def of_batch(self, instances: Sequence[Sentences]) -> TermConstraints | None:
        """The constraints of a batch of instances; None if there are none."""
        sentences = list(chain(*instances))
        return TermConstraints(sentences, self.edges) if any(sentences) else None

    def _uses(self, given: Sentence, literals: Literals | None) -> list[TermUse]:
        """The terms of a sentence, each once, and the stand-ins that are forced."""
        if literals is None:
            return find_uses(self.glossary, given.text)
        found = find_uses(self.glossary, literals.text, literals.stand_ins)
        # Where the source has a space before a literal, the translation has one.
        spaced = f" {literals.text}"
        for word, times in Counter(literals.forced).items():
            is_spaced = spaced.count(f" {word}") >= times
            use = TermUse(Term((word,), ()), (word,), times, is_spaced)
            if self._fit([*found, use], literals.text):
                found.append(use)
        return found

    def _fit(self, uses: Sequence[TermUse], sentence: str) -> bool:
        """Return whether the translation of a sentence can have these terms."""
        try:
            constraints = [self._constraint(use, "") for use in uses]
        except InputError:
            return False
        return self.fits(constraints, len(self._pipeline.encode_sentence(sentence)))

    def constraint(self, *forms: str, times: int = 1, spaced: bool = False) -> TermConstraint:
        """The constraint to write one of several target forms.

        Args:
            spaced: whether only after a space or at the beginning, not after a bracket.

        Raises:
            InputError: no form can be written.
        """
        encoded = dict.fromkeys(ids for form in forms for ids in self._encode(form, spaced))
        if not encoded:
            raise InputError(
                f"{' or '.join(map(repr, forms))} cannot be written by this run, whose vocabulary "
                "or text steps do not have it"
            )
        return TermConstraint(tuple(encoded), times)

    def _constraint(self, use: TermUse, where: str) -> TermConstraint:
        """The constraint of a term on the target sentence."""
        try:
            return self.constraint(*use.forms, times=use.times, spaced=use.spaced)
        except InputError as error:
            raise self.glossary.error(
                f"{where}: the term {use.term.source[0]!r} cannot be written: {error.problem}",
                "Give another target form, or remove the term",
                use.term,
            ) from None

    def _encode(self, form: str, spaced: bool) -> tuple[tuple[int, ...], ...]:
        """The token sequences of a form after a word, after a bracket, and at the beginning."""
        if (form, spaced) in self._encoded:
            return self._encoded[form, spaced]
        pipeline = self._pipeline
        vocabulary = pipeline.target_vocabulary
        # Text comes back composed, whatever the pipeline does to it.
        text = unicodedata.normalize("NFC", pipeline.normalize(form, "target"))
        before = pipeline.encode_sentence(_WITHIN.strip(), "target")
        exact, folded = [], []
        for prefix in (_WITHIN, "") if spaced else (_WITHIN, _AFTER_BRACKET, ""):
            opening = pipeline.encode_sentence(prefix.strip(), "target") if prefix else []
            ids = pipeline.encode_sentence(prefix + text, "target")
            ids_of_term = tuple(ids[len(opening) :])
            if (
                ids[: len(opening)] != opening
                or not ids_of_term
                or vocabulary.special_ids & set(ids_of_term)
            ):
                continue
            written = pipeline.decode_sentence([*before, *ids_of_term])
            if text in written:
                exact.append(ids_of_term)
            elif text.casefold() in written.casefold():
                folded.append(ids_of_term)
        encodings = tuple(dict.fromkeys(exact or folded))
        self._encoded[form, spaced] = encodings
        return encodings

    def fits(self, constraints: Sequence[TermConstraint], length: int) -> bool:
        """Return whether the translation of a sentence of so many tokens may be as long as it
        must."""
        need, limit = self._need_and_limit(constraints, length)
        return need <= limit

    def _need_and_limit(
        self, constraints: Sequence[TermConstraint], length: int
    ) -> tuple[int, int]:
        """The fewest tokens to meet the constraints of a sentence, and the maximum length."""
        need = SentenceConstraints(constraints, self.edges).initial.need if constraints else 0
        return need, int(max_length(length, self._settings))

    def _check_length(
        self,
        constraints: Sequence[TermConstraint],
        uses: Sequence[TermUse],
        length: int,
        where: str,
    ) -> None:
        """Check the terms of a source sentence of this length against the maximum length."""
        need, limit = self._need_and_limit(constraints, length)
        if need <= limit:
            return
        names = ", ".join(repr(use.term.source[0]) for use in uses[:_LISTED])
        names += ", …" if len(uses) > _LISTED else ""
        noun = "the term" if len(uses) == 1 else "the terms"
        raise self.glossary.error(
            f"{where}: {noun} {names} cannot be written: that takes {need:,} tokens, and the "
            f"translation may have {limit:,} (search.max_length_factor, search.max_length_offset)",
            "Remove a term or shorten it, or give the run a higher search.max_length_offset",
            uses[0].term if len(uses) == 1 else None,
        )
