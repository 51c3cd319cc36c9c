"""The data of the second task, from CTXPRO `animacy` pt-en: *ele* and *ela* for a thing are *it*.

The teacher puts the noun of the antecedent in the place of the pronoun, lets the start translate,
and puts *it* in the place of the noun's translation, which is that by the start as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from adapter_data import (
    LINES_BEFORE,
    Case,
    Line,
    cases_of,
    lines_after_gap,
    load_cases,
    read_lines,
    write_cases,
    write_record,
)
from adapter_texts import Text, chats, of_cases, with_other_context, write_named
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators import translate
from docmt_nmt.translators.translator import Translator
from docmt_research.completion import CompletedDocument, teach, with_noun, with_pronoun

ORDINARY = 600
"""Ordinary stretches of each kind, for training: with *ele* or *ela* in the last line, and any."""

HELD = 4
"""One in so many films is for validation and for τ."""

ORDINARY_STRETCHES = 250
"""Stretches of five lines for the choice of τ, of which the last four are measured."""

OTHER_SUBTITLES = 1_500

_PRONOUN = re.compile(r"\b[Ee]l[ea]\b")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_PEOPLE = frozenset({"he", "she"})
PRONOUNS = _PEOPLE | {"it"}
"""The expected forms of this task."""


def has_pronoun(translation: str, pronoun: str) -> bool:
    """Return whether a translation has *it*, also in *it's*; or words of *he* or of *she*, and none
    of the other."""
    if pronoun == "it":
        return bool(_IT.search(translation))
    return _people_in(translation) == {pronoun}


def _people_in(text: str) -> frozenset[str]:
    table = FormTable.of("en")
    assert table is not None
    return _PEOPLE & table.groups_in(text)


def pronoun_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines with *ele* or *ela* whose antecedent is in an earlier line."""
    return [
        line
        for line in lines
        if line.row["src pronoun"].lower() in ("ele", "ela")
        and not line.row["intrasegmental"]
        and line.row["ante distance"] > 0
    ]


