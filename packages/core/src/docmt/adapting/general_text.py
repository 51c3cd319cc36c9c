"""General sentences, to see what else a model changes when it is adapted, and to keep it from it.

`general.en.txt` has 1,600 English sentences of Common Voice (Mozilla and contributors, CC0 1.0,
github.com/common-voice/common-voice): everyday, literary and technical ones. For a model from
another language they are translated by an installed model from English to it, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from docmt.models.installed import InstalledModel, InstalledModels
from docmt_files.base.languages import primary_language

ENGLISH = "en"
"""The language of the sentences that come with docmt."""

_MEASURED = 400
"""Number of sentences, the first ones, on which changes are measured."""


@dataclass(frozen=True, slots=True)
class GeneralText:
    """General sentences in the source language of a model.

    Attributes:
        sentences: the sentences; none where docmt has none and no
            installed model makes any.
        made_by: the name of the model that translated them from English; "" for docmt's own.
    """

    sentences: Sequence[str] = ()
    made_by: str = ""

    @property
    def measured(self) -> Sequence[str]:
        """Sentences to measure changes on."""
        return self.sentences[:_MEASURED]

    @property
    def mixed(self) -> Sequence[str]:
        """Other sentences, to be translated by the start and mixed into a training."""
        return self.sentences[_MEASURED:]


def find(
    language: str,
    models: InstalledModels,
    translate: Callable[[InstalledModel, Sequence[str]], Sequence[str]],
) -> GeneralText:
    """The general sentences of a language.

    Args:
        language: the code of the language.
        models: the installed models, of which one may translate the English sentences.
        translate: translates sentences by such a model.
    """
    primary = primary_language(language)
    if sentences := of_language(primary):
        return GeneralText(sentences)
    pair = ENGLISH, primary
    model = next(
        (each for each in models.all() if each.is_of_pair and each.languages == pair), None
    )
    if model is None:
        return GeneralText()
    translated = translate(model, of_language(ENGLISH))
    return GeneralText([each for each in translated if each], model.name)


def model_for(language: str) -> str:
    """The name of the model that translates docmt's sentences into a language.

    >>> model_for("pt-BR")
    'en-pt'
    """
    return f"{ENGLISH}-{primary_language(language)}"


@cache
def of_language(language: str) -> tuple[str, ...]:
    """The sentences that come with docmt; none for most languages.

    >>> len(of_language("en")), of_language("pt")
    (1600, ())
    """
    path = files("docmt.adapting") / f"general.{language}.txt"
    if not path.is_file():
        return ()
    return tuple(path.read_text("utf-8").splitlines())
