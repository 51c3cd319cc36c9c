"""The published G-Transformer code (Bao et al. 2021) as a contestant: its own task, model,
criterion, trainer and generator, imported from a checkout of
https://github.com/baoguangsheng/g-transformer, which is left as it is.

Options are those of its `exp_gtrans/run-randinit.sh`, on the processor and in 32 bits. It gets the
same instances as token ids, with the same special tokens, and computes what it computes as shipped,
the entropy of its attention included.
"""

from __future__ import annotations

import importlib
import logging
import math
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from docmt_nmt.nn.batch import Batch, Packed
from docmt_nmt.systems.system_settings import EncoderDecoderSettings

SOURCE, TARGET = "en", "de"
BEGIN, PADDING, END = 0, 1, 2
"""Ids of special tokens, the same in its dictionaries and in vocabularies of docmt."""


class Published:
    """Its G-Transformer with random weights.

    Args:
        checkout: the folder with its `fairseq`.
        settings: with the sizes of the model.
        vocabulary_size: special tokens included; its language tokens and mask are added.

    Raises:
        SystemExit: the folder lacks this code.
    """

    def __init__(
        self, checkout: Path, settings: EncoderDecoderSettings, vocabulary_size: int
    ) -> None:
        if not (checkout / "fairseq" / "models" / "gtransformer.py").is_file():
            raise SystemExit(f"{checkout} is not a checkout of the published G-Transformer code")
        sys.path.insert(0, str(checkout.resolve()))
        # Removed from numpy since; the code names it for files that are not read here.
        np.float = float  # type: ignore[attr-defined]
        self.arguments = _arguments(settings)
        data = importlib.import_module("fairseq.data")
        dictionary = data.Dictionary()
        for number in range(len(dictionary), vocabulary_size):
            dictionary.add_symbol(str(number))
        tasks = importlib.import_module("fairseq.tasks.translation_doc")
        self.task: Any = tasks.DocTranslationTask(self.arguments, dictionary, dictionary)
        logging.disable(logging.INFO)  # fairseq reports every step
        torch.manual_seed(1)
        self.model: Any = self.task.build_model(self.arguments)
        self.language = dictionary.index(f"[{TARGET}]")

    @cached_property
    def trainer(self) -> Any:
        """Its trainer, with Adam."""
        module = importlib.import_module("fairseq.trainer")
        criterion = self.task.build_criterion(self.arguments)
        return module.Trainer(self.arguments, self.task, self.model, criterion)

    def sample(self, batch: Batch) -> dict[str, Any]:
        """A batch, as its own collater makes it."""
        source, target = (_instances(packed) for packed in (batch.source, batch.target))
        return self._collate(source, target)

    def train(self, sample: dict[str, Any]) -> None:
        """Change the weights by the gradient of a batch."""
        self.trainer.train_step([sample])

    def translate(
        self,
        documents: Sequence[Sequence[Sequence[int]]],
        lengths: Sequence[Sequence[int]],
        beam_size: int,
        batch: int = 16,
    ) -> int:
        """Translate documents, each a list of sentences as token ids, every sentence to its length.

        Its generator limits the length of a sentence by that of the source sentence. So it is given
        a source whose sentences are as long as the translations are to be, while the encoder reads
        the true one.

        Returns:
            The number of tokens written, EOS of each sentence included.
        """
        modules = importlib.import_module("fairseq.sequence_generator")
        generator = modules.SequenceGenerator(
            [self.model],
            self.task.source_dictionary,
            self.task.target_dictionary,
            force_length=True,
            beam_size=beam_size,
            max_len_a=1,
            max_len_b=1,
            eos=self.language,
            search_strategy=_without_early_end(self.task.target_dictionary),
        )
        encode, written = generator.model.forward_encoder, 0
        for first in range(0, len(documents), batch):
            chosen = slice(first, first + batch)
            source = self._source([_marked(sentences) for sentences in documents[chosen]])
            # Its limit must be larger than its least length of 1.
            frame = self._source(
                [_marked([[END + 2] * max(n, 2) for n in found]) for found in lengths[chosen]]
            )
            with patch.object(generator.model, "forward_encoder", lambda _, s=source: encode(s)):
                found = generator.generate([self.model], {"net_input": frame})
            best = torch.cat([hypotheses[0]["tokens"] for hypotheses in found])
            written += int((best >= END).logical_and(best != self.language).sum())
        return written

    def _collate(self, source: list[Tensor], target: list[Tensor]) -> dict[str, Any]:
        data = importlib.import_module("fairseq.data")
        # As its dataset: a language token ends the target, which its collater moves to the front.
        target = [torch.cat([t, t.new_tensor([self.language])]) for t in target]
        sizes = [len(s) for s in source], [len(t) for t in target]
        dictionary = self.task.source_dictionary
        dataset = data.LanguagePairDataset(
            source, sizes[0], dictionary, target, sizes[1], dictionary, eos=self.language
        )
        sample: dict[str, Any] = dataset.collater([dataset[i] for i in range(len(source))])
        # A slice, of which its criterion takes a view.
        sample["target"] = sample["target"].contiguous()
        return sample

    def _source(self, documents: list[Tensor]) -> dict[str, Tensor]:
        """Sources, padded on the left as there, in the order given."""
        rows = [d.flip(0) for d in documents]
        padded = torch.nn.utils.rnn.pad_sequence(rows, True, PADDING).flip(1)
        return {"src_tokens": padded, "src_lengths": (padded != PADDING).sum(1)}


