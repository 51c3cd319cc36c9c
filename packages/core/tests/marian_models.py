"""Tiny random models in the formats of Marian, and their forward pass, written out."""

from __future__ import annotations

import io
import struct
from functools import cache

import numpy as np
import sentencepiece

from pretrained_models import sentences

D, HEADS, FFN, ENCODER, DECODER = 16, 4, 24, 2, 2

SETTINGS = {
    "dec-cell": "ssru",
    "dec-depth": DECODER,
    "dim-emb": D,
    "enc-depth": ENCODER,
    "tied-embeddings-all": "true",
    "transformer-decoder-autoreg": "rnn",
    "transformer-dim-ffn": FFN,
    "transformer-ffn-activation": "relu",
    "transformer-guided-alignment-layer": "last",
    "transformer-heads": HEADS,
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-preprocess": '""',
    "type": "transformer",
}


@cache
def spm(size=200):
    """A sentencepiece model with the token ids of Firefox's."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*sentences("en"), *sentences("de")]),
        model_writer=model,
        vocab_size=size,
        minloglevel=2,
        bos_id=-1,
        eos_id=0,
        unk_id=1,
    )
    return model.getvalue()


def tokens_of(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return processor.id_to_piece(list(range(processor.vocab_size())))


def yaml(settings):
    return "".join(f"{key}: {value}\n" for key, value in settings.items()).encode()


def weights(settings=SETTINGS, vocabulary=200, seed=0, own_source=None):
    """Random weights, by Marian's names; matrices are (inputs, outputs)."""
    draw = np.random.default_rng(seed)

    def normal(*shape):
        return draw.normal(scale=0.4, size=shape).astype(np.float32)

    made = {"decoder_ff_logit_out_b": normal(1, vocabulary)}
    if own_source is None:
        made["Wemb"] = normal(vocabulary, D)
    else:
        made |= {"encoder_Wemb": normal(own_source, D), "decoder_Wemb": normal(vocabulary, D)}

    def norm(name):
        made[f"{name}_ln_scale"], made[f"{name}_ln_bias"] = 1 + normal(1, D), normal(1, D)

    def attention(name):
        for part in "qkvo":
            made[f"{name}_W{part}"], made[f"{name}_b{part}"] = normal(D, D), normal(1, D)
        norm(f"{name}_Wo")

    for side, layers in (("encoder", ENCODER), ("decoder", DECODER)):
        for layer in range(1, layers + 1):
            prefix = f"{side}_l{layer}"
            if side == "encoder" or settings["transformer-decoder-autoreg"] != "rnn":
                attention(f"{prefix}_self")
            else:
                made[f"{prefix}_rnn_W"], made[f"{prefix}_rnn_Wf"] = normal(D, D), normal(D, D)
                made[f"{prefix}_rnn_bf"] = normal(1, D)
                norm(f"{prefix}_rnn_ffn")
            if side == "decoder":
                attention(f"{prefix}_context")
            made[f"{prefix}_ffn_W1"], made[f"{prefix}_ffn_b1"] = normal(D, FFN), normal(1, FFN)
            made[f"{prefix}_ffn_W2"], made[f"{prefix}_ffn_b2"] = normal(FFN, D), normal(1, D)
            norm(f"{prefix}_ffn_ffn")
    return made


def rounded(made):
    """The weights as codes of a byte can say them, by name: (weights, scales)."""
    values, scales = {}, {}
    for name, array in made.items():
        values[name] = array
        if name.endswith("Wemb") or "_W" in name.replace("_Wo_ln", ""):
            scales[name] = np.float32(127 / np.abs(array).max())
            values[name] = np.round(array * scales[name]).astype(np.float32) / scales[name]
    return values, scales


def write_bin(path, made, settings=SETTINGS, *, scales=None):
    """Write a `.bin` file, with codes of a byte where there are scales."""
    scales = scales or {}
    entries = [("special:model.yml", 0x0101, None, yaml(settings) + b"\0")]
    for name, array in made.items():
        if name in scales:
            codes = np.round(array * scales[name]).astype(np.int8)
            codes = codes if name.endswith("Wemb") else np.ascontiguousarray(codes.T)
            data = codes.tobytes() + struct.pack("<f", scales[name])
            entries.append((name, 0x4101, array.shape, data + bytes(-len(data) % 256)))
            entries.append((f"{name}_QuantMultA", 0x0404, (1, 1), struct.pack("<f", 1.0)))
        else:
            entries.append((name, 0x0404, array.shape, array.tobytes()))
    shapes = [shape or (len(data),) for _, _, shape, data in entries]
    out = struct.pack("<2Q", 1, len(entries))
    for (name, kind, _, data), shape in zip(entries, shapes, strict=True):
        out += struct.pack("<4Q", len(name.encode()) + 1, kind, len(shape), len(data))
    out += b"".join(name.encode() + b"\0" for name, *_ in entries)
    out += b"".join(struct.pack(f"<{len(shape)}i", *shape) for shape in shapes)
    padding = -(len(out) + 8) % 256
    out += struct.pack("<Q", padding) + bytes(padding)
    path.write_bytes(out + b"".join(data for *_, data in entries))


def write_npz(path, made, settings=SETTINGS):
    np.savez(path, **made, **{"special:model.yml": np.frombuffer(yaml(settings) + b"\0", np.int8)})


