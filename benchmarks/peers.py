"""Other programs' search over sentences, with random weights of the same size: Hugging Face
transformers' `generate` on a Marian model, and CTranslate2."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from docmt_nmt.systems.system_settings import PRESETS

Sentence = tuple[Sequence[int], int]
"""Source token ids, and the number of tokens to write."""


def batches(sentences: Sequence[Sentence], size: int) -> list[tuple[list[list[int]], int]]:
    """Sentences of like length together, the longest first. Each batch is written to the mean of
    its lengths, as the peers take no length per sentence."""
    ordered = sorted(sentences, key=lambda sentence: -sentence[1])
    cut = [ordered[i : i + size] for i in range(0, len(ordered), size)]
    return [
        ([list(s) for s, _ in batch], max(1, round(sum(n for _, n in batch) / len(batch))))
        for batch in cut
    ]


class Generate:
    """`generate` of transformers.

    Attributes:
        precisions: those that it has.
    """

    precisions = ("fp32", "bf16")

    def __init__(self, preset: str, vocabulary_size: int, end: int, precision: str) -> None:
        from transformers import MarianConfig, MarianMTModel

        size = PRESETS[preset]
        self.end, self.padding = end, 1
        config = MarianConfig(
            vocab_size=vocabulary_size,
            d_model=size["d_model"],
            activation_function="relu",
            encoder_layers=size["layers"],
            decoder_layers=size["layers"],
            encoder_attention_heads=size["heads"],
            decoder_attention_heads=size["heads"],
            encoder_ffn_dim=size["ffn_dim"],
            decoder_ffn_dim=size["ffn_dim"],
            pad_token_id=self.padding,
            eos_token_id=end,
            decoder_start_token_id=self.padding,
            forced_eos_token_id=None,
            scale_embedding=True,
        )
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
        self.model: Any = MarianMTModel(config).eval().to(dtype)

    @torch.inference_mode()
    def translate(self, sentences: Sequence[Sentence], beam_size: int, batch: int) -> int:
        """Translate sentences in batches of this size; the number of tokens written."""
        written = 0
        for sources, length in batches(sentences, batch):
            rows = [torch.tensor([*source, self.end]) for source in sources]
            tokens = torch.nn.utils.rnn.pad_sequence(rows, True, self.padding)
            found = self.model.generate(
                input_ids=tokens,
                attention_mask=tokens != self.padding,
                num_beams=beam_size,
                min_new_tokens=length,
                max_new_tokens=length,
                do_sample=False,
            )
            written += (found.shape[1] - 1) * len(found)  # the first token starts the decoder
        return written


class CTranslate2:
    """CTranslate2 with a worker of one thread for each thread, to which batches are given
    asynchronously. Its model is written to a folder first.

    Attributes:
        precisions: those that it has on every processor.
    """

    precisions = ("fp32", "int8")

    def __init__(self, preset: str, vocabulary_size: int, precision: str) -> None:
        from ctranslate2 import Translator

        threads = torch.get_num_threads()
        with tempfile.TemporaryDirectory() as folder:
            specification(preset, vocabulary_size).save(folder)
            self.translator: Any = Translator(
                folder,
                compute_type={"fp32": "float32", "int8": "int8"}[precision],
                inter_threads=threads,
                intra_threads=1,
            )
        # It sets the threads of OpenMP for the whole process, PyTorch's too.
        torch.set_num_threads(threads)

    def translate(self, sentences: Sequence[Sentence], beam_size: int, batch: int) -> int:
        """Translate sentences in batches of this size; the number of tokens written."""
        waiting: list[Any] = []
        for sources, length in batches(sentences, batch):
            waiting += self.translator.translate_batch(
                [[*map(str, source), "</s>"] for source in sources],
                beam_size=beam_size,
                min_decoding_length=length,
                max_decoding_length=length,
                asynchronous=True,
            )
        return sum(len(result.result().hypotheses[0]) for result in waiting)


def specification(preset: str, vocabulary_size: int) -> Any:
    """A CTranslate2 model with random weights."""
    from ctranslate2.specs import TransformerSpec

    size = PRESETS[preset]
    d_model, inner, layers = size["d_model"], size["ffn_dim"], size["layers"]
    generator = np.random.default_rng(1)

    def fill(linear: Any, outputs: int, inputs: int) -> None:
        spread = (2 / (inputs + outputs)) ** 0.5
        linear.weight = spread * generator.standard_normal((outputs, inputs), dtype=np.float32)
        linear.bias = np.zeros(outputs, np.float32)

    def normalize(norm: Any) -> None:
        norm.gamma, norm.beta = np.ones(d_model, np.float32), np.zeros(d_model, np.float32)

    spec = TransformerSpec.from_config((layers, layers), size["heads"], pre_norm=False)
    table = d_model**-0.5 * generator.standard_normal((vocabulary_size, d_model), dtype=np.float32)
    for embedding in (*spec.encoder.embeddings, spec.decoder.embeddings):
        embedding.weight = table
    for layer in (*spec.encoder.layer, *spec.decoder.layer):
        fill(layer.self_attention.linear[0], 3 * d_model, d_model)
        fill(layer.self_attention.linear[1], d_model, d_model)
        normalize(layer.self_attention.layer_norm)
        fill(layer.ffn.linear_0, inner, d_model)
        fill(layer.ffn.linear_1, d_model, inner)
        normalize(layer.ffn.layer_norm)
    for layer in spec.decoder.layer:
        for linear, outputs in zip(
            layer.attention.linear, (d_model, 2 * d_model, d_model), strict=True
        ):
            fill(linear, outputs, d_model)
        normalize(layer.attention.layer_norm)
    fill(spec.decoder.projection, vocabulary_size, d_model)
    spec.decoder.projection.weight = table
    # Special tokens have the ids that they have in docmt.
    words = ["<s>", "<pad>", "</s>", "<unk>", *map(str, range(4, vocabulary_size))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    return spec
