"""Whether encoders can read the contexts of a corpus, found by their tokenizers alone: what would
otherwise come to light only when the corpus is encoded."""

from __future__ import annotations

from docmt.contexts.contexts import ContextEncoders, Reading
from docmt.data.split import Split


def check_lengths(contexts: ContextEncoders, split: Split) -> None:
    """Check that no context of a split is longer than its encoder reads, where none is to be cut.

    Each sentence is tokenized once. A context has no more tokens than its sentences have, each
    with marks of its own, so only those whose sum is too large are tokenized as a whole.

    Args:
        contexts: the encoders.
        split: the corpus.

    Raises:
        InputError: naming the encoder, the length of the context and how it begins.
    """
    strict = {
        key: encoder
        for key, encoder in contexts.encoders.items()
        if encoder.max_tokens is not None and encoder.too_long == "error"
    }
    blocks = [
        (block, contexts.keys[name])
        for name, block in contexts.blocks.items()
        if contexts.keys[name] in strict
    ]
    for number in range(len(split) if blocks else 0):
        document = split.text(number)
        reading = Reading(document.source, document.target, split.document(number))
        lengths: dict[tuple[str, str], list[int]] = {}
        for block, key in blocks:
            encoder, texts = strict[key], reading.texts(block.side)
            if texts is None or encoder.max_tokens is None:
                continue
            if (key, block.side) not in lengths:
                lengths[key, block.side] = [len(encoder.tokens([text])[0]) for text in texts]
            own = lengths[key, block.side]
            for place in range(len(texts)):
                if sum(own[i] for i in block.places(place, len(texts))) > encoder.max_tokens:
                    encoder.fitted(contexts.passage(block, reading, place))
