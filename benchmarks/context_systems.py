"""Stacks of context encoders and the sentence Transformer they stand on, on the bundled corpus.

    python benchmarks/context_systems.py --runs FOLDER [--seeds 3] [--steps 600]

For each seed a sentence Transformer is trained, and from it every system for the same number of
updates: the Transformer itself, all of it, and each stack, its new blocks alone. The encoders are
docmt's own, trained once on the training side of the corpus to write masked sentences. After every
run the table is printed anew: parameters and how many of them learnt, the validation loss, scores
on the test split (mean and range over seeds), and seconds of processor time as ratios to the
Transformer's: of an update, and of search, which encodes its contexts as it goes. What the encoders
make of the corpus is made before an update is timed. All is kept in FOLDER, and a benchmark that
was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import torch

from demo_systems import METRICS, spread
from docmt import recipes
from docmt.contexts import ContextDataset, ContextEncoders
from docmt.data.corpus import PreparedCorpus
from docmt.data.dataset import InstanceDataset
from docmt.data.prepare import prepare
from docmt.decoding import Translator
from docmt.evaluation import evaluate
from docmt.files import write_text
from docmt.recipes import Recipe
from docmt.recipes.training import InitializeSettings
from docmt.runs import Run
from docmt.systems import ParallelStackSettings
from docmt.training import train

BASE = "demo-stack-sentence"
SYSTEMS = (BASE, "demo-bert-fused", "demo-multi-source", "demo-multi-context")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run.

    Attributes:
        parameters, learnt: how many it has, and how many of them learnt.
        loss: on the validation split, in nats a label.
        scores: on the test split.
        update, search: seconds of processor time of an update, and of the translation of the test
            split.
    """

    parameters: int
    learnt: int
    loss: float
    scores: tuple[float, ...]
    update: float
    search: float


