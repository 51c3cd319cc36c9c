"""The encoder of one of docmt's own runs, such as a run trained to predict masked sentences."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from docmt_files.base.errors import InputError
from docmt_nmt.contexts.encoders import Encoder, TokenizedPassage, fingerprint
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems.parallel_stack_settings import ContextSettings
from docmt_nmt.systems.transformer import Transformer


class RunEncoder(Encoder):
    """Reads a passage as one instance, each sentence with special tokens.

    Args:
        name: the key of the recipe, for error messages.
        settings: the run and the limits.
        device: where to compute.

    Raises:
        InputError: there is no such run, or the system of the run is not a Transformer.
    """

    def __init__(self, name: str, settings: ContextSettings, device: torch.device | str) -> None:
        assert settings.run is not None
        run = SystemRun.load(settings.run)
        self.system, self.pipeline = run.system(device), run.pipeline
        if not isinstance(self.system, Transformer):
            raise InputError(
                f"{name}.run: the run is of system {run.recipe.system.name}, but only the encoder "
                "of a transformer can read context",
                path=run.directory,
                cure="Name the run of a transformer",
            )
        learned = self.system.source_embedding.learned
        by_instance = self.system.count_positions == "instance"
        limit = learned.num_embeddings if learned is not None and by_instance else None
        super().__init__(name, limit, settings.max_tokens, settings.too_long)
        self.device = device
        self.d_model = self.system.output_weight.shape[1]
        text = [path for path in (run.directory / "text").rglob("*") if path.is_file()]
        self.fingerprint = fingerprint(
            [run.weights, *text],
            run.recipe.system.model_dump_json(),
            str((self.max_tokens, self.too_long)),
        )

    def tokenize(self, sentences: Sequence[str], most: int | None = None) -> TokenizedPassage:
        """Token ids with the special tokens of each sentence, and for each token the index of the
        sentence."""
        special_tokens = self.pipeline.special_tokens
        overhead = special_tokens.source_overhead
        tokens: list[int] = []
        sentence_index: list[int] = []
        for index, sentence in enumerate(sentences):
            ids = self.pipeline.encode_sentence(sentence)
            if most is not None:
                ids = ids[: most - overhead]
            tokens += [*special_tokens.source_begin, *ids, *special_tokens.source_end]
            sentence_index += [index] * (len(ids) + overhead)
        return [tokens, sentence_index]

    def compute_states(self, passages: Sequence[TokenizedPassage]) -> list[Tensor]:
        """The states, (n, W), of tokenized passages."""
        instances = [self._instance(passage) for passage in passages]
        packed = collate_source(instances, self.pipeline.special_tokens)
        memory = self.system.encode(packed.to(self.device))
        return list(torch.split(memory.states, [len(passage[0]) for passage in passages]))

    def _instance(self, passage: TokenizedPassage) -> Instance:
        """A passage as an instance, the sentences without special tokens."""
        special_tokens = self.pipeline.special_tokens
        before, after = len(special_tokens.source_begin), len(special_tokens.source_end)
        tokens, sentence_index = passage
        sentences: list[list[int]] = [[] for _ in range(sentence_index[-1] + 1)]
        for token, index in zip(tokens, sentence_index, strict=True):
            sentences[index].append(token)
        return Instance("", 0, [sentence[before : len(sentence) - after] for sentence in sentences])