def antecedent_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines with the antecedents, with those before them and the translation by people."""
    found = []
    for line in lines:
        distance = 0 if line.row["intrasegmental"] else int(line.row["ante distance"])
        before = line.before[:-distance] if 0 < distance < len(line.before) else ()
        if before and before[-1] and line.before[-distance]:
            row = {**line.row, "ref segment": line.row["ref ante segment"]}
            found.append(Line(line.film, before, line.before[-distance], row))
    return found


def people_cases(lines: Sequence[Line]) -> list[Case]:
    """Lines whose translation by people has words of *he* or of *she*, and not of both."""
    found: dict[tuple[str, str], Case] = {}
    for case in cases_of([*lines, *antecedent_lines(lines)]):
        if len(people := _people_in(case.reference)) == 1:
            (person,) = people
            kept = replace(case, expected=person, distance=0)
            found.setdefault((case.film, case.sentence), kept)
    return list(found.values())


def completed_pronouns(
    translator: Translator, lines: Sequence[Line], draw: random.Random
) -> list[Document]:
    """Training documents: lines with a pronoun, each after as many lines as are drawn, the last
    one with a target by completion. A document in which completion changes nothing is left out."""
    documents: list[CompletedDocument] = []
    phrases: list[str] = []
    for line in lines:
        completion, distance = completion_of(line), int(line.row["ante distance"])
        before = lines_after_gap(line.before)
        if completion is None or distance > min(LINES_BEFORE, len(before)):
            continue
        number = draw.randint(distance, min(LINES_BEFORE, len(before)))
        source = (*before[-number:], line.sentence)
        documents.append(CompletedDocument(f"it-{len(documents)}", source, completion[0]))
        phrases.append(completion[1])
    ids = [each.id for each in documents]
    nouns = dict(zip(ids, translated(translator, phrases), strict=True))
    lasts = [each.source[-1] for each in documents]
    alone = dict(zip(ids, translated(translator, lasts), strict=True))
    taught = []
    for document in teach(translator, documents):
        assert document.target is not None
        last = with_pronoun(document.target[-1], noun_of(nouns[document.id]))
        if last is not None and last != alone[document.id]:
            target = (*document.target[:-1], last)
            taught.append(Document(document.id, document.source, target))
    return taught


def completion_of(line: Line) -> tuple[str, str] | None:
    """A line with the noun of the antecedent in the place of its pronoun, and the noun alone with
    its article; None where the pronoun is not there once."""
    gender = "f" if line.row["src ante head gender"].startswith("F") else "m"
    noun = line.row["src ante head"]
    completed = with_noun(line.sentence, noun, gender)
    return None if completed is None else (completed, f"{'a' if gender == 'f' else 'o'} {noun}.")


def noun_of(phrase: str) -> str:
    """The noun in the translation of one with its article."""
    return _ARTICLE.sub("", phrase.rstrip(". "))


def translated(translator: Translator, texts: Sequence[str]) -> list[str]:
    """Translations of sentences, each alone."""
    made = translate(translator, [Document(str(n), (text,)) for n, text in enumerate(texts)])
    return [(each.document.target or ("",))[0] for each in made]


def stretches(lines: Sequence[Line], draw: random.Random, *, pronoun: bool) -> list[Document]:
    """Two to five consecutive lines before each line, each stretch once.

    Args:
        pronoun: whether the last line must have *ele* or *ela*.
    """
    found: dict[tuple[str, ...], Document] = {}
    for index, line in enumerate(lines):
        before = lines_after_gap(line.before)
        number = draw.randint(2, LINES_BEFORE + 1)
        ends = [
            end
            for end in range(number, len(before) + 1)
            if not pronoun or _PRONOUN.search(before[end - 1])
        ]
        if ends:
            end = draw.choice(ends)
            source = before[end - number : end]
            found[source] = Document(f"ordinary-{pronoun:d}-{index}", source)
    return list(found.values())


def write_pronoun_data(work: Path, release: Path) -> None:
    """Write training and validation documents, cases, and `data.json`."""
    draw = random.Random(1)
    data = work / "data"
    data.mkdir(parents=True, exist_ok=True)
    of_test = list(read_lines(release, "animacy", "pt-en", "devtest"))
    films = {line.film for line in of_test}
    lines = [x for x in read_lines(release, "animacy", "pt-en", "dev") if x.film not in films]
    draw.shuffle(lines)
    own = sorted({line.film for line in lines})
    held = set(draw.sample(own, len(own) // HELD))
    translator = BeamSearchTranslator.load(work / "runs/start")
    for name, number, is_held in (("valid", ORDINARY // HELD, True), ("train", ORDINARY, False)):
        part = [line for line in lines if (line.film in held) == is_held]
        ordinary = [
            CompletedDocument(each.id, each.source)
            for pronoun in (False, True)
            for each in stretches(part, draw, pronoun=pronoun)[:number]
        ]
        completed = completed_pronouns(translator, pronoun_lines(part), draw)
        corpora.write([*completed, *teach(translator, ordinary)], data / f"{name}.jsonl")
    of_tau = [line for line in lines if line.film in held]
    write_cases(data / "dev.jsonl", _expecting_it(pronoun_lines(of_tau)))
    write_cases(data / "ordinary.jsonl", _ordinary_cases(of_tau, draw))
    test = _expecting_it(pronoun_lines(of_test))
    draw.shuffle(test)
    write_cases(data / "test.jsonl", test)
    write_cases(data / "people.jsonl", people_cases(of_test))
    others = [line for line in of_test if line.row["src pronoun"].lower() in ("a", "o")]
    once = {case.sentence: case for case in cases_of(antecedent_lines(others))}
    kept = [replace(case, expected="", distance=0) for case in once.values()]
    draw.shuffle(kept)
    write_cases(data / "subtitles.jsonl", kept[:OTHER_SUBTITLES])
    write_record(data)


def _expecting_it(lines: Sequence[Line]) -> list[Case]:
    return [replace(case, expected="it") for case in cases_of(lines)]


def _ordinary_cases(lines: Sequence[Line], draw: random.Random) -> list[Case]:
    """Stretches of five lines, one a film, as the lines before their last."""
    by_film = {
        line.film: line for line in lines if len(lines_after_gap(line.before)) > LINES_BEFORE
    }
    chosen = draw.sample(sorted(by_film), min(ORDINARY_STRETCHES, len(by_film)))
    found = []
    for film in chosen:
        *before, last = lines_after_gap(by_film[film].before)[-LINES_BEFORE - 1 :]
        found.append(Case(film, tuple(before), last, "", 0, ""))
    return found


def news_into_english(ntrex: Path, side: str) -> list[Text]:
    """NTREX-128 from a Portuguese, `por` or `por-BR`, in its documents."""
    names = [ntrex / f"NTREX-128/newstest2019-{name}.txt" for name in (f"ref.{side}", "src.eng")]
    sides = [name.read_text("utf-8").rstrip("\n").split("\n") for name in names]
    ids = (ntrex / "DOCUMENT_IDS.tsv").read_text("utf-8").split()
    texts = []
    for name, rows in groupby(zip(ids, *sides, strict=True), key=lambda row: row[0]):
        _, source, reference = zip(*rows, strict=True)
        texts.append(Text(name, source, tuple(range(len(source))), (reference,)))
    return texts


def write_pronoun_texts(work: Path, ntrex: Path, chat: Path) -> None:
    """Write all texts, each a file in `texts` of the work folder."""
    data = work / "data"
    test = load_cases(data / "test.jsonl")
    ordinary = [
        replace(text, measured=tuple(range(1, len(text.source))), references=())
        for text in of_cases(load_cases(data / "ordinary.jsonl"))
    ]
    write_named(
        work,
        {
            "dev": of_cases(load_cases(data / "dev.jsonl")),
            "ordinary": ordinary,
            "test": of_cases(test),
            "test-other": of_cases(with_other_context(test)),
            "people": of_cases(load_cases(data / "people.jsonl")),
            "subtitles": of_cases(load_cases(data / "subtitles.jsonl")),
            "news": news_into_english(ntrex, "por"),
            "news-brazil": news_into_english(ntrex, "por-BR"),
            "chats": chats(chat, english=False),
        },
    )
