"""`load_forced_decoder`: the forced decoder of a run directory, by the translator of the run."""

from __future__ import annotations

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.choices import Precision
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.runs.open_run import open_run
from docmt_research.forced_decoding.forced_decoder import ForcedDecoder


def load_forced_decoder(
    run: PathLike = DEFAULT, *, device: str | None = None, precision: Precision | None = None
) -> ForcedDecoder:
    """Load the forced decoder of a run directory, which gives the log-probability of given
    translations.

    The entry point of the group `docmt.forced_decoders` with the name of the run's translator is a
    function of the run and, where they are given, of `device` and `precision`, which returns the
    forced decoder.

    Args:
        run: the directory. Default: the bundled model.
        device: where to compute; default: a GPU if there is one.
        precision: the number format to compute in. Default: the recipe's.

    Raises:
        InputError: the translator of the run gives no log-probabilities, or cannot be loaded.

    >>> from docmt import Document
    >>> document = Document("1", ("Yes.",), ("Ja.",))
    >>> ((sentence,),) = load_forced_decoder().log_probabilities([document])
    >>> sentence.tokens[-1]
    '</s>'
    """
    opened = open_run(run)
    loaded = entry_points.load(plugin_groups.FORCED_DECODERS, opened.recipe.translator_name)
    if loaded is None:
        raise InputError(
            f"the translator {opened.recipe.translator_name} gives no log-probabilities of given "
            "translations",
            path=opened.directory,
            cure="Name the run of a system that docmt trained or imported",
        )
    plugin, open_forced_decoder = loaded
    given = {"device": device, "precision": precision}
    forced_decoder = open_forced_decoder(
        opened, **{key: value for key, value in given.items() if value}
    )
    if not isinstance(forced_decoder, ForcedDecoder):
        raise entry_points.wrong(
            plugin,
            f"returns {type(forced_decoder).__name__}, not a "
            "docmt_research.forced_decoding.ForcedDecoder",
        )
    return forced_decoder
