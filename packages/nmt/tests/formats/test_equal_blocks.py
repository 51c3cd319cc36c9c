"""Equal blocks of a file get equal translations, whatever is written of it."""

from __future__ import annotations

from dataclasses import replace

from docmt_files.base.documents import SentenceWarning
from docmt_files.markup import markdown
from docmt_nmt.base.translations import Alternative, TranslatedSentence, Translation


def test_a_block_has_all_that_is_known_of_the_first_that_is_equal(tmp_path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One. Two.\n\nOne.\n\n*One.* Two.\n\nThree.\n")
    (document,), skeleton = markdown.read(path, "en")
    assert document.source == ("One.", "Two.", "One.", "One.", "Two.", "Three.")
    target, log_probabilities = tuple("abcdef"), (0.0, -1.0, -2.0, -3.0, -4.0, -5.0)
    warnings = {1: SentenceWarning("copy", "x"), 3: SentenceWarning("too-long", "y")}
    sentences = tuple(
        TranslatedSentence(
            source,
            target[index],
            log_probabilities[index],
            truncated=index in (0, 4),
            warnings=(warnings[index],) if index in warnings else (),
        )
        for index, source in enumerate(document.source)
    )
    translation = Translation(document.id, sentences, (6,))
    equal = translation.with_origins(skeleton.origins)
    assert equal.document.target == ("a", "b", "c", "a", "b", "f")
    assert equal.log_probabilities == (0.0, -1.0, -2.0, 0.0, -1.0, -5.0)
    assert equal.truncated == (0, 3)
    assert equal.alternatives == (Alternative(equal.document.target, equal.log_probabilities),)
    assert equal.warnings == ((1, "copy", "x"), (4, "copy", "x"))
    assert skeleton.fill([equal.document]) == skeleton.fill([translation.document])
    dialogue = replace(skeleton, found=skeleton.found._replace(equal=False))
    assert dialogue.origins == [0, 1, 2, 3, 4, 5]
