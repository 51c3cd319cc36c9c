"""Equal blocks of a file get equal translations, whatever is written of it."""

from __future__ import annotations

from dataclasses import replace

from docmt.formats.markup import markdown
from docmt.ground.documents import Alternative, SentenceWarning, Translation


def test_a_block_has_all_that_is_known_of_the_first_that_is_equal(tmp_path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One. Two.\n\nOne.\n\n*One.* Two.\n\nThree.\n")
    (document,), skeleton = markdown.read(path, "en")
    assert document.source == ("One.", "Two.", "One.", "One.", "Two.", "Three.")
    target, log_probabilities = tuple("abcdef"), (0.0, -1.0, -2.0, -3.0, -4.0, -5.0)
    warnings = SentenceWarning(1, "copy", "x"), SentenceWarning(3, "too-long", "y")
    translation = Translation(
        document.translated(target),
        log_probabilities,
        (6,),
        (0, 4),
        (Alternative(target, log_probabilities),),
        (),
        warnings,
    )
    equal = skeleton.with_equal_blocks(translation)
    assert equal.document.target == ("a", "b", "c", "a", "b", "f")
    assert equal.log_probabilities == (0.0, -1.0, -2.0, 0.0, -1.0, -5.0)
    assert equal.truncated == (0, 3)
    assert equal.alternatives == (Alternative(equal.document.target, equal.log_probabilities),)
    assert equal.warnings == (SentenceWarning(1, "copy", "x"), SentenceWarning(4, "copy", "x"))
    assert skeleton.fill([equal.document]) == skeleton.fill([translation.document])
    dialogue = replace(skeleton, found=skeleton.found._replace(equal=False))
    assert dialogue.with_equal_blocks(translation) is translation