def main() -> None:
    """Train, translate and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="the folder that keeps all runs")
    parser.add_argument("--systems", nargs="+", default=SYSTEMS, help="recipes; the first is 1.00")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, help="updates of a system; default: its recipe's")
    parser.add_argument("--base-steps", type=int, help="of the Transformer before; the same")
    parser.add_argument("--encoder-steps", type=int, help="of an encoder; the same")
    parser.add_argument("overrides", nargs="*", help="keys of every recipe, as key=value")
    arguments = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()} · {torch.get_num_threads()} threads · "
        f"Python {platform.python_version()} · torch {torch.__version__}",
        flush=True,
    )
    bench = Bench(
        arguments.runs, arguments.overrides, steps=arguments.steps,
        base_steps=arguments.base_steps, encoder_steps=arguments.encoder_steps,
    )  # fmt: skip
    outcomes: dict[str, list[Outcome]] = {}
    for name, outcome in bench.outcomes(arguments.systems, arguments.seeds):
        outcomes.setdefault(name, []).append(outcome)
        print_table(outcomes)


class Bench:
    """The runs of a folder.

    Args:
        folder: where they are.
        overrides: keys of every recipe.
        steps, base_steps, encoder_steps: updates of systems, of the Transformer they start from,
            and of encoders; None for those of the recipes.
    """

    def __init__(
        self,
        folder: Path,
        overrides: Sequence[str],
        *,
        steps: int | None,
        base_steps: int | None,
        encoder_steps: int | None,
    ) -> None:
        self.folder, self.overrides = folder, list(overrides)
        self.steps, self.base_steps, self.encoder_steps = steps, base_steps, encoder_steps
        self.data = folder / "data"
        if not self.data.exists():
            prepare(recipes.load(BASE, overrides), self.data)
        test = PreparedCorpus.load(self.data).split("test")
        self.documents = [test.text(place) for place in range(len(test))]

    def outcomes(self, systems: Sequence[str], seeds: int) -> Iterator[tuple[str, Outcome]]:
        """Every system's outcomes, seed after seed."""
        for seed in range(1, seeds + 1):
            keys = [f"training.seed={seed}", f"data.prepared={self.data}"]
            base = self.load(BASE, self.base_steps, keys)
            start = train(base, self.folder / f"base-{seed}", progress=False)
            for name in systems:
                yield name, self.outcome(name, seed, start, keys)

    def load(self, name: str, steps: int | None, keys: Sequence[str] = ()) -> Recipe:
        """A recipe with these keys and the benchmark's own."""
        given = [f"training.max_steps={steps}"] if steps else []
        return recipes.load(name, [*self.overrides, *keys, *given])

    def outcome(self, name: str, seed: int, start: Run, keys: Sequence[str]) -> Outcome:
        """Train a system from a Transformer, translate and score; or read what came of it."""
        place = self.folder / f"{name}-{seed}"
        file = place.with_suffix(".json")
        if file.exists():
            values = json.loads(file.read_text("utf-8"))
            return Outcome(**{**values, "scores": tuple(values["scores"])})
        recipe = self.system(name, start, keys)
        self.encode(recipe)
        run, update = self.timed(recipe, place)
        translator = Translator.load(run.directory)
        began = time.process_time()
        found = [translation.document for translation in translator.translate(self.documents)]
        search = time.process_time() - began
        scores = evaluate(
            found, self.documents, metrics=METRICS, language=recipe.data.target_language
        )
        log = [json.loads(line) for line in run.log.read_text("utf-8").splitlines()]
        sizes = {name: p.numel() for name, p in run.system("cpu").named_parameters()}
        loaded = start.state() if recipe.initialize and recipe.initialize.freeze else {}
        learnt = sum(size for name, size in sizes.items() if name not in loaded)
        made = Outcome(
            sum(sizes.values()), learnt, log[-1]["loss"], tuple(score.score for score in scores),
            update, search,
        )  # fmt: skip
        write_text(file, json.dumps(asdict(made)))
        return made

    def system(self, name: str, start: Run, keys: Sequence[str]) -> Recipe:
        """The last stage of a recipe, from this run and with the benchmark's encoders."""
        recipe = recipes.stages(self.load(name, None, keys), self.folder)[-1][1]
        frozen = recipe.initialize.freeze if recipe.initialize is not None else ()
        training = recipe.training
        if self.steps:
            training = training.model_copy(update={"max_steps": self.steps})
        if isinstance(recipe.system, ParallelStackSettings):
            training = training.model_copy(update={"encodings": str(self.folder / "encodings")})
            contexts = {
                letter: context.model_copy(update={"run": str(self.encoder(context.run))})
                for letter, context in recipe.system.contexts.items()
            }
            system = recipe.system.model_copy(update={"contexts": contexts})
            recipe = recipe.model_copy(update={"system": system})
        return recipe.model_copy(
            update={
                "training": training,
                "initialize": InitializeSettings(run=str(start.directory), freeze=frozen),
            }
        )

    def encoder(self, run: str | None) -> Path:
        """The run of an encoder, trained by the recipe of its name."""
        assert run is not None, "only encoders of docmt's own are compared"
        name = Path(run).name
        recipe = self.load(name, self.encoder_steps)
        return train(recipe, self.folder / name, progress=False).directory

    def encode(self, recipe: Recipe) -> None:
        """Let the encoders read the corpus, so that it does not count as training."""
        prepared = PreparedCorpus.load(self.data)
        special_tokens = prepared.pipeline.special_tokens
        contexts = ContextEncoders.of(recipe, special_tokens, "cpu", self.folder / "encodings")
        if contexts is not None:
            for split in ("train", "valid"):
                instances = InstanceDataset(prepared.split(split), recipe.instances, special_tokens)
                ContextDataset(instances, contexts, lambda *_: None)

    def timed(self, recipe: Recipe, place: Path) -> tuple[Run, float]:
        """Train, or go on; the run, and the seconds of an update, validation included."""
        done = max((int(path.name) for path in place.glob("checkpoints/[0-9]*")), default=0)
        began = time.process_time()
        run = train(recipe, place, progress=False)
        seconds = time.process_time() - began
        return run, seconds / max(recipe.training.max_steps - done, 1)


def print_table(outcomes: dict[str, list[Outcome]]) -> None:
    """One line a system; times as ratios to the first."""
    columns = (
        "parameters", "learnt", "valid. loss", "s-BLEU", "d-BLEU", "s-chrF", "update", "search",
    )  # fmt: skip
    d_model = max(map(len, outcomes))
    print("\n" + " " * d_model, *(f"{column:>20}" for column in columns))
    base = next(iter(outcomes.values()))
    for name, runs in outcomes.items():
        cells = [f"{runs[0].parameters:,}", f"{runs[0].learnt:,}"]
        cells.append(spread([run.loss for run in runs]))
        for metric in range(len(METRICS)):
            cells.append(spread([run.scores[metric] for run in runs]))
        for part in ("update", "search"):
            seconds = mean(getattr(run, part) for run in runs)
            ratio = seconds / mean(getattr(run, part) for run in base)
            cells.append(f"{seconds:.3g} s ({ratio:.2f} ×)")
        print(f"{name:<{d_model}}", *(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
