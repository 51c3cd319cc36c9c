"""Stacks of context encoders and the sentence Transformer they stand on, on the bundled corpus.

    python benchmarks/context_systems.py --runs FOLDER [--seeds 3] [--steps 600]

For each seed a sentence Transformer is trained, and from it every system for the same number of
updates: the Transformer itself, all of it, and each stack, its new blocks alone. The encoders are
docmt's own, trained once on the training side of the corpus to restore masked sentences. After each
run the table is printed again: parameters and how many of them are trained, the validation loss,
scores on the test split (mean and range over seeds), and seconds of processor time, also as ratios
to the Transformer's: per update, and of search, which includes encoding the contexts. The encodings
of the training corpus are computed before updates are timed. Everything is kept in FOLDER, and the
same command continues a benchmark that was stopped.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from docmt import recipes
from docmt.contexts import ContextEncoders
from docmt.contexts.dataset import ContextDataset
from docmt.data.corpus import PreparedCorpus
from docmt.data.dataset import InstanceDataset
from docmt.data.prepare import prepare
from docmt.recipes import Recipe
from docmt.recipes.training import InitializeSettings
from docmt.runs import Run
from docmt.systems import ParallelStackSettings
from docmt.training import train
from measuring import machine
from outcomes import Outcome, max_steps, print_outcomes, translate_and_score, validation_loss

BASE = "demo-stack-sentence"
SYSTEMS = (BASE, "demo-bert-fused", "demo-multi-source", "demo-multi-context")


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
    print(machine(), flush=True)
    bench = Bench(
        arguments.runs, arguments.overrides, steps=arguments.steps,
        base_steps=arguments.base_steps, encoder_steps=arguments.encoder_steps,
    )  # fmt: skip
    outcomes: dict[str, list[Outcome]] = {}
    for name, outcome in bench.outcomes(arguments.systems, arguments.seeds):
        outcomes.setdefault(name, []).append(outcome)
        print()
        print_outcomes(outcomes, next(iter(outcomes.values())))


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
        self.documents = [test.text(index) for index in range(len(test))]

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
        """Train a system from a Transformer, translate and score; or load what is known of it."""
        directory = self.folder / f"{name}-{seed}"
        file = directory.with_suffix(".json")
        if (known := Outcome.load(file)) is not None:
            return known
        recipe = self.system(name, start, keys)
        self.encode(recipe)
        run, update = self.timed(recipe, directory)
        scores, search = translate_and_score(run, self.documents)
        sizes = {name: p.numel() for name, p in run.system("cpu").named_parameters()}
        loaded = start.state() if recipe.initialize and recipe.initialize.freeze else {}
        trained = sum(size for name, size in sizes.items() if name not in loaded)
        outcome = Outcome(
            sum(sizes.values()), trained, max_steps(recipe), validation_loss(run), scores,
            update, search,
        )  # fmt: skip
        outcome.save(file)
        return outcome

    def system(self, name: str, start: Run, keys: Sequence[str]) -> Recipe:
        """The last stage of a recipe, from this run and with the benchmark's encoders."""
        recipe = recipes.stages(self.load(name, None, keys), self.folder)[-1][1]
        frozen = recipe.initialize.freeze if recipe.initialize is not None else ()
        training = recipe.training
        if self.steps:
            training = training.model_copy(update={"max_steps": self.steps})
        if isinstance(recipe.system, ParallelStackSettings):
            training = training.model_copy(update={"context_cache": str(self.folder / "encodings")})
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
        contexts = ContextEncoders.of(
            recipe.system, special_tokens, "cpu", self.folder / "encodings"
        )
        if contexts is not None:
            for split in ("train", "valid"):
                instances = InstanceDataset(prepared.split(split), recipe.instances, special_tokens)
                ContextDataset(instances, contexts, lambda *_: None)

    def timed(self, recipe: Recipe, directory: Path) -> tuple[Run, float]:
        """Train, or go on; the run, and the seconds of an update, validation included."""
        done = max((int(path.name) for path in directory.glob("checkpoints/[0-9]*")), default=0)
        began = time.process_time()
        run = train(recipe, directory, progress=False)
        seconds = time.process_time() - began
        return run, seconds / max(max_steps(recipe) - done, 1)


if __name__ == "__main__":
    main()
