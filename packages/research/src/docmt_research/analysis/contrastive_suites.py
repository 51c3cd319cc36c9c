"""Contrastive suites: a sentence in context with several translations, one of which is right. A
system passes where it assigns the right translation the highest probability (Sennrich 2017).

All suites are read into one form. Formats:

- JSON lines of one's own, see `read_suite`;
- the JSON of the English–Russian consistency sets of Voita et al. 2019 (sentences separated by
  `_eos`): deixis, lexical cohesion, ellipsis of inflection and of the verb phrase;
- the JSON of ContraPro (Müller et al. 2018), with the documents for the context;
- the JSON of Bawden et al. 2018: anaphora and lexical choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike, read_bytes, read_lines
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import open_stored

_SEPARATOR = "_eos"


@dataclass(frozen=True, slots=True)
class ContrastiveCase:
    """A sentence in context, with several translations, one of which is right.

    Attributes:
        id: names the case in the suite.
        source: the source sentences of the context, and the sentence.
        context: the translations of the context, one sentence fewer than `source`.
        candidates: translations of the sentence, two or more, all different.
        right: the index of the right one.
        phenomenon: the phenomenon tested by the case.
        distance: number of sentences back to the deciding sentence; None if the suite does not say.
    """

    id: str
    source: tuple[str, ...]
    context: tuple[str, ...]
    candidates: tuple[str, ...]
    right: int
    phenomenon: str = ""
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """A contrastive suite.

    Attributes:
        name: the name of the suite's file.
        cases: the cases of the suite.
        repeated: number of candidates left out because they are the same as another one of
            their case.
        left_out: number of cases left out because all their candidates are the same.
    """

    name: str
    cases: tuple[ContrastiveCase, ...]
    repeated: int = 0
    left_out: int = 0


def read_suite(
    path: PathLike, *, documents: PathLike | None = None, context: int | None = None
) -> Suite:
    """Read a contrastive suite in one of the formats above; which one is seen from the file.

    A line of JSON lines is an object with `source`, a list of sentences with the sentence to
    translate at the end; `context`, the translations of the other sentences; `candidates`, a list
    of translations; `right`, the index of the right one from 0 (default 0); and, if known, `id`,
    `phenomenon` and `distance`.

    Args:
        path: the file; it may be compressed.
        documents: for ContraPro, the folder with the documents. Default: `documents`, beside the
            file.
        context: the most sentences of context. Default: all sentences of the suite; for ContraPro,
            with whole documents, 3.

    Raises:
        InputError: the file is in none of these formats, or a case is not valid; the message has
            the line or the number.
    """
    name = Path(path).name
    if context is not None and context < 0:
        raise InputError(f"context is {context}, and cannot be negative")
    is_jsonl = name.removesuffix(".gz").removesuffix(".xz").endswith(".jsonl")
    if is_jsonl:
        cases: Iterable[ContrastiveCase] = _read_lines(path)
    else:
        content = read_bytes(path)
        try:
            state = parse_json(content)
        except ValueError as error:
            raise InputError(
                f"is not valid JSON ({error})",
                path=path,
                cure="Name a contrastive suite: JSON, or JSON lines with a name in .jsonl",
            ) from None
        cases = _read_json(state, path, documents, 3 if context is None else context)
    checked = [_checked(case, path) for case in cases]
    if not checked:
        raise InputError("holds no cases", path=path)
    different = [_shortened(_without_repeated(case), context) for case in checked]
    kept = [case for case in different if len(case.candidates) > 1]
    if not kept:
        problem = f"case {checked[0].id}: all candidates are the same, and so in all other cases"
        raise InputError(problem, path=path, cure="Give each case candidates that differ")
    pairs = [
        (len(a.candidates), len(b.candidates)) for a, b in zip(checked, different, strict=True)
    ]
    repeated = sum(given - left for given, left in pairs if left > 1)
    return Suite(name, tuple(kept), repeated, len(checked) - len(kept))


def detokenized(suite: Suite, languages: tuple[str, str]) -> Suite:
    """A suite with the text detokenized as by Moses.

    Args:
        suite: the suite.
        languages: codes of the source and the target language.
    """
    from sacremoses import MosesDetokenizer  # importing it is slow

    source, target = (MosesDetokenizer(lang=code.split("_")[0]) for code in languages)

    def plain(detokenizer: MosesDetokenizer, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(detokenizer.detokenize(text.split()) for text in texts)

    cases = (
        replace(
            case,
            source=plain(source, case.source),
            context=plain(target, case.context),
            candidates=plain(target, case.candidates),
        )
        for case in suite.cases
    )
    return replace(suite, cases=tuple(cases))


def _read_lines(path: PathLike) -> Iterator[ContrastiveCase]:
    """The cases of JSON lines."""
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            values = parse_json(line)
        except ValueError as error:
            raise InputError(f"is not valid JSON ({error})", path=path, line=number) from None
        yield _case_of_object(values, path, number)


def _case_of_object(values: Any, path: PathLike, line: int) -> ContrastiveCase:
    """The case of an object of JSON lines."""

    def refuse(problem: str) -> InputError:
        return InputError(problem, path=path, line=line)

    if not isinstance(values, dict):
        raise refuse("is not a JSON object")
    known = {"id", "source", "context", "candidates", "right", "phenomenon", "distance"}
    if unknown := sorted(values.keys() - known):
        raise refuse(f"has unknown keys: {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    texts = {}
    for key in ("source", "context", "candidates"):
        value = values.get(key, [] if key == "context" else None)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise refuse(f"{key} is not a list of strings")
        texts[key] = tuple(value)
    return ContrastiveCase(
        str(values.get("id", line)),
        texts["source"],
        texts["context"],
        texts["candidates"],
        values.get("right", 0),
        str(values.get("phenomenon", "")),
        values.get("distance"),
    )


def _read_json(
    state: Any, path: PathLike, documents: PathLike | None, context: int
) -> Iterable[ContrastiveCase]:
    """The cases of a published suite."""
    try:
        if isinstance(state, list) and state and "dst" in state[0]:
            return [_consistency(values, number, path) for number, values in enumerate(state, 1)]
        if isinstance(state, list) and state and "errors" in state[0]:
            folder = Path(path).parent / "documents" if documents is None else Path(documents)
            return list(_contrapro(state, folder, context))
        if isinstance(state, dict) and state:
            return [case for key, block in state.items() for case in _bawden(key, block)]
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        problem = f"is not a suite of a known format ({type(error).__name__}: {error})"
        raise InputError(problem, path=path) from None
    raise InputError(
        "is not a suite of a known format",
        path=path,
        cure="Known are the JSON of Voita et al. 2019, of ContraPro and of Bawden et al. 2018, and "
        "JSON lines (.jsonl)",
    )


def _consistency(values: Mapping[str, Any], number: int, path: PathLike) -> ContrastiveCase:
    """A case of Voita et al. 2019."""
    *before, last = _split(values["src"])
    targets = [_split(text) for text in values["dst"]]
    contexts = {tuple(target[:-1]) for target in targets}
    if len(contexts) != 1:
        raise InputError(f"case {number}: candidates have different contexts", path=path)
    phenomenon = Path(path).name.split(".")[0]
    for suffix in ("_dev", "_test"):
        phenomenon = phenomenon.removesuffix(suffix)
    return ContrastiveCase(
        str(number),
        (*before, last),
        contexts.pop(),
        tuple(target[-1] for target in targets),
        values["true_ind"],
        phenomenon,
        values.get("ctx_dist"),
    )


def _split(text: str) -> list[str]:
    """The sentences of a text of Voita et al. 2019."""
    return [part.strip() for part in text.split(_SEPARATOR)]


def _contrapro(
    cases: Iterable[Mapping[str, Any]], folder: Path, context: int
) -> Iterator[ContrastiveCase]:
    """The cases of ContraPro. A document's id is the name of the document's German file; sentences
    are numbered from 1."""
    files = {path.name: path for path in sorted(folder.rglob("*.de")) if path.is_file()}
    if not files:
        raise InputError(
            "holds no documents (*.de)",
            path=folder,
            cure="ContraPro refers to documents of OpenSubtitles2018, which its script "
            "setup_opensubs.sh downloads; name their folder with `documents`",
            parameters=("documents",),
        )
    read: dict[str, tuple[list[str], list[str]]] = {}
    for number, values in enumerate(cases, start=1):
        document, line = values["document id"], values["segment id"]
        if document not in files:
            raise InputError(f"lacks the document {document!r} of case {number}", path=folder)
        if document not in read:
            target = files[document]
            sides = [target.with_suffix(side) for side in (".en", ".de")]
            for path in sides:
                open_stored(path).close()  # rejects a pipe, which never ends
            source_lines, target_lines = (list(read_lines(path)) for path in sides)
            read[document] = source_lines, target_lines
        source, target_lines = read[document]
        if len(source) != len(target_lines) or not 0 < line <= len(source):
            raise InputError(f"{document!r} does not fit case {number}", path=folder)
        before = [
            index
            for index in range(max(line - 1 - context, 0), line - 1)
            if source[index].strip() and target_lines[index].strip()
        ]
        pronouns = f"{values['src pronoun']}:{values['ref pronoun']}".lower()
        yield ContrastiveCase(
            str(number),
            (*(source[index].strip() for index in before), source[line - 1].strip()),
            tuple(target_lines[index].strip() for index in before),
            (
                target_lines[line - 1].strip(),
                *(error["contrastive"].strip() for error in values["errors"]),
            ),
            0,
            pronouns,
            values["ante distance"],
        )


def _bawden(key: str, block: Mapping[str, Any]) -> Iterator[ContrastiveCase]:
    """The cases of a block of Bawden et al. 2018: of the anaphora set, with one source, or of the
    set of lexical choices, with a source for each example. Semi-correct translations are right
    given a context with another translation."""
    examples = block.get("examples")
    pairs = (
        [(block["src"], target, target["type"]) for target in block["trg"]]
        if examples is None
        else [(example["src"], example["trg"], block.get("type", "")) for example in examples]
    )
    for number, (source, target, phenomenon) in enumerate(pairs, start=1):
        *context, right = target["correct"] if "correct" in target else target["semi-correct"]
        *other, wrong = target["incorrect"]
        if other != context:
            raise ValueError(f"block {key}: candidates have different contexts")
        yield ContrastiveCase(
            f"{key}.{number}", tuple(source), tuple(context), (right, wrong), 0, phenomenon, 1
        )


def _checked(case: ContrastiveCase, path: PathLike) -> ContrastiveCase:
    """The case, if it is one."""
    problem = None
    texts = (*case.source, *case.context, *case.candidates)
    if not all(isinstance(text, str) for text in texts):
        problem = "has something else than text as a sentence"
    elif type(case.right) is not int or type(case.distance) not in (int, NoneType):
        problem = (
            f"has {case.right!r} as the index of the right candidate and {case.distance!r} as its "
            "distance, which must be whole numbers"
        )
    elif not case.source or not case.source[-1].strip():
        problem = "has no source sentence"
    elif len(case.context) != len(case.source) - 1:
        problem = (
            f"has {len(case.source) - 1} source sentences of context and {len(case.context)} "
            "translations of them"
        )
    elif not 0 <= case.right < len(case.candidates):
        problem = (
            f"has {counted(len(case.candidates), 'candidate')}, and right is {case.right}, which "
            "counts from 0"
        )
    elif not all(text.strip() for text in case.candidates):
        problem = "has an empty candidate"
    if problem is not None:
        raise InputError(f"case {case.id} {problem}", path=path)
    return case


def _without_repeated(case: ContrastiveCase) -> ContrastiveCase:
    """The case with each candidate once."""
    kept = tuple(dict.fromkeys(case.candidates))
    right = kept.index(case.candidates[case.right])
    return replace(case, candidates=kept, right=right)


def _shortened(case: ContrastiveCase, context: int | None) -> ContrastiveCase:
    """The case with at most so many sentences of context."""
    if context is None or len(case.context) <= context:
        return case
    kept = len(case.context) - context
    return replace(case, source=case.source[kept:], context=case.context[kept:])
