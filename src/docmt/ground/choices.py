"""Words to choose from that recipes, the command line and Python have in common. Each list stands
here once, and loads neither torch nor pydantic, so that help texts appear at once.
"""

from __future__ import annotations

from typing import Literal

Precision = Literal["fp32", "bf16", "int8"]
"""Number formats to translate with."""

SearchPrecision = Literal["auto", Precision]
"""Number formats of the search, or the one that is fastest."""

WeightFormat = Literal["fp32", "fp16", "bf16"]
"""Number formats of weights in a file."""

Windows = Literal["disjoint", "sliding"]
"""Ways in which windows of k sentences cover a document: each sentence in one window, or a window
that starts at every sentence."""

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
"""Units that tests of significance swap and draw at random: sentences, or whole documents."""

EvaluationSplit = Literal["valid", "test"]
"""The splits of a corpus that a run can be scored on."""

EndpointDialect = Literal["openai", "vllm", "llama.cpp", "ollama"]
"""Ways in which endpoints of large language models differ from each other."""

PromptName = Literal["sentence", "batch", "correct", "summary"]
"""Kinds of requests to a large language model: to translate one sentence, or several; to correct a
translation; to write a summary of the document so far."""

COMET_MODEL = "Unbabel/wmt22-comet-da"
"""The model of COMET unless another is named."""
