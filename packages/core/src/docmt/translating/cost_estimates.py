"""`estimate_file_costs` and `estimate_folder_costs`: the costs of a translation before it is
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docmt.output import Output
from docmt.translating.file_translation import FileTranslator, TermChoices
from docmt_files import Input, TreeOptions, find_tree
from docmt_files.base.errors import InputError
from docmt_nmt.translators.translator import Translator, costs_of


def estimate_file_costs(
    translator: Translator,
    inputs: Sequence[str],
    *,
    form: Output | None = None,
    input_form: Input | None = None,
    source_language: str | None = None,
    terms: TermChoices | None = None,
) -> list[str]:
    """Estimate the costs of `translate_files`. The arguments are the same.

    Returns:
        The costs, in sentences.

    Raises:
        InputError: a file cannot be read or translated, or the translator costs nothing but time.
    """
    estimator = _estimator(translator)
    work = FileTranslator(
        estimator, form or Output(), input_form or Input(), source_language, _without_repairs(terms)
    )
    for file in [work.read(path, path) for path in inputs]:
        estimator.translate(file.plan)
    return costs_of(estimator)


def estimate_folder_costs(
    translator: Translator,
    folder: str,
    output: str,
    *,
    form: Output | None = None,
    input_form: Input | None = None,
    options: TreeOptions | None = None,
    source_language: str | None = None,
    terms: TermChoices | None = None,
) -> list[str]:
    """Estimate the costs of `translate_folder`. The arguments are the same. Unreadable files cost
    nothing.

    Returns:
        The costs, in sentences.

    Raises:
        InputError: as `translate_folder`, or the translator costs nothing but time.
    """
    estimator = _estimator(translator)
    form, input_form = form or Output(), input_form or Input()
    tree = find_tree(folder, output, input_form, options or TreeOptions(), form.added_suffix)
    work = FileTranslator(estimator, form, input_form, source_language, _without_repairs(terms))
    for path, _ in tree.translated:
        source = str(tree.folder / path)
        try:
            file = work.read(source, source)
        except InputError:
            continue
        estimator.translate(file.plan)
    return costs_of(estimator)


def _estimator(translator: Translator) -> Translator:
    if translator.meter is None:
        raise InputError(
            "`dry_run` says what a language model would cost, and this run costs nothing but time",
            cure="Leave it out",
            parameters=("dry_run",),
        )
    return translator.meter.estimator()


def _without_repairs(terms: TermChoices | None) -> TermChoices:
    """Terms for an estimate. Costs of consistent terms depend on translations, and are left out."""
    return replace(terms or TermChoices(), consistent=False)
