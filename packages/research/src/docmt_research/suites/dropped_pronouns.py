"""Contrastive suites of dropped pronouns, from a parallel corpus. They are like ContraPro (Müller
et al. 2018), but for a language with dropped pronouns (Wang et al. 2018).

A case is a sentence without a pronoun in the source and with pronouns of one person only in the
reference; the wrong candidate has the pronouns of another person. Cases are balanced. For each pair
of pronouns, both pronouns have the same number of cases among the cases with the same form, the
same following word, the same sentence kind, question or not, and the same pronoun of the two said
last in the translation of the context. So neither the frequency of a pronoun nor these words reveal
the right candidate, and a system that repeats the last pronoun is right in half of the cases where
one was said.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, write_text
from docmt_files.storage.json_files import json_text
from docmt_research.analysis.contrastive_suites import ContrastiveCase
from docmt_research.suites.exchange import exchanged, pronouns_of, split_words
from docmt_research.suites.pronoun_table import PronounTable

_SOURCE_WORD = re.compile(r"[^\W\d_]+")
"""A word of a source language with spaces."""


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """Settings of a new suite."""

    context: int = 10
    """Maximum number of context sentences in a case."""

    most: int | None = None
    """Most cases of each pronoun of a pair. Default: all."""

    overt: bool = False
    """Take sentences with this pronoun and no other in the source: a control, decided by the
    sentence alone."""

    seed: int = 1
    """Seed of the draw among cases of which there are too many."""


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite, and statistics of the selection.

    Attributes:
        cases: the cases, in the order of the corpus.
        found: number of cases of each pronoun of a pair before they were balanced.
    """

    cases: tuple[ContrastiveCase, ...]
    found: dict[tuple[str, str], int]

    def kept(self) -> Counter[str]:
        """Number of cases by phenomenon."""
        return Counter(case.phenomenon for case in self.cases)


@dataclass(frozen=True, slots=True)
class _Found:
    """A case before balancing.

    Attributes:
        place: the index of the document, and of the sentence in it.
        pair: the pronoun of the reference, and the other one.
        stratum: the properties for balancing.
        case: the case.
    """

    place: tuple[int, int]
    pair: tuple[str, str]
    stratum: tuple[object, ...]
    case: ContrastiveCase


def make_suite(
    documents: Sequence[Document], table: PronounTable, settings: SuiteSettings | None = None
) -> MadeSuite:
    """Make a suite from documents with their translations.

    Args:
        documents: the corpus.
        table: the pronouns of both languages.
        settings: the settings of the suite.

    Raises:
        InputError: no case is left.
    """
    settings = settings or SuiteSettings()
    found = [
        one
        for number, document in enumerate(documents)
        for one in _cases_of(document, number, table, settings)
    ]
    kept = _balanced(found, table, settings)
    if not kept:
        kind = "with the pronoun" if settings.overt else "without a pronoun"
        raise InputError(
            f"no case is left of {len(found):,}: no sentences {kind} in the source whose reference "
            "has pronouns that can be exchanged both ways",
            cure="Check the languages, or take a larger corpus",
        )
    kept.sort(key=lambda one: (one.place, one.pair))
    return MadeSuite(tuple(one.case for one in kept), dict(Counter(one.pair for one in found)))