def make_firefox(folder, *, codes=True, seed=0):
    """A folder as Firefox's models have it. Returns the weights."""
    made, scales = rounded(weights(seed=seed)) if codes else (weights(seed=seed), {})
    write_bin(folder / "model.ende.intgemm.alphas.bin", made, scales=scales)
    (folder / "vocab.ende.spm").write_bytes(spm())
    (folder / "lex.50.50.ende.s2t.bin").write_bytes(struct.pack("<Q", 0xF11A48D5013417F5))
    (folder / "config.intgemm8bitalpha.yml").write_text(
        "models:\n  - model.ende.intgemm.alphas.bin\nvocabs:\n  - vocab.ende.spm\n"
        "  - vocab.ende.spm\nbeam-size: 1\nnormalize: 1.0\nmax-length-factor: 2.5\n"
    )
    return made


OPUS_SETTINGS = SETTINGS | {
    "transformer-decoder-autoreg": "self-attention",
    "transformer-ffn-activation": "swish",
    "tied-embeddings-all": "true",
}


def make_opus(folder, *, languages=()):
    """A folder as OPUS-MT's originals have it: `.npz`, and a vocabulary over two models. Returns
    the weights."""
    own = tokens_of(spm())[2:]
    tokens = ["</s>", "<unk>", *(f">>{language}<<" for language in languages), *own]
    made = weights(OPUS_SETTINGS, len(tokens))
    write_npz(folder / "opus.transformer-align.model1.npz", made, OPUS_SETTINGS)
    lines = "".join(f'"{token}": {i}\n' for i, token in enumerate(tokens) if '"' not in token)
    (folder / "opus.vocab.yml").write_text(lines)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(spm())
    (folder / "decoder.yml").write_text(
        "models:\n  - /a/path/opus.transformer-align.model1.npz\nvocabs:\n"
        "  - /a/path/opus.vocab.yml\n  - /a/path/opus.vocab.yml\nbeam-size: 6\nnormalize: 1\n"
    )
    return made


def log_probabilities(made, source, target, *, activation="relu"):
    """The natural log-probability of each target token after the tokens before it.

    Args:
        made: weights, by Marian's names.
        source, target: token ids, EOS included.
    """

    def layer_norm(x, name):
        mean, deviation = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        return (x - mean) / np.sqrt(deviation + 1e-9) * made[f"{name}_scale"] + made[f"{name}_bias"]

    def positions(n):
        angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(D // 2) / (D // 2 - 1))
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

    def softmax(x):
        x = np.exp(x - x.max(1, keepdims=True))
        return x / x.sum(1, keepdims=True)

    def attention(x, keys, name, *, causal=False):
        q, k, v = (
            (of @ made[f"{name}_W{part}"] + made[f"{name}_b{part}"]).reshape(len(of), HEADS, -1)
            for part, of in zip("qkv", (x, keys, keys), strict=True)
        )
        heads = []
        for h in range(HEADS):
            scores = q[:, h] @ k[:, h].T / np.sqrt(D // HEADS)
            if causal:
                scores[np.triu_indices(len(x), 1)] = -np.inf
            heads.append(softmax(scores) @ v[:, h])
        y = np.concatenate(heads, axis=1) @ made[f"{name}_Wo"] + made[f"{name}_bo"]
        return layer_norm(x + y, f"{name}_Wo_ln")

    def feed_forward(x, name):
        inner = x @ made[f"{name}_W1"] + made[f"{name}_b1"]
        inner = np.maximum(inner, 0) if activation == "relu" else inner / (1 + np.exp(-inner))
        y = inner @ made[f"{name}_W2"] + made[f"{name}_b2"]
        return layer_norm(x + y, f"{name}_ffn_ln")

    def recurrence(x, name):
        forget = 1 / (1 + np.exp(-(x @ made[f"{name}_Wf"] + made[f"{name}_bf"])))
        inputs, state, outputs = x @ made[f"{name}_W"], np.zeros(D), []
        for kept, new in zip(forget, inputs, strict=True):
            state = kept * state + (1 - kept) * new
            outputs.append(np.maximum(state, 0))
        return layer_norm(x + np.array(outputs), f"{name}_ffn_ln")

    source_table = made.get("Wemb", made.get("encoder_Wemb"))
    target_table = made.get("Wemb", made.get("decoder_Wemb"))
    x = source_table[source] * np.sqrt(D) + positions(len(source))
    for layer in range(1, ENCODER + 1):
        x = attention(x, x, f"encoder_l{layer}_self")
        x = feed_forward(x, f"encoder_l{layer}_ffn")
    y = np.concatenate([np.zeros((1, D)), target_table[target[:-1]] * np.sqrt(D)])
    y = y + positions(len(target))
    for layer in range(1, DECODER + 1):
        prefix = f"decoder_l{layer}"
        if f"{prefix}_rnn_W" in made:
            y = recurrence(y, f"{prefix}_rnn")
        else:
            y = attention(y, y, f"{prefix}_self", causal=True)
        y = attention(y, x, f"{prefix}_context")
        y = feed_forward(y, f"{prefix}_ffn")
    logits = y @ target_table.T + made["decoder_ff_logit_out_b"]
    chosen = np.log(softmax(logits))
    return [float(chosen[i, token]) for i, token in enumerate(target)]
