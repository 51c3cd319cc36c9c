"""`LeftWords`: words of the source that a translation has left in their places beside codes:
*created {value} ago*, *criada {value} ago*.

A system reads a sentence with stand-ins for its codes (`docmt_nmt.decoding.literals`), and another
stand-in may serve it better. So a sentence with codes that has left a word which as many
translations of the document do not keep is searched again, with a letter in place of a placeholder
and a placeholder in place of a name. The second translation is taken if it has left fewer words.
Where it has left fewer words but lost something else, the sentence is marked.

Words must agree with a count, which no stand-in shows: *last {count} days*, *último {count} dias*.
So short sentences with a count before a plural are searched again with a numeral, and the second
translation is taken if it is more probable or has the same words in other forms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from docmt_files.base.documents import Sentence, SentenceWarning
from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import TranslatedSentence, Translation
from docmt_nmt.text.scripts import scripts_of_language
from docmt_nmt.translators.checks.candidate_checks import losses
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, SourceDocument, TranslationRequest
from docmt_nmt.translators.translator import Translator

_WORD = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_./@\\$%&{<:#-])\p{Ll}[\p{Ll}\p{M}]{2,}"
    r"(?![\p{L}\p{M}\p{N}_/@\\}>(=-]|\.\p{L})"
)
_COUNT = re.compile(r"(?i)(?<![a-z])(?:n|num|number|count|total|max|min)s?(?![a-z])|%\d?\$?d")
_MAX_COUNTED = 8
"""The most words of a sentence with a count that is searched again."""
_NUMERAL = "5"
_PLURAL = regex.compile(r"\s\p{Ll}+s\b")
_LETTERS = "XYZQW"
_MIN_LENGTH = 0.8
"""The least words of a second translation, for one of the first."""


@dataclass(frozen=True)
class LeftWords(Repair):
    """Asks again for sentences with codes whose translations have left words of the source.

    Attributes:
        max_loss: the most that a second translation may be less probable, in mean natural
            log-probability per token.
    """

    max_loss: float = 0.3

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        source, target = map(primary_language, translator.languages)
        if request.revision is not None or not {"words", "revisions"} <= translator.gives:
            return None
        if source == target or "instructions" in translator.gives:
            return None  # a language model reads codes as they are
        if "Latin" not in scripts_of_language(target):
            return None
        left: dict[SentenceIndex, frozenset[str]] = {}
        forms: dict[SentenceIndex, dict[str, str]] = {}
        for owner, translation in enumerate(translations):
            document = request.sources[owner]
            if translation.is_joined or not any(each.protected for each in document.sentences):
                continue
            for index, words in _left_in(document, translation):
                given = document.sentences[index]
                if (words or _has_count(given)) and (others := _other_stand_ins(given)):
                    left[owner, index] = words
                    forms[owner, index] = others
        revision = revision_for(request, translations, forms)
        if revision is None:
            return None
        again = request.with_sentences(
            lambda index, each: _with_forms(each, forms[index]) if index in forms else each
        )
        return _LeftRetry(
            replace(again, revision=revision), tuple(translations), left, forms, self.max_loss
        )


@dataclass(frozen=True)
class _LeftRetry(Retry):
    """Takes translations that have left fewer words, with the codes in their places.

    Attributes:
        first: the translations so far.
        left: the words that each sentence has left.
        forms: the stand-ins of the codes of each sentence, by the code.
        max_loss: as of `LeftWords`.
    """

    first: tuple[Translation, ...]
    left: Mapping[SentenceIndex, frozenset[str]]
    forms: Mapping[SentenceIndex, Mapping[str, str]]
    max_loss: float

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        """The better one of both translations of each sentence."""
        return [
            old.with_sentences(
                self._better((owner, index), before, after)
                if (owner, index) in accepted
                else before
                for index, (before, after) in enumerate(
                    zip(old.sentences, new.sentences, strict=True)
                )
            )
            for owner, (old, new) in enumerate(zip(self.first, translations, strict=True))
        ]

    def _better(
        self, index: SentenceIndex, before: TranslatedSentence, after: TranslatedSentence
    ) -> TranslatedSentence:
        """The second translation, or the first one, with a warning if the second is better in
        words and worse otherwise."""
        forms, left = self.forms[index], self.left[index]
        text = _with_codes(after.target, forms)
        is_better = len(left & _words(text, forms)) < len(left)
        if not is_better and _NUMERAL in forms.values():
            is_likelier = after.log_probability > before.log_probability
            is_better = text != before.target and (is_likelier or _are_forms(before.target, text))
        if not is_better:
            return before
        loss = before.log_probability - after.log_probability
        is_whole = (
            not after.truncated
            and all(text.count(code) == before.source.count(code) for code in forms)
            and len(text.split()) >= _MIN_LENGTH * len(before.target.split())
            and {each.kind for each in after.warnings} <= {each.kind for each in before.warnings}
            and not any(losses(before.source, before.target, text))
        )
        if is_whole and loss <= self.max_loss:
            others = tuple(
                each._replace(text=_with_codes(each.text, forms)) for each in after.others
            )
            return replace(after, source=before.source, target=text, others=others, codes=())
        if not left:
            return before
        said = SentenceWarning("copy", f"not translated: {', '.join(sorted(left))}")
        return before.warned((*before.warnings, said))


def _left_in(
    document: SourceDocument, translation: Translation
) -> Iterator[tuple[int, frozenset[str]]]:
    """The index of each sentence with codes, with the words that its translation has left and that
    the translations of at least as many sentences do not keep."""
    pairs = [
        (_words(given.text, given.protected), _words(sentence.target, given.protected))
        for given, sentence in zip(document.sentences, translation.sentences, strict=True)
    ]
    seen = Counter(word for own, _ in pairs for word in own)
    kept = Counter(word for own, theirs in pairs for word in own & theirs)
    for index, (given, sentence) in enumerate(
        zip(document.sentences, translation.sentences, strict=True)
    ):
        is_taken = sentence.match is not None and sentence.match.is_taken
        is_same = sentence.target in ("", sentence.source)
        if not given.protected or is_taken or is_same or sentence.positions:
            continue
        own, theirs = pairs[index]
        left = {word for word in own & theirs if 2 * kept[word] <= seen[word]}
        yield index, frozenset(left - _in_a_row(given.text, left))


def _in_a_row(text: str, words: Collection[str]) -> set[str]:
    """The words that stand beside each other in a text, as names of several words do."""
    found = [match for match in _WORD.finditer(text) if match[0] in words]
    return {
        word
        for one, other in pairwise(found)
        if not regex.search(r"\w", text[one.end() : other.start()])
        for word in (one[0], other[0])
    }


def _words(text: str, codes: Collection[str]) -> frozenset[str]:
    """The words in lower case of a text, but for those of codes."""
    for code in sorted(codes, key=len, reverse=True):
        text = text.replace(code, " # ")
    return frozenset(_WORD.findall(text))


def _has_count(sentence: Sentence) -> bool:
    """Return whether a short sentence has one code, which is a count before a plural."""
    if len(sentence.protected) != 1 or len(sentence.text.split()) > _MAX_COUNTED:
        return False
    (code,) = sentence.protected
    after = sentence.text.partition(code)[2]
    return not code[0].isalpha() and bool(_COUNT.search(code) and _PLURAL.match(after))


def _are_forms(one: str, other: str) -> bool:
    """Return whether two texts have the same words in forms that begin alike."""
    sides = [regex.findall(r"\w+", text) for text in (one, other)]
    return len(sides[0]) == len(sides[1]) and all(
        first[: max(3, len(first) - 2)] == second[: max(3, len(first) - 2)]
        for first, second in zip(*sides, strict=True)
    )


def _other_stand_ins(sentence: Sentence) -> dict[str, str]:
    """A stand-in for each code of a sentence, of another kind than the decoder's."""
    text = _masked(sentence.text, dict.fromkeys(sentence.protected, " "))
    if _has_count(sentence) and _NUMERAL not in text:
        return {sentence.protected[0]: _NUMERAL}
    letters = (letter for letter in _LETTERS if letter not in text)
    numbers = (f"%{number}" for number in range(1, 10) if "%" not in text)
    made: dict[str, str] = {}
    for code in dict.fromkeys(sentence.protected):
        stand_in = next(numbers if code[0].isalpha() else letters, None)
        if stand_in is None:
            return {}
        made[code] = stand_in
    return made


def _with_forms(sentence: Sentence, forms: Mapping[str, str]) -> Sentence:
    """A sentence with stand-ins for its codes."""
    return replace(sentence, text=_masked(sentence.text, forms), protected=(), codes=())


def _masked(text: str, forms: Mapping[str, str]) -> str:
    """A text with others for some words."""
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return re.sub(pattern, lambda match: forms[match[0]], text) if pattern else text


def _with_codes(text: str, forms: Mapping[str, str]) -> str:
    """A translation with the codes for their stand-ins."""
    codes = {stand_in: code for code, stand_in in forms.items()}
    pattern = "|".join(rf"(?<![\w.,]){re.escape(stand_in)}(?!\w)" for stand_in in codes)
    return re.sub(pattern, lambda match: codes[match[0]], text)