def _arguments(settings: EncoderDecoderSettings) -> Any:
    """Options by its own parser, for a model of these sizes."""
    options = importlib.import_module("fairseq.options")
    given = ["data", "--cpu", "--task=translation_doc", "--arch=gtransformer_base"]
    layers = {"encoder": settings.layers, "decoder": settings.layers_of_decoder}
    for side, count in layers.items():
        given += [f"--{side}-layers={count}", f"--{side}-embed-dim={settings.d_model}"]
        given += [f"--{side}-ffn-embed-dim={settings.ffn_dim}"]
        given += [f"--{side}-attention-heads={settings.heads}"]
    given += [f"--source-lang={SOURCE}", f"--target-lang={TARGET}", f"--langs={SOURCE},{TARGET}"]
    given += ["--doc-mode=partial", "--share-all-embeddings", "--seed=555"]
    given += [f"--{side}-ctxlayers=2" for side in ("encoder", "decoder", "cross")]
    given += ["--optimizer=adam", "--adam-betas=(0.9, 0.98)", "--lr=5e-4"]
    given += ["--lr-scheduler=inverse_sqrt", "--warmup-updates=4000"]
    given += ["--criterion=label_smoothed_cross_entropy", "--label-smoothing=0.1"]
    with patch.object(sys, "argv", sys.argv[:1]):
        parser = options.get_training_parser("translation_doc")
        return options.parse_args_and_arch(parser, given)


def _instances(packed: Packed) -> list[Tensor]:
    """The tokens of each instance, special tokens included."""
    starts = packed.sentences.host_offsets[:-1].tolist()
    assert set(packed.tokens[starts].tolist()) == {BEGIN}, "its groups begin with BOS"
    return list(torch.split(packed.tokens, packed.instances.host_lengths.tolist()))


def _marked(sentences: Sequence[Sequence[int]]) -> Tensor:
    """A document, each sentence between BOS and EOS."""
    return torch.tensor([t for sentence in sentences for t in (BEGIN, *sentence, END)])


def _without_early_end(dictionary: Any) -> Any:
    """Its beam search, which ends a sentence only where its generator forces the end, with a
    log-probability of exactly 0."""
    search = importlib.import_module("fairseq.search").BeamSearch(dictionary)
    step = search.step

    def without_early_end(number: int, log_p: Tensor, scores: Tensor) -> Any:
        end = log_p[..., END]
        log_p[..., END] = torch.where(end < 0, -math.inf, end)
        return step(number, log_p, scores)

    search.step = without_early_end
    return search
