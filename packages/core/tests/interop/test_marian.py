"""Models of Marian: an imported run gives what Marian's equations give, and takes no more room."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import docmt_nmt
import marian_models
from docmt.interop import import_marian
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.translators import Revision
from pretrained_models import sentences

ENGLISH, GERMAN = sentences("en")[3:9], sentences("de")[3:9]


def _found(run):
    """The log-probabilities of the tokens of German sentences, by the system of a run."""
    system, pipeline = run.system(), run.pipeline
    special, found = pipeline.special_tokens, []
    for index, pair in enumerate(zip(ENGLISH, GERMAN, strict=True)):
        source, target = (
            pipeline.encode_sentence(text, side)
            for text, side in zip(pair, ("source", "target"), strict=True)
        )
        batch = collate([Instance(str(index), 0, [source], [target])], special)
        with torch.no_grad():
            logits = system(batch)
        tokens = [*target, special.target_end]
        log = torch.log_softmax(logits.double(), 1)[: len(tokens)]
        found.append([float(log[i, token]) for i, token in enumerate(tokens)])
    return found


def _expected(run, made, **keys):
    pipeline = run.pipeline
    begin = list(pipeline.special_tokens.source_begin)
    return [
        marian_models.log_probabilities(
            made,
            [*begin, *pipeline.encode_sentence(source), 0],
            [*pipeline.encode_sentence(target, "target"), 0],
            **keys,
        )
        for source, target in zip(ENGLISH, GERMAN, strict=True)
    ]


@pytest.mark.parametrize("codes", [True, False])
def test_a_model_of_firefox_gives_what_the_equations_of_marian_give(tmp_path, codes):
    (tmp_path / "model").mkdir()
    made = marian_models.make_firefox(tmp_path / "model", codes=codes)
    run = import_marian(tmp_path / "model", tmp_path / "run")
    assert run.pipeline.languages == ("en", "de")
    for found, expected in zip(_found(run), _expected(run, made), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-5)
    assert run.recipe.search.beam_size == 1
    assert run.recipe.search.max_length_factor == 2.5
    choice = json.loads((tmp_path / "run" / "alignment.json").read_text())
    assert choice == {"layer": 1, "step": "output", "heads": [0], "also": []}


@pytest.mark.parametrize("languages", [(), ("deu", "fra")])
def test_an_original_of_opus_gives_what_the_equations_of_marian_give(tmp_path, languages):
    (tmp_path / "model").mkdir()
    made = marian_models.make_opus(tmp_path / "model", languages=languages)
    target = "deu" if languages else "de"
    run = import_marian(tmp_path / "model", tmp_path / "run", languages=("en", target))
    assert len(run.pipeline.special_tokens.source_begin) == bool(languages)
    expected = _expected(run, made, activation="swish")
    for found, theirs in zip(_found(run), expected, strict=True):
        np.testing.assert_allclose(found, theirs, atol=2e-5)
    assert run.recipe.search.beam_size == 6


def test_each_side_may_have_its_own_vocabulary(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    settings = marian_models.SETTINGS | {"tied-embeddings-all": "false", "tied-embeddings": "true"}
    made = marian_models.weights(settings, 180, own_source=200)
    marian_models.write_bin(folder / "model.ende.bin", made, settings)
    (folder / "srcvocab.ende.spm").write_bytes(marian_models.spm(200))
    (folder / "trgvocab.ende.spm").write_bytes(marian_models.spm(180))
    run = import_marian(folder, tmp_path / "run")
    for found, expected in zip(_found(run), _expected(run, made), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-5)


def test_weights_of_a_byte_stay_of_a_byte(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    made = marian_models.make_firefox(folder)
    run = import_marian(folder, tmp_path / "run")
    codes = sum(array.size for name, array in made.items() if name.endswith("Wemb"))
    numbers = sum(array.size for array in made.values())
    assert run.weights.stat().st_size < codes + 4 * numbers
    assert (
        run.weights.stat().st_size < 1.5 * (folder / "model.ende.intgemm.alphas.bin").stat().st_size
    )
    table = run.state()["target_embedding.table.weight"]
    np.testing.assert_array_equal(table[:-1].numpy(), made["Wemb"])
    assert not table[-1].any()


def test_an_imported_run_translates_and_is_never_at_a_loss_for_a_beginning(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    marian_models.make_firefox(folder)
    import_marian(folder, tmp_path / "run")
    translator = docmt_nmt.load(tmp_path / "run", beam_size=3)
    (translation,) = translator.translate([docmt_nmt.Document("a", tuple(ENGLISH))])
    assert len(translation.document.target) == len(ENGLISH)
    assert "<zeros>" not in "".join(translation.document.target)


def test_students_need_no_beam_where_no_file_says_so(tmp_path):
    (folder := tmp_path / "model").mkdir()
    marian_models.make_firefox(folder)
    (folder / "config.intgemm8bitalpha.yml").unlink()
    run = import_marian(folder, tmp_path / "run")
    assert run.recipe.search.beam_size == 1


@pytest.mark.by_default(1)
@pytest.mark.parametrize("placeholder", ["{name}", "%s"])
def test_greedy_search_can_be_made_to_write_a_placeholder(tmp_path, placeholder):
    """The vocabulary has no braces, so another word stands for a name in braces."""
    (folder := tmp_path / "model").mkdir()
    marian_models.make_firefox(folder)
    import_marian(folder, tmp_path / "run")
    translator = docmt_nmt.load(tmp_path / "run")
    assert translator.search.beam_size == 1
    text = f"Open {placeholder} now."
    assert translator.can_keep(text, [placeholder])
    others = ENGLISH[:2]
    middle = docmt_nmt.Sentence(text, protected=(placeholder,))
    sentences = docmt_nmt.Sentence(others[0]), middle, docmt_nmt.Sentence(others[1])
    request = docmt_nmt.TranslationRequest([docmt_nmt.SourceDocument("a", sentences)])
    (free,) = translator.translate(request)
    first, _, last = free.document.target
    assert [w.detail for w in free.sentences[1].warnings if w.kind == "lost-words"] == [placeholder]
    revision = Revision((free.document,), frozenset({(0, 1)}), forced_literals=True)
    (forced,) = translator.translate(replace(request, revision=revision))
    assert forced.document.target[1].count(placeholder) == 1
    alone = translator.translate([docmt_nmt.Document("b", tuple(others))])
    assert (first, last) == alone[0].document.target
