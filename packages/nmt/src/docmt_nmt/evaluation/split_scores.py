"""Translating and scoring a split of a run's own corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import check_not_an_input
from docmt_nmt.base.choices import EvaluationSplit
from docmt_nmt.base.translations import Translation
from docmt_nmt.data.preparation import read_split
from docmt_nmt.evaluation import (
    Evaluation,
    MetricSettings,
    SignificanceTest,
    evaluate_with_baselines,
    evaluation_settings,
    scored_references,
    write_record,
)
from docmt_nmt.evaluation.metric_settings import DEFAULT_SETTINGS, DEFAULT_TEST
from docmt_nmt.recipes import BaseRecipe
from docmt_nmt.recipes.search import SearchOverrides, SearchSettings
from docmt_nmt.runs.bundled import check_not_bundled
from docmt_nmt.runs.open_run import load
from docmt_nmt.runs.run import read_recipe
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.translator import ProgressCallback, costs_of


class SplitScores(NamedTuple):
    """The translations and scores of a split.

    Attributes:
        evaluation: scores of the split.
        translations: documents of the split, translated.
        references: the same documents with their target sides.
    """

    evaluation: Evaluation
    translations: list[Translation]
    references: list[Document]


def check_split(recipe: BaseRecipe, split: EvaluationSplit) -> None:
    """Require a split in a recipe, before any work.

    Raises:
        InputError: the split is missing.
    """
    if getattr(recipe.data, split) is None:
        raise InputError(
            f"data.{split} is missing", cure=f"Choose a recipe that has a {split} split"
        )


def score_split(
    run: Path,
    split: EvaluationSplit,
    settings: MetricSettings = DEFAULT_SETTINGS,
    test: SignificanceTest = DEFAULT_TEST,
    *,
    output: str | None = None,
    baselines: Callable[[], Mapping[str, Sequence[Document]]] = dict,
    note: Callable[[str], None] = lambda _: None,
    search: SearchOverrides | None = None,
    progress: ProgressCallback | None = None,
    own_recipe: bool = False,
) -> SplitScores:
    """Translate a split of a run's corpus and score it, by instance too if the run's metrics say
    so. The run keeps the translation, the references and the scores.

    Args:
        run: the run directory.
        split: the split.
        settings: the metrics, and how they compare text. Default: the run's.
        test: of the comparisons.
        output: the file for the translation, if the translation will be written.
        baselines: reads other translations of it to compare with, by their names.
        note: called with each message to the user about the translation.
        search: changed keys of the run's section `search`.
        progress: called with the number of sentences translated so far and the total number.
        own_recipe: as for `evaluation_settings`.

    Raises:
        InputError: the run or the corpus cannot be used, the run comes with docmt, `output` cannot
            hold the translation, or as `evaluate`.
    """
    check_not_bundled(run)
    recipe = read_recipe(run)
    check_split(recipe, split)
    corpus = getattr(recipe.data, split)
    named = (corpus.source, corpus.target, corpus.docids, *corpus.references)
    check_not_an_input(output, named)
    if output is not None and recipe.joins_sentences and not output.endswith(".jsonl"):
        raise InputError(
            "needs a translation of each sentence, and this run translates whole instances freely "
            "(instances.join_sentences)",
            path=output,
            cure="Name a file .jsonl, which holds a text for each instance",
        )
    chosen = evaluation_settings(settings, run, own_recipe=own_recipe)
    others = baselines()
    references = list(read_split(recipe.data, split))
    scored = scored_references(corpus, references, f"data.{split}")
    translator = load(run, **(search or {}))
    try:
        translations = translate(translator, references, progress=progress)
    finally:
        for text in costs_of(translator):
            note(text)
    instances = [size for translation in translations for size in translation.chunks]
    chosen = replace(chosen, instances=instances)
    compared = [translation.document for translation in translations], scored
    evaluation = evaluate_with_baselines(*compared, others, chosen, test)
    overrides = {key: value for key, value in (search or {}).items() if value is not None}
    if isinstance(settings_of_run := getattr(recipe, "search", None), SearchSettings):
        searched = SearchSettings.read(settings_of_run.model_dump() | overrides).signature
        scores = [replace(score, search=searched) for score in evaluation.scores]
        evaluation = replace(evaluation, scores=scores)
    record = {
        "docmt": version("docmt-nmt"),
        "split": split,
        "search": overrides,
        "tokenize": chosen.tokenize,
        "resample": test.resample,
        **{key: getattr(chosen, key) for key in ("metrics", "lowercase", "language", "instances")},
    }
    # Other ways to search have translations of their own.
    variant = "-".join([split, *(key.replace("_", "-") for key in sorted(overrides))])
    try:
        write_record(run / "evaluation" / variant, evaluation, *compared, others, record)
    except InputError as error:
        note(f"the translation and its scores are not kept in the run: {error}")
    return SplitScores(evaluation, translations, references)
