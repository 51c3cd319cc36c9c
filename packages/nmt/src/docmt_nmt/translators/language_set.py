"""`LanguageSet`: the languages between which a translator translates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code, language_tag
from docmt_nmt.base.language_aliases import current_language, short_tag


@dataclass(frozen=True, slots=True)
class LanguageSet:
    """The languages of a translator: each source language is translated into each other target
    language.

    Attributes:
        sources: the codes of the source languages.
        targets: the codes of the target languages.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def is_one_pair(self) -> bool:
        """True if there is one language on each side."""
        return len(self.sources) == len(self.targets) == 1

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs of a source language and another target language."""
        for source in self.sources:
            yield from ((source, target) for target in self.targets if target != source)

    def pair(self, source: str, target: str) -> tuple[str, str]:
        """The pair that two codes mean. A code means the same code or, if there is none, the only
        language of the set that differs in script or region alone.

        Raises:
            InputError: a language is not in the set or ambiguous, or both are the same.
        """
        found = (
            _find(source, self.sources, "from", "source_language"),
            _find(target, self.targets, "into", "to"),
        )
        if found[0] == found[1]:
            raise InputError(
                f"there is nothing to translate from {found[0]!r} into {found[1]!r}",
                cure="Choose two languages",
                parameters=("source_language", "to"),
            )
        return found


def _find(code: str, languages: Sequence[str], side: str, parameter: str) -> str:
    """The language of a set that a code means."""
    tag = language_tag(check_language_code(code)).lower()
    exact = [each for each in languages if language_tag(each).lower() == tag]
    same = exact or [each for each in languages if short_tag(each) == short_tag(code)]
    alike = same or [e for e in languages if current_language(e) == current_language(code)]
    if len(alike) == 1:
        return alike[0]
    listed = ", ".join(languages)
    problem = f"the run does not translate {side} {code!r}"
    if alike:
        problem = f"{code!r} is ambiguous: {' or '.join(alike)}"
    raise InputError(
        problem, cure=f"Choose one of `{parameter}`: {listed}", parameters=(parameter,)
    )
