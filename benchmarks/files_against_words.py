"""Sentences with inline codes, translated in their files, beside their own plain words.

    python benchmarks/files_against_words.py RUN PAIRS.tsv FILE… [--references FOLDER]

The free translation is the measure: each sentence with codes is also translated as plain text, with
code spans and addresses as they are and a numeral or a letter for a placeholder. A sentence is
*damaged* if the file's translation is 15 chrF below that of the plain words. A table of pairs
(Markdown, tab, reference in Markdown) has references; so have files of strings with a file of the
same name in the folder of references, by their keys. Without a reference the plain translation is
the reference, and its own chrF is 100 at most, so sentences below `--similar` count as damaged.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import sacrebleu

from docmt.translating import repairs
from docmt.translating.passage import Layout, Passage
from docmt.translating.word_aligner import code_aligner
from docmt_files import BlockSkeleton, Input
from docmt_files.base.documents import Document, Sentence
from docmt_files.core.inline import Code, InlineSentence
from docmt_files.core.protection.placeholders import placeholder_words
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators import translate
from measuring import Report, add_arguments, print_table

DAMAGE = 15
"""The chrF of a damaged sentence below that of its plain words."""

_FIGURES = ("n", "damaged", "marked", "words lost", "added", "marks", "BLEU", "plain")
_LETTERS = "XYZQWVUTS"
_COUNT = re.compile(r"(?i)(?<![a-z])(?:n|num|number|count|total|max|min)\w{0,1}(?![a-z])|%\d?\$?d")
_WORD = re.compile(r"[^\W\d_]{4,}")
_MARKS = re.compile(r"[.,;:!?()\[\]]")
_KINDS = (
    ("code span", re.compile(r"`")),
    ("address or path", re.compile(r".*(?:://|@\w|/|\\)")),
    ("braces", re.compile(r"[%$#]?\{")),
    ("printf", re.compile(r"%[\d$.]*[a-zA-Z@]$|%\d")),
)


@dataclass(frozen=True)
class Case:
    """A sentence with codes, translated in both ways.

    Attributes:
        file: the name of the file.
        kinds: the kinds of the codes.
        source: the sentence, with the words of the codes.
        literals: the words of the codes.
        in_file: the translation in the file.
        plain: the translation of the plain words.
        reference: a translation by a person; empty for none.
        is_marked: whether a warning marks the sentence.
    """

    file: str
    kinds: frozenset[str]
    source: str
    literals: tuple[str, ...]
    in_file: str
    plain: str
    reference: str
    is_marked: bool

    @property
    def chrf(self) -> tuple[float, float]:
        """The chrF of the file's translation and of the plain words."""
        reference = self.reference or self.plain
        return _chrf(self.in_file, reference), _chrf(self.plain, reference)

    def is_damaged(self, similar: float) -> bool:
        """Return whether the sentence is damaged."""
        in_file, plain = self.chrf
        return in_file <= plain - DAMAGE if self.reference else in_file < similar

    def words(self) -> tuple[int, int]:
        """The numbers of lost and of added words, besides those of the codes."""
        texts = [self._without_literals(text).lower() for text in (self.plain, self.in_file)]
        plain, in_file = (Counter(_WORD.findall(text)) for text in texts)
        surplus = sum(in_file.values()) - sum(plain.values())
        return max(0, -surplus), max(0, surplus)

    def marks(self) -> int:
        """The number of punctuation marks that the file's translation lacks or adds, of those that
        the plain words have as often as the source."""
        texts = (self.source, self.plain, self.in_file)
        source, plain, in_file = (
            Counter(_MARKS.findall(self._without_literals(text))) for text in texts
        )
        return sum(
            abs(in_file[mark] - count) for mark, count in source.items() if plain[mark] == count
        )

    def _without_literals(self, text: str) -> str:
        for literal in sorted(self.literals, key=len, reverse=True):
            text = text.replace(literal, " ")
        return text


