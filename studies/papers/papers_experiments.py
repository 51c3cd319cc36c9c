"""The experiments by which the claims of the papers are tested, each a bundled recipe with a few
keys changed, all under one training budget on one corpus.

All systems have two layers of 128 on each side, 4,000 subwords and the same batches, learning rate
and search. What starts from random weights is trained for `Budget.steps` updates, what starts from
a trained system for `Budget.finetuning_steps`; the learning rate falls to zero until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VOCABULARY_SIZE = 4000

COMMON = (
    f"text.vocabulary_size={VOCABULARY_SIZE}",
    "system.preset=tiny",
    "system.dropout=0.1",
    "training.batch_tokens=2048",
    "training.learning_rate=2e-3",
    "training.warmup_steps=500",
    "training.schedule=polynomial",
    "training.validate_every=250",
    "training.patience=10",
    "training.log_attention=true",
    "search.beam_size=4",
)
"""Keys of all experiments."""

FINETUNED = ("initialize.loaded_learning_rate=4e-4", "training.warmup_steps=200")
"""Loaded parameters learn with a fifth of the rate of new ones (Bao et al. 2021, appendix C.1)."""

FROZEN = ("initialize.freeze=[loaded]",)
"""Only what is new is trained, as long as others from random weights."""

PARTS = ("instances.kind=tokens", "instances.max_tokens=1024")
"""Systems that read whole documents read parts of them, so that one batch is not a whole book."""


_EQUAL_TARGETS = ("training.batch_tokens=5500",)
"""Batches of the Document Transformer count its context, 63 % of what it reads: these have as many
target tokens as the others' have."""


def _word_dropout(share: float, *more: str) -> tuple[str, ...]:
    """Word dropout as Bao et al. 2021 have it in their published scripts."""
    sides = [f"training.word_dropout_{side}={share}" for side in ("source", "target")]
    return (*sides, "training.word_dropout_token=mask", *more)