def _cases_of(
    document: Document, number: int, table: PronounTable, settings: SuiteSettings
) -> Iterator[_Found]:
    """All cases of a document."""
    if document.target is None:
        raise InputError(
            f"document {document.id!r} has no translation",
            cure="Name the file with the translations as `target`",
            parameters=("target",),
        )
    said = [pronouns_of(split_words(target, table), table) for target in document.target]
    mentions = [
        source_pronouns(source, table) | set(names)
        for source, names in zip(document.source, said, strict=True)
    ]
    for index, (source, target) in enumerate(zip(document.source, document.target, strict=True)):
        names = set(said[index])
        if not source.strip() or len(names) != 1:
            continue
        (own,) = names
        if source_pronouns(source, table) != ({own} if settings.overt else set()):
            continue
        for pair in table.rules:
            if pair[0] != own or (wrong := exchanged(target, table, pair)) is None:
                continue
            first = max(index - settings.context, 0)
            before = range(index - 1, first - 1, -1)
            distance = next((index - i for i in before if own in mentions[i]), None)
            yield _Found(
                (number, index),
                pair,
                (*_stratum(target, wrong, pair, table), _said_last(said[first:index], pair)),
                ContrastiveCase(
                    id=f"{document.id}:{index + 1}:{':'.join(pair)}",
                    source=document.source[first : index + 1],
                    context=document.target[first:index],
                    candidates=(target, wrong),
                    right=0,
                    phenomenon=f"{pair[0]}:{pair[1]}",
                    distance=distance,
                ),
            )


def source_pronouns(sentence: str, table: PronounTable) -> set[str]:
    """The names of the pronouns in a source sentence. Of two overlapping pronouns, such as 我 and
    我们, the longer one counts; a form shared by several pronouns counts for all of them."""
    sentence = sentence.lower()
    for other in table.source.not_pronouns:
        sentence = sentence.replace(other.lower(), " ")
    if table.source.spaces:
        words = set(_SOURCE_WORD.findall(sentence))
        return {name for name, forms in table.source_forms.items() if forms & words}
    found = set()
    for form in sorted(set().union(*table.source_forms.values()), key=len, reverse=True):
        if form in sentence:
            found |= {name for name, forms in table.source_forms.items() if form in forms}
            sentence = sentence.replace(form, " ")
    return found


def _said_last(said: Sequence[Sequence[str]], pair: tuple[str, str]) -> str | None:
    """The pronoun of a pair that these sentences, with their pronouns in order, say last."""
    backwards = (name for names in reversed(said) for name in reversed(names))
    return next((name for name in backwards if name in pair), None)


def _stratum(
    right: str, wrong: str, pair: tuple[str, str], table: PronounTable
) -> tuple[object, ...]:
    """The properties for balancing a case: the same for both pronouns of a pair."""
    ordered = sorted(((pair[0], right), (pair[1], wrong)))
    name, sentence = ordered[0]
    words = [word.text for word in split_words(sentence, table)]
    forms = table.target_forms[name]
    first = next(index for index, word in enumerate(words) if word in forms)
    following = words[first + 1] if first + 1 < len(words) else ""
    is_question = sentence.rstrip(" \"'”’").endswith(("?", "？"))
    return (*(name for name, _ in ordered), words[first], following, is_question)


def _balanced(
    found: Sequence[_Found], table: PronounTable, settings: SuiteSettings
) -> list[_Found]:
    """As many cases of each pronoun of a pair as of the other, in each stratum."""
    draw = random.Random(settings.seed)
    kept = []
    for pair in table.pairs:
        strata: dict[tuple[object, ...], tuple[list[_Found], list[_Found]]] = defaultdict(
            lambda: ([], [])
        )
        for one in found:
            if one.pair in (pair, pair[::-1]):
                strata[one.stratum][one.pair != pair].append(one)
        couples = []
        for sides in strata.values():
            for side in sides:
                draw.shuffle(side)
            couples += list(zip(*sides, strict=False))
        draw.shuffle(couples)
        kept += [one for couple in couples[: settings.most] for one in couple]
    return kept


def write_suite(suite: MadeSuite, path: PathLike) -> None:
    """Write a suite as JSON lines, which `read_suite` reads."""
    lines = []
    for case in suite.cases:
        values = {
            "id": case.id,
            "source": case.source,
            "context": case.context,
            "candidates": case.candidates,
            "right": case.right,
            "phenomenon": case.phenomenon,
        }
        lines.append(values | ({} if case.distance is None else {"distance": case.distance}))
    write_text(path, "".join(json_text(values) + "\n" for values in lines))
