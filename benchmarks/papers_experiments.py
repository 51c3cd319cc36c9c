"""The experiments by which the claims of the papers are tested, each a bundled recipe with a few
keys changed, all under one training budget on one corpus.

All systems have two layers of 128 on each side, 4,000 subwords and the same batches, learning rate
and search. What starts from random weights is trained for `Budget.steps` updates, what starts from
a trained system for `Budget.finetuning_steps`; the learning rate falls to zero until then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docmt import recipes
from docmt.errors import InputError
from docmt.recipes import Recipe, differences
from docmt.runs import read_log

SEEDS = (1, 2)
"""With which every experiment is trained."""

THIRD_SEED = 3
"""With which those are trained whose first two disagree."""

SPLITS = {"train": "train", "valid": "dev", "test": "test"}
"""The names of the files of each split of a corpus."""

VOCABULARY_SIZE = 4000

COMMON = (
    f"text.vocabulary_size={VOCABULARY_SIZE}", "system.preset=tiny", "system.dropout=0.1",
    "training.batch_tokens=2048", "training.learning_rate=2e-3", "training.warmup_steps=500",
    "training.schedule=polynomial", "training.validate_every=250", "training.patience=10",
    "training.log_attention=true", "search.beam_size=4",
)  # fmt: skip
"""Keys of all experiments."""

FINETUNED = ("initialize.loaded_learning_rate=4e-4", "training.warmup_steps=200")
"""Loaded parameters learn with a fifth of the rate of new ones (Bao et al. 2021, appendix C.1)."""

FROZEN = ("initialize.freeze=[loaded]",)
"""Only what is new is trained, as long as others from random weights."""

PARTS = ("instances.kind=tokens", "instances.max_tokens=1024")
"""Systems that read whole documents read parts of them, so that one batch is not a whole book."""


def _word_dropout(share: float, *more: str) -> tuple[str, ...]:
    """Word dropout as Bao et al. 2021 have it in their published scripts."""
    sides = [f"training.word_dropout_{side}={share}" for side in ("source", "target")]
    return (*sides, "training.word_dropout_token=mask", *more)


# The published scripts end word dropout about halfway through the training from random weights.
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

    @property
    def translates(self) -> bool:
        """Whether it is a translation system, not only an encoder for others."""
        return self.languages == "en-de"

    @property
    def needs(self) -> tuple[str, ...]:
        """The experiments that must be trained before it."""
        return (*filter(None, [self.start]), *dict.fromkeys(self.contexts.values()))


_NEAR, _FAR = "encoder-near", "encoder"
LENGTHS = {
    **{tokens: f"g-transformer-{tokens}-tokens" for tokens in (64, 128, 256)},
    512: "g-transformer", 1024: "g-transformer-1024-tokens",
}  # fmt: skip
"""The G-Transformer by the length of its instances (Bao et al. 2021, Figure 7a)."""

_TABLE = (
    Experiment("sentence", "Transformer, sentences", "demo-sentence"),
    Experiment(
        "g-transformer-finetuned", "G-Transformer, fine-tuned", "demo-g-transformer", _FINE,
        start="sentence", compare=("sentence-continued", "sentence"),
    ),
    Experiment(
        "sentence-continued", "Transformer, sentences, fine-tuned", "demo-sentence", FINETUNED,
        start="sentence", compare=("sentence",),
    ),
    Experiment(
        "g-transformer", "G-Transformer, from random weights", "demo-g-transformer", _RANDOM,
        compare=("document", "sentence"),
    ),
    Experiment("document", "Transformer, documents", "demo-document-joined", compare=("sentence",)),
    Experiment(
        "g-transformer-finetuned-sentence-positions",
        "G-Transformer, fine-tuned, positions in the sentence", "demo-g-transformer",
        (*_word_dropout(0.1), *FINETUNED), start="sentence",
        compare=("sentence-continued", "sentence", "g-transformer-finetuned"),
    ),
    Experiment(
        "g-transformer-finetuned-sentence-positions-no-word-dropout",
        "G-Transformer, fine-tuned, positions in the sentence, without word dropout",
        "demo-g-transformer", FINETUNED, start="sentence",
        compare=("sentence-continued", "sentence", "g-transformer-finetuned-sentence-positions"),
    ),
    Experiment(
        "g-transformer-finetuned-no-target", "… fine-tuned, without target context",
        "demo-g-transformer", (*_FINE, "system.target_context=false"),
        start="sentence", compare=("g-transformer-finetuned",),
    ),
    Experiment(
        "g-transformer-finetuned-no-context", "… fine-tuned, without any context",
        "demo-g-transformer",
        (*_FINE, "system.target_context=false", "system.source_context=false"), start="sentence",
        compare=("g-transformer-finetuned-no-target", "g-transformer-finetuned"),
    ),
    Experiment(
        "g-transformer-finetuned-longer", "G-Transformer, fine-tuned longer", "demo-g-transformer",
        _FINE, start="sentence", compare=("sentence", "g-transformer-finetuned"), seeds=(1,),
        is_long=True,
    ),
    Experiment(
        "window", "Concatenation, 3 sentences", "demo-window", compare=("sentence",), priority=2,
    ),
    Experiment(
        "long-short", "Long-short term masking", "demo-long-short", compare=("window", "sentence"),
        priority=2,
    ),
    Experiment(
        "long-short-independent", "Long-short, independent short stream", "demo-long-short",
        ("system.short_stream=independent",), compare=("window", "long-short", "sentence"),
        priority=2,
    ),
    Experiment(
        "g-transformer-no-locality", "… without translation locality", "demo-g-transformer",
        (*_BARE, "system.language_locality=false", "system.translation_locality=false"),
        compare=("g-transformer-no-language-locality",), priority=2,
    ),
    Experiment(
        "g-transformer-no-language-locality", "… without language locality", "demo-g-transformer",
        (*_BARE, "system.language_locality=false"), compare=("g-transformer-no-word-dropout",),
        priority=2,
    ),
    Experiment(
        "g-transformer-no-word-dropout", "… without word dropout", "demo-g-transformer", _BARE,
        compare=("g-transformer",), priority=2,
    ),
    Experiment(
        "g-transformer-group", "… group attention alone", "demo-g-transformer",
        (*_RANDOM, "system.context_attention=group"), compare=("g-transformer",), priority=2,
    ),
    Experiment(
        "g-transformer-global", "… global attention alone in the top layer", "demo-g-transformer",
        (*_RANDOM, "system.context_attention=global"), compare=("g-transformer",), priority=2,
    ),
    Experiment(
        "document-aligned", "Transformer, documents, aligned", "demo-document",
        compare=("document", "sentence"), priority=2,
    ),
    Experiment(
        "han", "HAN", "demo-han", (*PARTS, *FINETUNED), start="sentence",
        compare=("sentence-continued", "sentence"), priority=3,
    ),
    Experiment(
        "hm-gdc", "HM-GDC, from random weights", "demo-hm-gdc", PARTS,
        compare=("sentence", "document-transformer-random"), priority=3,
    ),
    Experiment(
        "document-transformer-random", "Document Transformer, from random weights",
        "demo-document-transformer", compare=("sentence",), priority=3,
    ),
    Experiment(
        "hm-gdc-finetuned", "HM-GDC, fine-tuned", "demo-hm-gdc", (*PARTS, *FINETUNED),
        start="sentence", compare=("sentence-continued", "sentence", "document-transformer"),
        priority=3,
    ),
    Experiment(
        "document-transformer", "Document Transformer, fine-tuned", "demo-document-transformer",
        FROZEN, start="sentence", compare=("sentence",), priority=3,
    ),
    Experiment(
        "stack-sentence", "Transformer, sentences, below the stacks", "demo-stack-sentence",
        compare=("sentence",), priority=4,
    ),
    Experiment(
        _NEAR, "Encoder of 3 sentences", "demo-pegasus-near", priority=4, seeds=(1,),
        languages="en",
    ),
    Experiment(
        _FAR, "Encoder of 7 sentences", "demo-pegasus", priority=4, seeds=(1,), languages="en",
    ),
    Experiment(
        "multi-context", "Multi-context", "demo-multi-context", FROZEN, start="stack-sentence",
        contexts={"B": _NEAR, "P": _FAR}, compare=("bert-fused", "stack-sentence"), priority=4,
    ),
    Experiment(
        "bert-fused", "BERT-fused", "demo-bert-fused", FROZEN, start="stack-sentence",
        contexts={"B": _NEAR}, compare=("stack-sentence",), priority=4,
    ),
    Experiment(
        "multi-source", "Multi-source", "demo-multi-source", FROZEN, start="stack-sentence",
        contexts={"B": _NEAR, "P": _FAR}, compare=("stack-sentence", "multi-context"), priority=4,
    ),
    *(
        Experiment(
            name, f"… with {tokens} tokens at once", "demo-g-transformer",
            (*_RANDOM, f"instances.max_tokens={tokens}"), compare=("g-transformer",), priority=5,
        )
        for tokens, name in LENGTHS.items() if tokens != 512
    ),
)  # fmt: skip

EXPERIMENTS = {experiment.name: experiment for experiment in _TABLE}
"""All of them by name."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The updates of a training.

    Attributes:
        steps: the most from random weights, of new parameters alone, and in long fine-tuning.
        finetuning_steps: the most of a trained system otherwise.
    """

    steps: int = 3_000
    finetuning_steps: int = 1_000

    def of(self, experiment: Experiment) -> int:
        """The most updates of an experiment."""
        is_long = experiment.is_long or {*FROZEN} <= {*experiment.overrides}
        return self.steps if experiment.start is None or is_long else self.finetuning_steps


@dataclass(frozen=True, slots=True)
class Training:
    """An experiment with a seed.

    Attributes:
        experiment: what is trained.
        seed: of the training.
    """

    experiment: Experiment
    seed: int

    @property
    def name(self) -> str:
        """The name of its run directory."""
        return f"{self.experiment.name}-{self.seed}"

    @property
    def needs(self) -> list[Training]:
        """The trainings that must have ended before it."""
        return [training_named(name, self.seed) for name in self.experiment.needs]


def training_named(name: str, seed: int) -> Training:
    """The training of an experiment that goes with a seed."""
    experiment = EXPERIMENTS[name]
    return Training(experiment, seed if experiment.seeds is None else experiment.seeds[0])


def trainings(
    names: Sequence[str] = (), seeds: Sequence[int] = SEEDS, more: Mapping[str, int] | None = None
) -> list[Training]:
    """The trainings of some experiments and of what they need, by priority, then by seed.

    Args:
        names: of the experiments; none for all.
        seeds: of each.
        more: a further seed of some experiments.
    """
    chosen = [EXPERIMENTS[name] for name in names] or list(EXPERIMENTS.values())
    wanted = [Training(e, seed) for e in chosen for seed in e.seeds or seeds]
    wanted += [training_named(name, seed) for name, seed in (more or {}).items()]
    found = {each.name: each for one in wanted for each in _with_needs(one)}
    order = list(EXPERIMENTS)
    return sorted(
        found.values(),
        key=lambda one: (one.experiment.priority, one.seed, order.index(one.experiment.name)),
    )


def _with_needs(training: Training) -> Iterator[Training]:
    """A training and all that must have ended before it."""
    for before in training.needs:
        yield from _with_needs(before)
    yield training


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where runs are kept, and what all of them share.

    Attributes:
        runs: the folder of the run directories.
        data: the folder of the corpus; None for the bundled one.
        budget: the updates of a training.
        overrides: of keys of all recipes, such as for a try with a smaller system.
    """

    runs: Path
    data: Path | None = None
    budget: Budget = Budget()
    overrides: tuple[str, ...] = ()

    def run(self, training: Training) -> Path:
        """The run directory of a training."""
        return self.runs / training.name

    def is_done(self, training: Training) -> bool:
        """Whether it has ended.

        Raises:
            InputError: it has, but was trained with another recipe.
        """
        directory = self.run(training)
        lines = read_log(directory / "log.jsonl")
        if not lines or lines[-1]["kind"] != "end":
            return False
        expected, found = self.recipe(training), recipes.load(directory / "recipe.yaml")
        if training.needs:  # the text settings are those of the run that it started from
            expected = expected.model_copy(update={"text": found.text})
        if keys := differences(found, expected):
            raise InputError(
                f"was trained with another recipe; these keys differ: {', '.join(keys)}",
                path=directory, cure="Give the same options, or another folder of runs",
            )  # fmt: skip
        return True

    def corpus(self, experiment: Experiment) -> Path:
        """The folder of the prepared corpus of an experiment."""
        return self.runs / f"data-{experiment.languages}"

    def recipe(self, training: Training) -> Recipe:
        """The recipe of a training.

        Raises:
            InputError: the corpus lacks a file, or the recipe is not valid.
        """
        experiment = training.experiment
        keys = [
            "stages=[]", *COMMON, *self._corpus_keys(experiment), *experiment.overrides,
            f"data.prepared={self.corpus(experiment)}", f"training.seed={training.seed}",
            f"training.max_steps={self.budget.of(experiment)}",
        ]  # fmt: skip
        by_name = dict(zip(experiment.needs, training.needs, strict=True))
        if experiment.start is not None:
            keys.append(f"initialize.run={self.run(by_name[experiment.start])}")
        for letter, name in experiment.contexts.items():
            keys.append(f"system.contexts.{letter}.run={self.run(by_name[name])}")
        if experiment.contexts:
            keys.append(f"training.context_cache={self.runs / 'encodings'}")
        return recipes.load(experiment.recipe, [*keys, *self.overrides])

    def _corpus_keys(self, experiment: Experiment) -> Iterator[str]:
        """The keys that name the files of the corpus."""
        for split, file in SPLITS.items():
            languages = zip(("source", "target"), ("en", experiment.languages[-2:]), strict=True)
            for side, language in languages:
                yield f"data.{split}.{side}={self._file(f'{file}.{language}')}"

    def _file(self, name: str) -> str:
        """A file of the corpus, compressed or not."""
        if self.data is None:
            return f"bundled:{name}.xz"
        plain = self.data / name
        return str(plain if plain.exists() else plain.with_name(f"{name}.xz"))