def main() -> None:
    """Translate, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    parser.add_argument("run", type=Path)
    parser.add_argument("files", type=Path, nargs="+", help="tables of pairs (.tsv), and files")
    parser.add_argument("--references", type=Path, help="folder of files in the target language")
    parser.add_argument("--similar", type=float, default=60, help="least chrF without a reference")
    parser.add_argument("--show", type=int, default=0, help="damaged sentences to print")
    arguments = parser.parse_args()
    report = Report(arguments)
    translator = BeamSearchTranslator.load(arguments.run, device="cpu")
    cases: list[Case] = []
    for path in arguments.files:
        if path.suffix == ".tsv":
            cases += cases_of_pairs(translator, path)
        else:
            reference = arguments.references and arguments.references / path.name
            known = references_of(reference, translator) if reference else {}
            cases += cases_of_file(translator, path, known)
    groups = {f"file {name}": [c for c in cases if c.file == name] for name in _files(cases)}
    for kind in sorted(set(chain.from_iterable(case.kinds for case in cases))):
        groups[f"codes: {kind}"] = [case for case in cases if kind in case.kinds]
    groups["all"] = cases
    rows = [_row(name, group, arguments.similar) for name, group in groups.items() if group]
    print_table(("sentences with codes", *_FIGURES), rows)
    report.figures |= {name: _figures(figures) for name, *figures in rows}
    damaged = [case for case in cases if case.is_damaged(arguments.similar)]
    for case in damaged[: arguments.show]:
        print(f"\n{case.source}\n  {case.in_file}\n  {case.plain}\n  {case.reference}")
    report.finish()


def _figures(texts: Sequence[str]) -> dict[str, float]:
    return {name: float(text) for name, text in zip(_FIGURES, texts, strict=True) if text}


def _files(cases: Sequence[Case]) -> list[str]:
    return list(dict.fromkeys(case.file for case in cases))


def _row(name: str, cases: Sequence[Case], similar: float) -> list[str]:
    """The figures of some sentences."""
    damaged = [case for case in cases if case.is_damaged(similar)]
    lost, added = (sum(pair) for pair in zip(*(case.words() for case in cases), strict=True))
    known = [case for case in cases if case.reference]
    scores = ["", ""]
    if known:
        references = [[case.reference for case in known]]
        texts = [case.in_file for case in known], [case.plain for case in known]
        scores = [f"{sacrebleu.corpus_bleu(each, references).score:.1f}" for each in texts]
    marked = sum(case.is_marked for case in damaged)
    marks = sum(case.marks() for case in cases)
    counts = (len(cases), len(damaged), marked, lost, added, marks)
    return [name, *map(str, counts), *scores]


def _chrf(text: str, reference: str) -> float:
    return float(sacrebleu.sentence_chrf(text, [reference]).score)


def cases_of_pairs(translator: BeamSearchTranslator, table: Path) -> list[Case]:
    """The sentences of a table of pairs, as one file of Markdown."""
    pairs = [line.split("\t") for line in table.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for index, name in enumerate(("source", "reference")):
            path = Path(folder) / f"{name}.md"
            path.write_text("\n\n".join(pair[index] for pair in pairs) + "\n", "utf-8")
            sides.append(path)
        blocks = [_words_of_blocks(path, translator) for path in sides]
        known = {}
        if len(blocks[0]) == len(blocks[1]):
            for one, other in zip(*blocks, strict=True):
                if len(one) == len(other) == 1:
                    known[one[0]] = other[0]
        return [
            replace(case, file=table.name)
            for case in cases_of_file(translator, sides[0], known)
            if case.reference
        ]


def _words_of_blocks(path: Path, translator: BeamSearchTranslator) -> list[list[str]]:
    """The sentences of each block of a file, with the words of codes."""
    _, skeleton = Input().read(str(path), *translator.languages)
    _, skeleton = skeleton.keep_words([], lambda *_: True)
    assert isinstance(skeleton, BlockSkeleton)
    return [[sentence.text for sentence in block] for block in skeleton.sentences]


def references_of(path: Path, translator: BeamSearchTranslator) -> dict[str, str]:
    """The texts of the strings of a file by key; those of a key with several sentences are left
    out."""
    if not path.exists():
        return {}
    sentences = _sentences(path, translator)
    times = Counter(each.key for each in sentences)
    return {each.key: each.text for each in sentences if each.key and times[each.key] == 1}


def _sentences(path: Path, translator: BeamSearchTranslator) -> list[Sentence]:
    documents, skeleton = Input().read(str(path), *translator.languages)
    documents, skeleton = skeleton.keep_words(list(documents), lambda *_: True)
    return list(chain.from_iterable(map(skeleton.sentences_of, documents)))


def cases_of_file(
    translator: BeamSearchTranslator, path: Path, known: dict[str, str]
) -> Iterator[Case]:
    """The sentences with codes of a file.

    Args:
        known: references, by the source sentence or by the key of the string.
    """
    documents, skeleton = Input().read(str(path), *translator.languages)
    passage = Passage.of(documents, skeleton, translator)
    request = Layout.of_file(passage).request()
    (translation,) = translate(translator, request, repairs(consistent=False))
    align, _ = code_aligner(translator)
    filled = passage.filled_by([translation], align)
    (translation,) = filled.translations
    skeleton = filled.skeleton
    assert isinstance(skeleton, BlockSkeleton)
    coded = skeleton.fill_and_report([translation.document], filled.align).coded
    _, with_words = skeleton.keep_words([], lambda *_: True)
    assert isinstance(with_words, BlockSkeleton)
    sentences = list(chain.from_iterable(with_words.sentences))
    keys = skeleton.sentences_of(documents[0])
    times = Counter(each.key for each in keys)
    chosen = [i for i, each in enumerate(sentences) if (each.codes or each.words) and i in coded]
    plain = _plain_translations(translator, [sentences[index] for index in chosen])
    for index, own in zip(chosen, plain, strict=True):
        sentence, parts = sentences[index], coded[index]
        codes = [code for _, code in (*sentence.codes, *sentence.words)]
        key = keys[index].key
        yield Case(
            path.name,
            frozenset(_kind(skeleton.text, code) for code in codes if code.shows),
            sentence.text,
            tuple(word for word, _ in sentence.words),
            "".join(p if isinstance(p, str) else _words(skeleton.text, p) for p in parts),
            own,
            known.get(key, "") if key and times[key] == 1 else known.get(sentence.text, ""),
            bool(translation.sentences[index].warnings),
        )


def _plain_translations(
    translator: BeamSearchTranslator, sentences: Sequence[InlineSentence]
) -> list[str]:
    """The translations of sentences as plain text, with the words of codes put back."""
    forms: list[dict[str, str]] = []
    texts: list[str] = []
    for sentence in sentences:
        text = sentence.text
        form: dict[str, str] = {}
        letters = iter(letter for letter in _LETTERS if letter not in text)
        for word, _ in sentence.words:
            if word in form or not re.match(r"[%$#:@&_<\[{]", word):
                continue
            numeral = "5" if _COUNT.search(word) and "5" not in text else ""
            form[word] = numeral if numeral and numeral not in form.values() else next(letters)
            text = text.replace(word, form[word])
        forms.append(form)
        texts.append(text)
    documents = [Document(str(i), (text,)) for i, text in enumerate(texts)]
    found = translate(translator, documents, repairs(consistent=False))
    made = []
    for form, translation in zip(forms, found, strict=True):
        text = translation.target[0]
        for word, letter in form.items():
            text = word.join(re.split(rf"(?<!\w){letter}(?!\w)", text))
        made.append(text)
    return made


def _kind(text: str, code: Code) -> str:
    """The kind of a code."""
    if code.kind != "protected":
        return "pair" if code.kind in ("open", "close") else "element"
    inner = code.inner or code
    raw = text[inner.start : inner.end]
    return next((name for name, pattern in _KINDS if pattern.match(raw)), "other placeholder")


def _words(text: str, code: Code) -> str:
    """The words of a code in a translation."""
    if code.kind != "protected":
        return ""
    inner = code.inner or code
    raw = text[inner.start : inner.end]
    return (inner.words or placeholder_words(raw) or "").join(code.marks)


if __name__ == "__main__":
    main()
