"""Blocks are filled with their translations, also those in codes of other blocks."""

from docmt_files.base.documents import Document
from docmt_files.core.blocks import Blocks, BlockSkeleton
from docmt_files.core.inline import Block, Code, Text
from docmt_files.core.sentence_cutting import cut_into_sentences


def nested_block(text, start, end):
    """What is between two brackets as a block; what is in brackets within is a code, and a block
    after it."""
    parts, inner, depth, at = [], [], 0, start
    for index in range(start, end):
        if text[index] == "[":
            if depth == 0:
                parts.append(Text(at, index, text[at:index]))
                at = index
            depth += 1
        elif text[index] == "]":
            depth -= 1
            if depth == 0:
                parts.append(Code(at, index + 1, "void"))
                inner += nested_block(text, at + 1, index)
                at = index + 1
    parts.append(Text(at, end, text[at:end]))
    nested = start > 0
    return [Block(tuple(parts), lambda text, _: text, nested=nested), *inner]


def test_blocks_in_codes_of_blocks_in_codes_are_written():
    text = "One [two [three [four] three] two [five] two] one [six] one."
    blocks = nested_block(text, 0, len(text))
    sentences = tuple(tuple(cut_into_sentences(block, "en")) for block in blocks)
    skeleton = BlockSkeleton(text, Blocks(blocks), sentences, "d")

    def filled(change):
        source = tuple(sentence.text for block in sentences for sentence in block)
        return skeleton.fill([Document("d", source, tuple(map(change, source)))])

    assert filled(str) == text
    assert filled(str.upper) == text.upper()
    for word in ("three", "five", "six"):
        changed = filled(lambda sentence, word=word: sentence.replace(word, word.upper()))
        assert changed == text.replace(word, word.upper())
