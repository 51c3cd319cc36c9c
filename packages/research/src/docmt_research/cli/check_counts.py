"""`docmt check-counts`: a prepared corpus beside the published sizes of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.terminal import output_console
from docmt_research.analysis.published_counts import (
    PublishedCorpus,
    describe_checks,
    require_counts,
)
from docmt_research.analysis.published_counts import check_counts as compare_counts


def check_counts(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder that `docmt prepare` has written.")
    ],
    corpus: Annotated[
        PublishedCorpus, typer.Argument(metavar="CORPUS", help="The corpus in the paper's table.")
    ],
) -> None:
    """Compare the sizes of a prepared corpus with published sizes: Bao et al. 2021 (`ted`, `news`,
    `europarl`, `subtitles-pairs`), Zhang et al. 2020 (`iwslt`, `subtitles`), Tan et al. 2019
    (`talks`, `talks-de-en`, `news-zh-en`) or Donato et al. 2021 (`nist`, `iwslt14`, `wmt14`,
    `wmt14-plus`, `news-commentary-v9`, `news-commentary-v15`, `rapid-2019`).

    Differences of more than 5 % end the command with exit code 2.
    """
    from docmt_nmt.data.parallel_corpus import PreparedCorpus

    prepared = PreparedCorpus.load(folder)
    checks = compare_counts(prepared, corpus)
    output_console().print(describe_checks(checks))
    require_counts(checks, prepared)
