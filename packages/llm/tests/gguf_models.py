"""A Llama as a GGUF file, in 32-bit floating point, for llama.cpp: the same weights and the same
tokenizer as in its folder of safetensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""What tensors of `transformers` are called in GGUF."""


def write_gguf(folder: Path, path: Path) -> None:
    """Write the Llama in a folder, with a byte-level BPE tokenizer, as a GGUF file."""
    import gguf

    config = json.loads((folder / "config.json").read_text())
    heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(groups)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    _add_tokenizer(writer, folder, config["vocab_size"])
    for name, tensor in load_file(folder / "model.safetensors").items():
        if "q_proj" in name or "k_proj" in name:
            tensor = _interleaved(tensor, heads if "q_proj" in name else groups)
        writer.add_tensor(_name(name), np.ascontiguousarray(tensor, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: Any, folder: Path, size: int) -> None:
    """Add a byte-level BPE, which GGUF calls gpt2, and the chat template."""
    import gguf

    saved = json.loads((folder / "tokenizer.json").read_text())
    special = {token["id"] for token in saved["added_tokens"] if token["special"]}
    tokens = sorted(saved["model"]["vocab"], key=saved["model"]["vocab"].__getitem__)
    assert len(tokens) == size
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if i in special else kinds.NORMAL for i in range(size)])
    writer.add_token_merges([" ".join(merge) for merge in saved["model"]["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(3)  # of a turn, with which answers end
    writer.add_add_bos_token(False)
    writer.add_chat_template((folder / "chat_template.jinja").read_text())


def _name(name: str) -> str:
    """The name of a tensor in GGUF."""
    stem, kind = name.rsplit(".", 1)
    if stem.startswith("model.layers."):
        layer, stem = stem.removeprefix("model.layers.").split(".", 1)
        return f"blk.{layer}.{_NAMES[stem]}.{kind}"
    return f"{_NAMES[stem]}.{kind}"


def _interleaved(weight: NDArray[Any], heads: int) -> NDArray[Any]:
    """The rows of queries or keys in the order in which llama.cpp rotates them: pairs of neighbors,
    where `transformers` has those of a pair half a head apart."""
    rows, columns = weight.shape
    pairs = weight.reshape(heads, 2, rows // heads // 2, columns)
    return pairs.swapaxes(1, 2).reshape(rows, columns)
