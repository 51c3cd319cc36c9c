"""`evaluation_settings`: the settings of an evaluation, where they are not chosen by the run that
translated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base.choices import COMET_MODEL
from docmt_nmt.evaluation.comet import Comet
from docmt_nmt.evaluation.metric_settings import DEFAULT_METRICS, MetricSettings
from docmt_nmt.evaluation.metrics import metric_kind

if TYPE_CHECKING:
    from docmt_nmt.runs.system_run import SystemRun


def evaluation_settings(
    settings: MetricSettings,
    run: PathLike | None,
    read_source: Callable[[], Sequence[Document]] | None = None,
    *,
    own_recipe: bool = False,
) -> MetricSettings:
    """Fill in the settings left open: from the run, else with the defaults.

    >>> evaluation_settings(MetricSettings(lowercase=True), None).metrics
    ('s-bleu', 'd-bleu', 's-chrf')

    Args:
        settings: the chosen settings.
        run: the run directory of the translating system, if there is one.
        read_source: reads the source documents, for scores by instance of a run, for COMET, and to
            find translations that are copies.
        own_recipe: whether the recipe of the run is the user's own, trained just now; the user has
            then named the COMET model in it.

    Raises:
        InputError: the COMET model is named by the run's recipe alone and is not the default; the
            source cannot be cut into instances, as the run's windows overlap; or COMET is not
            installed.
    """
    trained: SystemRun | None = None
    default_metrics: Sequence[str] = DEFAULT_METRICS
    default_model = COMET_MODEL
    filled = replace(settings, lowercase=bool(settings.lowercase))
    if run is not None:
        # This loads torch, which scores of files alone do not need.
        from docmt_nmt.runs.open_run import open_run

        opened = open_run(run)
        if opened.recipe.is_trained:
            trained = cast("SystemRun", opened)
        chosen = opened.recipe.evaluation
        default_metrics, default_model = chosen.metrics, chosen.comet_model
        filled = replace(
            settings,
            lowercase=chosen.lowercase if settings.lowercase is None else settings.lowercase,
            language=settings.language or opened.recipe.data.target_language,
            pipeline=settings.pipeline or (trained.pipeline if trained else None),
        )
    metrics = tuple(settings.metrics or default_metrics)
    reads_source = any(metric_kind(name).family == "COMET" for name in metrics)
    if reads_source and settings.comet is None:
        if settings.comet_model is None and default_model != COMET_MODEL and not own_recipe:
            raise InputError(
                f"the recipe of the run names the COMET model {default_model}, and loading a COMET "
                "model may run code in it",
                path=run,
                cure=f"If you trust it, name it with `comet_model={default_model}`",
                parameters=(f"comet_model={default_model}",),
            )
        filled = replace(filled, comet=_comet(settings.comet_model or default_model))
    elif not reads_source and settings.comet_model is not None:
        raise InputError(
            "`comet_model` has no effect without a metric of COMET",
            cure="Leave it out",
            parameters=("comet_model",),
        )
    if read_source is None:
        return replace(filled, metrics=metrics)
    documents = read_source()
    filled = replace(filled, sources=documents)
    if trained is not None and not (reads_source and trained.recipe.search.windows == "sliding"):
        filled = replace(filled, instances=_instances(documents, trained))
        if settings.metrics is None and "instance-bleu" not in metrics:
            metrics = (*metrics, "instance-bleu")
    return replace(filled, metrics=metrics)


def _comet(model: str) -> Comet:
    """A model of COMET, which must be installed, on the GPU if there is one."""
    comet = Comet(model)
    comet.check_installed()
    # COMET loads it too.
    import torch

    comet.gpus = int(torch.cuda.is_available())
    return comet


def _instances(documents: Sequence[Document], run: SystemRun) -> list[int]:
    """The number of sentences in each instance of the source documents; windows cannot overlap."""
    from docmt_nmt.evaluation.instance_sizes import instance_sizes

    if run.recipe.search.windows == "sliding":
        raise InputError(
            "`source` is for scores by instance, but the windows of this run overlap "
            "(search.windows: sliding)",
            cure="Leave out `source`",
            parameters=("source",),
        )
    return instance_sizes(documents, run.pipeline, run.recipe.instances)
