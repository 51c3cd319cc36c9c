"""The encoder of a run of docmt's own, such as one trained to write masked sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from docmt.contexts.encoders import Encoder, fingerprint
from docmt.data import Instance
from docmt.data.collate import collate_source
from docmt.errors import InputError
from docmt.runs import Run
from docmt.systems.parallel_stack import ContextSettings
from docmt.systems.transformer import Transformer


class RunEncoder(Encoder):
    """Reads a passage as one instance, each sentence between its marks.

    Args:
        name: what errors call it.
        settings: the run and its limits.
        device: where to compute.

    Raises:
        InputError: there is no such run, or it is no Transformer.
    """

    def __init__(self, name: str, settings: ContextSettings, device: torch.device | str) -> None:
        assert settings.run is not None
        run = Run.load(settings.run)
        self.system, self.pipeline = run.system(device), run.pipeline
        if not isinstance(self.system, Transformer):
            raise InputError(
                f"{name}.run: the run is of system {run.recipe.system.name}, and only the encoder "
                "of a transformer reads context", path=run.directory,
                cure="Name the run of a transformer",
            )  # fmt: skip
        learned = self.system.source_embedding.learned
        by_instance = self.system.count_positions == "instance"
        limit = learned.num_embeddings if learned is not None and by_instance else None
        super().__init__(name, limit, settings.max_tokens, settings.too_long)
        self.device = device
        self.d_model = self.system.output_weight.shape[1]
        text = [path for path in (run.directory / "text").rglob("*") if path.is_file()]
        self.fingerprint = fingerprint(
            [run.weights, *map(Path, text)],
            run.recipe.system.model_dump_json(), str((self.max_tokens, self.too_long)),
        )  # fmt: skip

    def tokens(self, sentences: Sequence[str], most: int | None = None) -> list[list[int]]:
        """The tokens of each sentence with its special_tokens, and the sentence each lies in."""
        special_tokens = self.pipeline.special_tokens
        edges = len(special_tokens.source_begin) + len(special_tokens.source_end)
        flat: list[int] = []
        places: list[int] = []
        for place, sentence in enumerate(sentences):
            numbers = self.pipeline.encode_sentence(sentence)
            if most is not None:
                numbers = numbers[: most - edges]
            flat += [*special_tokens.source_begin, *numbers, *special_tokens.source_end]
            places += [place] * (len(numbers) + edges)
        return [flat, places]

    def states(self, rows: Sequence[list[list[int]]]) -> list[Tensor]:
        """The states, (n, W), of passages."""
        packed = collate_source([self.instance(row) for row in rows], self.pipeline.special_tokens)
        memory = self.system.encode(packed.to(self.device))
        return list(torch.split(memory.states, packed.instances.lengths.tolist()))

    def instance(self, row: list[list[int]]) -> Instance:
        """A passage as an instance, its sentences without their marks."""
        special_tokens = self.pipeline.special_tokens
        before, after = len(special_tokens.source_begin), len(special_tokens.source_end)
        tokens, places = row
        sentences: list[list[int]] = [[] for _ in range(places[-1] + 1)]
        for token, place in zip(tokens, places, strict=True):
            sentences[place].append(token)
        return Instance("", 0, [sentence[before : len(sentence) - after] for sentence in sentences])
