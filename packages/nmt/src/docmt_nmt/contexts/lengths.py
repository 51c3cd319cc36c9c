"""A check of the lengths of a corpus's contexts against the limits of encoders. It needs the
tokenizers alone: a context that is too long is reported before the corpus is encoded."""

from __future__ import annotations

from docmt_nmt.contexts.context_encoders import ContextDocument, ContextEncoders
from docmt_nmt.data.split import Split


def check_lengths(contexts: ContextEncoders, split: Split) -> None:
    """Check the lengths of a split's contexts against the limit of each encoder without truncation.

    Each sentence is tokenized once. A context has no more tokens than the sum over its sentences,
    each with separate special tokens. Only a context whose sum is too large is therefore tokenized
    as a whole.

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
    for document in range(len(split) if blocks else 0):
        text = split.text(document)
        context_document = ContextDocument(text.source, text.target, split.document(document))
        lengths: dict[tuple[str, str], list[int]] = {}
        for block, key in blocks:
            encoder, sentences = strict[key], context_document.texts(block.side)
            if sentences is None or encoder.max_tokens is None:
                continue
            if (key, block.side) not in lengths:
                lengths[key, block.side] = [len(encoder.tokenize([s])[0]) for s in sentences]
            lengths_of_block = lengths[key, block.side]
            for sentence in range(len(sentences)):
                indices = block.indices(sentence, len(sentences))
                if sum(lengths_of_block[i] for i in indices) > encoder.max_tokens:
                    encoder.fit(contexts.passage(block, context_document, sentence))
