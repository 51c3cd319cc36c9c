"""Which translated sentences have a warning, by thresholds that were learned from the bundled
corpus and by the defaults."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest

from docmt_files.base.documents import Document, WarningKind
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.translators.checks.threshold_learner import MIN_SENTENCES, ThresholdLearner
from docmt_nmt.translators.checks.translation_checks import (
    CheckThresholds,
    check_translation,
    copy_rate,
    length_ratio,
    repeats_in_a_row,
    repetition_rate,
)

Pair = tuple[str, str]

DEFAULT = CheckThresholds.default(("en", "de"))
SOURCE = "The senior mendicants went to the city for alms and came back after the meal."
TARGET = "Die älteren Mönche gingen um Almosen in die Stadt und kamen nach der Mahlzeit zurück."


def kinds(
    source: str, target: str, thresholds: CheckThresholds = DEFAULT, language: str = "de"
) -> list[WarningKind]:
    """The warnings of one sentence."""
    document = Document("a", (source,), (target,))
    return [warning.kind for warning in check_translation(document, thresholds, ("en", language))]


@cache
def pairs(split: str) -> list[Pair]:
    """The sentence pairs of a split of the bundled corpus."""
    files = [corpus_file(f"{split}.{side}.xz") for side in ("en", "de")]
    return [
        pair
        for document in corpora.read(*files, boundaries="markers")
        for pair in zip(document.source, document.target or (), strict=True)
    ]


def learned_from(examples: list[Pair]) -> CheckThresholds | None:
    learner = ThresholdLearner("en")
    source, target = zip(*examples, strict=True)
    learner.add(Document("a", source, target))
    return learner.thresholds()


@cache
def learned() -> CheckThresholds:
    """What is learned from the bundled training split."""
    thresholds = learned_from(pairs("train"))
    assert thresholds is not None
    return thresholds


def share_flagged(examples: list[Pair], thresholds: CheckThresholds) -> float:
    """The share of sentence pairs with a warning by thresholds. Numbers and symbols have none, and
    this corpus cuts the numbers off headings (`test_content_checks` has references of manuals).
    Names are learned from documents (`test_name_checks`)."""
    others = {"numbers", "symbols", "names"}
    learned_kinds = (set(kinds(*pair, thresholds)) - others for pair in examples)
    return sum(map(bool, learned_kinds)) / len(examples)


def test_a_usual_translation_has_no_warning() -> None:
    assert kinds(SOURCE, TARGET) == kinds(SOURCE, TARGET, learned()) == []


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("", "too-short"),
        ("Die Mönche.", "too-short"),
        (f"{TARGET} {TARGET[::-1]} {TARGET.swapcase()[::-2]} {TARGET[::-3]}" * 2, "too-long"),
        ("Die Mönche gingen in " + "die Stadt und in " * 5, "repetition"),
        (SOURCE, "copy"),
        ("Die älteren Mönche gingen um Almosen in die Stadt и вернулись.", "wrong-script"),
    ],
)
def test_each_fault_has_its_warning(target: str, kind: WarningKind) -> None:
    assert kind in kinds(SOURCE, target)
    assert kind in kinds(SOURCE, target, learned())


def test_a_warning_names_the_sentence_and_shows_what_is_wrong() -> None:
    document = Document("a", ("Hello.", "", SOURCE), ("Hallo.", "", "Привет, мир."))
    wrong, short = check_translation(document, DEFAULT, ("en", "de"))
    assert (wrong.sentence, wrong.kind, wrong.detail) == (2, "wrong-script", "Cyrillic: Привет")
    assert (short.sentence, short.kind, short.detail) == (2, "too-short", "12 characters for 77")


def test_each_new_mark_is_among_the_warnings_where_its_evidence_is_given() -> None:
    document = Document("a", ("Open OmegaT: 1.5 kg.", SOURCE), ("Öffnen Sie: 1.5 kg.", TARGET))
    thresholds = DEFAULT.model_copy(update={"min_log_probability": -0.7})
    warnings = check_translation(
        document, thresholds, ("en", "de"), log_probabilities=(-0.71, -0.7)
    )
    assert [(w.sentence, w.kind, w.detail) for w in warnings] == [
        (0, "numbers", "in the form of the source language: 1.5"),
        (0, "names", "OmegaT lost"),
        (0, "improbable", "-0.71 per token, usual is -0.70 or more"),
    ]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Save: the file", "Speichern:", ["too-short"]),
        ('He said "open" it', "Er sagte:", ["too-short"]),
        ("Open the <b>file</b>.", "Öffnen Sie die <b></b>.", ["too-short"]),
        ("Save: the file", "Speichern: die Datei", []),
        ("“So I have heard.", "„So habe ich es gehört:", []),
        ("Save as follows:", "Speichern Sie so:", []),
    ],
)
def test_what_follows_a_colon_or_stands_between_tags_is_not_lost(source, target, expected) -> None:
    assert kinds(source, target) == expected


def test_a_truncated_sentence_is_among_the_warnings() -> None:
    document = Document("a", ("Hello.", SOURCE), ("Hallo.", TARGET))
    (warning,) = check_translation(document, DEFAULT, ("en", "de"), truncated=(1,))
    assert (warning.sentence, warning.kind) == (1, "truncated")


def test_signs_alone_have_no_warning() -> None:
    assert kinds("* * *", "") == kinds("—", "Привет") == []


def test_the_length_ratio_counts_four_characters_more_on_both_sides() -> None:
    assert length_ratio("123456", "1") == 5 / 10


def test_the_repetition_rate_leaves_out_what_the_source_repeats() -> None:
    # 24 characters have 17 n-grams, of which the 8 that begin in one "abcdefgh" differ.
    assert repetition_rate("x", "abcdefgh" * 3) == pytest.approx(9 / 17)
    assert repetition_rate("abcdefgh" * 3, "abcdefgh" * 3) == 0
    assert repetition_rate("", "abc") == 0


def test_a_phrase_four_times_in_succession_is_a_repetition_unless_the_source_has_one() -> None:
    long = f"{TARGET} Sie sagten: {TARGET[:40]}"
    assert kinds(f"{SOURCE} They said: {SOURCE[:40]}", f"{long} und so" + " nein" * 4) == [
        "repetition"
    ]
    assert repeats_in_a_row("no no no no", "nein nein nein nein") == ""
    assert repeats_in_a_row("no", "nein nein nein") == ""
    assert repeats_in_a_row("no", "nein nein nein nein") == "nein"


def test_the_copy_rate_is_the_share_of_n_grams_in_the_source() -> None:
    # Of the n-grams of "abcdefgh or" these are in the source: "abcdefgh" and "bcdefgh ".
    assert copy_rate("abcdefgh and more", "abcdefgh or") == pytest.approx(2 / 4)
    assert (copy_rate("abc", "abc"), copy_rate("abc", "abd")) == (1, 0)


def test_a_script_of_the_source_sentence_may_be_copied_unless_it_is_that_of_its_language() -> None:
    chinese = CheckThresholds.default(("zh", "en"))
    assert kinds("The angle α is the sum of two.", "Der Winkel α ist die Summe.") == []
    assert kinds("The angle a is the sum of two.", "Der Winkel α ist die Summe.") == [
        "wrong-script"
    ]
    assert kinds("他们进了村子", "They went into the 村子.", chinese, "en") == ["wrong-script"]


def test_latin_names_may_be_in_any_language_and_latin_sentences_may_not() -> None:
    russian = CheckThresholds.default(("de", "ru"))
    assert (
        kinds("Er nutzt Windows und Linux.", "Он использует Windows и Linux.", russian, "ru") == []
    )
    assert kinds("Er nutzt Windows und Linux.", "He uses Windows and Linux.", russian, "ru") == [
        "wrong-script"
    ]


def test_the_scripts_of_an_unknown_language_are_not_checked() -> None:
    unknown = CheckThresholds.default(("en", "xx"))
    assert kinds("Hello everybody.", "Привет, мир.", unknown, "xx") == []


@pytest.mark.parametrize(
    ("source", "target", "language", "name"),
    [
        ("Please switch it off.", "The sentence is not in the document.", "de", "English"),
        ("Please switch it off.", "Éteignez-le s'il vous plaît, et partez.", "de", "French"),
        ("Schalten Sie ihn aus.", "Bitte schalten Sie den Drucker aus.", "en", "German"),
        ("Schalten Sie ihn aus.", "Apague la impresora por la noche.", "en", "Spanish"),
        ("Please switch it off.", "Увімкніть його, будь ласка, увечері.", "ru", "Ukrainian"),
    ],
)
def test_a_sentence_in_another_language_of_the_same_script(source, target, language, name) -> None:
    thresholds = CheckThresholds.default(("en", language))
    document = Document("a", (source,), (target,))
    (warning,) = check_translation(document, thresholds, ("en", language))
    assert (warning.kind, warning.detail) == ("other-language", name)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Read The Lord of the Rings.", "Lesen Sie The Lord of the Rings."),
        ("Type git commit --all", "Geben Sie git commit --all ein"),
        ("The University of New South Wales", "University of New South Wales"),
        ("It says: The file is not open.", "Es meldet: The file is not open."),
        ("Weekend", "Weekend"),
        ("Call foo_bar(the_file) first", "foo_bar(the_file), is_open(the_file)"),
        ("Saarbrücken, Allemagne", "Saarbrücken, Germany"),
    ],
)
def test_names_quotations_code_and_short_sentences_are_in_no_other_language(source, target) -> None:
    assert "other-language" not in kinds(source, target)


@pytest.mark.parametrize("split", [pytest.param("train", marks=pytest.mark.slow), "dev"])
def test_sentences_of_the_bundled_corpus_are_in_their_language(split) -> None:
    examples = [(s, t) for s, t in pairs(split)[:3000] if s != t]
    right = ["other-language" in kinds(source, target) for source, target in examples]
    assert sum(right) <= len(right) / 1000
    # A sentence of another place in the source language is not a copy.
    moved = [
        "other-language" in kinds(source, other)
        for (source, _), (other, _) in pairwise(examples)
        if len(other) >= 32
    ]
    assert sum(moved) >= 0.95 * len(moved)


def test_defaults_expect_fewer_characters_in_chinese() -> None:
    chinese = CheckThresholds.default(("en", "zh"))
    target = "年长的僧人进城化缘，饭后回来了。"
    assert kinds(SOURCE, target, chinese, "zh") == []
    assert kinds(SOURCE, target) == ["wrong-script", "too-short"]


def test_a_translation_into_the_same_language_may_be_a_copy() -> None:
    assert kinds(SOURCE, SOURCE, CheckThresholds.default(("en", "en-GB"))) == []
    assert kinds(SOURCE, SOURCE, learned_from([(s, s) for s, _ in pairs("dev")])) == []


@pytest.mark.slow
def test_few_reference_translations_have_a_warning() -> None:
    for split in ("dev", "test"):
        assert share_flagged(pairs(split)[:1000], learned()) < 0.008
        assert share_flagged(pairs(split)[:1000], DEFAULT) < 0.008


@pytest.mark.slow
def test_little_text_gives_thresholds_that_hold_for_other_text() -> None:
    few = learned_from(pairs("train")[:1000])
    assert few is not None
    assert share_flagged(pairs("train")[1000:3000], few) < 0.008


def half(source: str, target: str) -> str:
    return target[: len(target) // 2]


def third(source: str, target: str) -> str:
    return target[: len(target) // 3]


def phrase_repeated(source: str, target: str) -> str:
    words = target.split()
    third = len(words) // 3
    return " ".join([*words[:third], *words[third : third + 3] * 6, *words[third:]])


def copied(source: str, target: str) -> str:
    return source


def other_script(source: str, target: str) -> str:
    words = target.split()
    words[len(words) // 2] = "слово"
    return " ".join(words)


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("damage", "kind", "least"),
    [
        (half, "too-short", 0.4),
        (third, "too-short", 0.9),
        (phrase_repeated, "repetition", 1.0),
        (copied, "copy", 1.0),
        (other_script, "wrong-script", 1.0),
    ],
)
def test_damaged_translations_are_found(
    damage: Callable[[str, str], str], kind: WarningKind, least: float
) -> None:
    examples = [pair for pair in pairs("test") if len(pair[0]) >= 32]
    found = [
        kind in kinds(source, damage(source, target), learned()) for source, target in examples
    ]
    assert sum(found) / len(found) >= least


def test_misaligned_pairs_do_not_widen_the_thresholds_much() -> None:
    draw = random.Random(1)
    noisy = pairs("train")[:4000]
    for index in draw.sample(range(len(noisy)), len(noisy) // 50):
        noisy[index] = (noisy[index][0], draw.choice(noisy)[1])
    thresholds = learned_from(noisy)
    assert thresholds is not None
    assert kinds(SOURCE, "Die Mönche.", thresholds) == ["too-short"]
    assert kinds(SOURCE, SOURCE, thresholds) == ["copy"]


def test_too_little_text_gives_no_thresholds() -> None:
    assert learned_from(pairs("train")[: MIN_SENTENCES - 1]) is None


def test_thresholds_are_kept_as_json() -> None:
    assert CheckThresholds.read(json.loads(learned().to_json())) == learned()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_copy": [1.0]}, "max_copy must have as many values as lengths"),
        ({"lengths": [3, 8, 16, 32, 64, 128, 256, 512]}, "lengths must ascend from 0"),
        ({"max_scripts": {}}, "unknown key 'max_scripts', did you mean 'max_script_share'?"),
    ],
)
def test_damaged_thresholds_are_an_error(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        CheckThresholds.read(json.loads(DEFAULT.to_json()) | change)
    assert message in str(caught.value)


def test_an_address_is_not_taken_for_a_copy() -> None:
    address = "https://example.com/a_long_path/to_somewhere_else"
    assert kinds(f"See {address} for details.", f"Siehe {address} für Details.") == []
    assert kinds(f"{SOURCE} {address}", f"{SOURCE} {address}") == ["copy"]