# The published scripts end word dropout before the 30th epoch; here it ends about halfway.
_RANDOM = ("system.count_positions=instance", *_word_dropout(0.3, "training.word_dropout_epochs=2"))
_BARE = ("system.count_positions=instance",)
_FINE = ("system.count_positions=instance", *_word_dropout(0.1), *FINETUNED)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A system to train.

    Attributes:
        name: of the experiment.
        title: what tables call it.
        recipe: the bundled recipe.
        overrides: of its keys.
        start: the experiment of the same seed whose weights it starts from.
        contexts: for a stack, the experiment whose encoder each letter is.
        compare: the experiments that it is tested against.
        priority: lower ones are trained first.
        seeds: with which it is trained, where that is not for the user to say.
        languages: `en` for what is trained on English alone.
        is_long: whether fine-tuning has as many updates as training from random weights.
        min_document_tokens: of the documents that it is trained on.
        share: of the budget that it has.
    """

    name: str
    title: str
    recipe: str
    overrides: tuple[str, ...] = ()
    start: str | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    compare: tuple[str, ...] = ()
    priority: int = 1
    seeds: tuple[int, ...] | None = None
    languages: str = "en-de"
    is_long: bool = False
    min_document_tokens: int | None = None
    share: float = 1.0

    @property
    def translates(self) -> bool:
        """Whether it is a translation system, not only an encoder for others."""
        return self.languages == "en-de"

    @property
    def control(self) -> str | None:
        """The sentence-level Transformer that it is tested against, of those with as much training
        if there is one."""
        return next((name for name in self.compare if name in _SENTENCES), None)

    @property
    def needs(self) -> tuple[str, ...]:
        """The experiments that must be trained before it."""
        return (*filter(None, [self.start]), *dict.fromkeys(self.contexts.values()))


_SENTENCES = ("sentence-continued", "sentence", "stack-sentence")
"""The sentence-level Transformers."""

_NEAR, _FAR = "encoder-near", "encoder"
LENGTHS = {n: f"g-transformer-{n}-tokens" for n in (64, 128, 256, 512, 1024)}
"""The G-Transformer by the length of its instances (Bao et al. 2021, Figure 7a)."""

PLACE = "second or third in document"
"""The category of the sentences to which context gives most."""

LONG_DOCUMENTS = 768
"""Tokens of the shortest documents that these are trained on, as in the paper: the others would be
the same instances at most lengths."""

_TABLE = (
    Experiment("sentence", "Transformer, sentences", "demo-sentence"),
    Experiment(
        "g-transformer-finetuned",
        "G-Transformer, fine-tuned",
        "demo-g-transformer",
        _FINE,
        start="sentence",
        compare=("sentence-continued", "sentence"),
    ),
    Experiment(
        "sentence-continued",
        "Transformer, sentences, fine-tuned",
        "demo-sentence",
        FINETUNED,
        start="sentence",
        compare=("sentence",),
    ),
    Experiment(
        "g-transformer",
        "G-Transformer, from random weights",
        "demo-g-transformer",
        _RANDOM,
        compare=("document", "sentence"),
    ),
    Experiment("document", "Transformer, documents", "demo-document-joined", compare=("sentence",)),
    Experiment(
        "g-transformer-finetuned-sentence-positions",
        "G-Transformer, fine-tuned, positions in the sentence",
        "demo-g-transformer",
        (*_word_dropout(0.1), *FINETUNED),
        start="sentence",
        compare=("sentence-continued", "sentence", "g-transformer-finetuned"),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout",
        "demo-g-transformer",
        FINETUNED,
        start="sentence",
        compare=("sentence-continued", "sentence", "g-transformer-finetuned-sentence-positions"),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout-no-target",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout or target "
        "context",
        "demo-g-transformer",
        (*FINETUNED, "system.target_context=false"),
        start="sentence",
        compare=(
            "sentence-continued",
            "g-transformer-finetuned-sentence-positions-no-word-dropout",
        ),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout-no-context",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout or any context",
        "demo-g-transformer",
        (*FINETUNED, "system.target_context=false", "system.source_context=false"),
        start="sentence",
        compare=(
            "sentence-continued",
            "g-transformer-finetuned-sentence-positions-no-word-dropout",
        ),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout-128-tokens",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout, 128 tokens "
        "at once",
        "demo-g-transformer",
        (*FINETUNED, "instances.max_tokens=128"),
        start="sentence",
        compare=(
            "sentence-continued",
            "sentence",
            "g-transformer-finetuned-sentence-positions-no-word-dropout",
            "g-transformer-finetuned-sentence-positions-no-word-dropout-128-tokens-no-context",
        ),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout-128-tokens-no-context",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout or any "
        "context, 128 tokens at once",
        "demo-g-transformer",
        (
            *FINETUNED,
            "instances.max_tokens=128",
            "system.target_context=false",
            "system.source_context=false",
        ),
        start="sentence",
        compare=(
            "sentence-continued",
            "g-transformer-finetuned-sentence-positions-no-word-dropout-no-context",
        ),
    ),
    Experiment(
        "g-transformer-finetuned-no-target",
        "G-Transformer, fine-tuned, without target context",
        "demo-g-transformer",
        (*_FINE, "system.target_context=false"),
        start="sentence",
        compare=("g-transformer-finetuned",),
    ),
    Experiment(
        "g-transformer-finetuned-no-context",
        "G-Transformer, fine-tuned, without any context",
        "demo-g-transformer",
        (*_FINE, "system.target_context=false", "system.source_context=false"),
        start="sentence",
        compare=("g-transformer-finetuned-no-target", "g-transformer-finetuned"),
    ),
    Experiment(
        "g-transformer-finetuned-longer",
        "G-Transformer, fine-tuned longer",
        "demo-g-transformer",
        _FINE,
        start="sentence",
        compare=("sentence", "g-transformer-finetuned"),
        seeds=(1,),
        is_long=True,
    ),
    Experiment(
        "g-transformer-sentence-positions",
        "G-Transformer, from random weights, positions in the sentence, without word dropout",
        "demo-g-transformer",
        compare=("sentence", "g-transformer-no-word-dropout"),
        priority=2,
    ),
    Experiment(
        "window", "Concatenation, 3 sentences", "demo-window", compare=("sentence",), priority=2
    ),
    Experiment(
        "long-short",
        "Long-short term masking",
        "demo-long-short",
        compare=("window", "sentence"),
        priority=2,
    ),
    Experiment(
        "long-short-independent",
        "Long-short, independent short stream",
        "demo-long-short",
        ("system.short_stream=independent",),
        compare=("window", "long-short", "sentence"),
        priority=2,
    ),
    Experiment(
        "g-transformer-no-language-locality",
        "G-Transformer, from random weights, without language locality or word dropout",
        "demo-g-transformer",
        (*_BARE, "system.language_locality=false"),
        compare=("g-transformer-no-word-dropout",),
        priority=2,
    ),
    Experiment(
        "g-transformer-no-word-dropout",
        "G-Transformer, from random weights, without word dropout",
        "demo-g-transformer",
        _BARE,
        compare=("g-transformer",),
        priority=2,
    ),
    Experiment(
        "g-transformer-group",
        "G-Transformer, from random weights, group attention alone",
        "demo-g-transformer",
        (*_RANDOM, "system.context_attention=group"),
        compare=("g-transformer",),
        priority=2,
    ),
    Experiment(
        "g-transformer-global",
        "G-Transformer, from random weights, global attention alone in the top layer",
        "demo-g-transformer",
        (*_RANDOM, "system.context_attention=global"),
        compare=("g-transformer",),
        priority=2,
    ),
    Experiment(
        "document-aligned",
        "Transformer, documents, aligned",
        "demo-document",
        compare=("document", "sentence", "g-transformer-no-language-locality"),
        priority=2,
    ),
    Experiment(
        "han",
        "HAN",
        "demo-han",
        (*PARTS, *FINETUNED),
        start="sentence",
        compare=("sentence-continued", "sentence"),
        priority=3,
    ),
    Experiment(
        "hm-gdc",
        "HM-GDC, from random weights",
        "demo-hm-gdc",
        PARTS,
        compare=("sentence", "document-transformer-random"),
        priority=3,
    ),
    Experiment(
        "document-transformer-random",
        "Document Transformer, from random weights",
        "demo-document-transformer",
        _EQUAL_TARGETS,
        compare=("sentence",),
        priority=3,
    ),
    Experiment(
        "hm-gdc-finetuned",
        "HM-GDC, fine-tuned",
        "demo-hm-gdc",
        (*PARTS, *FINETUNED),
        start="sentence",
        compare=("sentence-continued", "sentence", "document-transformer"),
        priority=3,
    ),
    Experiment(
        "document-transformer",
        "Document Transformer, fine-tuned",
        "demo-document-transformer",
        FROZEN,
        start="sentence",
        compare=("sentence",),
        priority=3,
    ),
    Experiment(
        "stack-sentence",
        "Transformer, sentences, below the stacks",
        "demo-stack-sentence",
        compare=("sentence",),
        priority=4,
    ),
    Experiment(
        _NEAR, "Encoder of 3 sentences", "demo-pegasus-near", priority=4, seeds=(1,), languages="en"
    ),
    Experiment(
        _FAR, "Encoder of 7 sentences", "demo-pegasus", priority=4, seeds=(1,), languages="en"
    ),
    Experiment(
        "multi-context",
        "Multi-context",
        "demo-multi-context",
        FROZEN,
        start="stack-sentence",
        contexts={"B": _NEAR, "P": _FAR},
        compare=("bert-fused", "stack-sentence"),
        priority=4,
    ),
    Experiment(
        "bert-fused",
        "BERT-fused",
        "demo-bert-fused",
        FROZEN,
        start="stack-sentence",
        contexts={"B": _NEAR},
        compare=("stack-sentence",),
        priority=4,
    ),
    Experiment(
        "multi-source",
        "Multi-source",
        "demo-multi-source",
        FROZEN,
        start="stack-sentence",
        contexts={"B": _NEAR, "P": _FAR},
        compare=("stack-sentence", "multi-context"),
        priority=4,
    ),
    *(
        Experiment(
            name,
            f"G-Transformer, long documents, {tokens} tokens at once",
            "demo-g-transformer",
            (*_BARE, f"instances.max_tokens={tokens}"),
            compare=() if tokens == 512 else (LENGTHS[512],),
            priority=5,
            min_document_tokens=LONG_DOCUMENTS,
            share=2 / 3,  # as many epochs as of the whole
        )
        for tokens, name in LENGTHS.items()
    ),
)

EXPERIMENTS = {experiment.name: experiment for experiment in _TABLE}
"""All of them by name."""
