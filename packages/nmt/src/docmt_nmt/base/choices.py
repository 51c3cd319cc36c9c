"""Words to choose from, shared by recipes, the command line and Python. Each list stands here once,
and loads neither torch nor pydantic: help texts appear at once.
"""

from __future__ import annotations

from typing import Literal

Precision = Literal["fp32", "bf16", "int8"]
"""Number formats to translate with."""

SearchPrecision = Literal["auto", Precision]
"""Number formats of the search, or the fastest one."""

CompiledUse = Literal["auto", "always", "never"]
"""Uses of a compiled form of the run."""

WeightFormat = Literal["fp32", "fp16", "bf16"]
"""Number formats of weights in a file."""

Windows = Literal["disjoint", "sliding"]
"""Ways to cover a document with windows of k sentences: each sentence in one window, or a window
starting at every sentence."""

Metric = Literal[
    "s-bleu",
    "d-bleu",
    "instance-bleu",
    "multi-bleu",
    "mteval-v13a",
    "s-chrf",
    "d-chrf",
    "ter",
    "comet",
    "doc-comet",
]
"""The metrics of docmt. Other packages may have more."""

DiscourseMetric = Literal["apt", "ltcr", "most-frequent", "term-accuracy", "blonde"]
"""The metrics of `docmt discourse`."""

Tokenization = Literal["none", "moses"]
"""Ways in which text is split into words before it is split into subwords."""

ResampledUnit = Literal["sentence", "document"]
"""Units of the random swaps and draws in tests of significance: sentences, or whole documents."""

EvaluationSplit = Literal["valid", "test"]
"""The splits of a corpus on which a run can be scored."""

Formality = Literal["default", "more", "less"]
"""The form of address of a translation: as the translator chooses, formal or informal."""

COMET_MODEL = "Unbabel/wmt22-comet-da"
"""The model of COMET unless another is named."""
