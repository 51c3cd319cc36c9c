"""Imported models give what `transformers` gives: token ids, logits, translations."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file, save_file

from docmt.interop import import_huggingface
from docmt_files.base.documents import Document
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.systems import build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from pretrained_models import LANGUAGES, make, sentences

ENGLISH, GERMAN = sentences("en")[3:6], sentences("de")[3:6]
NO_CONTEXT = {f"{part}_context_layers": 0 for part in ("encoder", "decoder", "cross")}


@pytest.fixture(scope="module", params=LANGUAGES)
def imported(request, tmp_path_factory):
    """A model of `transformers`, and the run that was made of it."""
    family = request.param
    folder = tmp_path_factory.mktemp("model")
    model, tokenizer = make(folder, family)
    run = import_huggingface(
        str(folder), folder.with_name(f"{folder.name}-run"), languages=LANGUAGES[family]
    )
    return SimpleNamespace(family=family, model=model, tokenizer=tokenizer, run=run)


def theirs(imported, texts):
    """Source sentences as the tokenizer of `transformers` encodes them, padded."""
    if imported.family == "marian-many":
        texts = [f">>deu<< {text}" for text in texts]
    return imported.tokenizer(list(texts), return_tensors="pt", padding=True)


def instances(pipeline):
    """Each sentence pair as an instance."""
    return [
        Instance(
            str(index),
            0,
            [pipeline.encode_sentence(source)],
            [pipeline.encode_sentence(target, "target")],
        )
        for index, (source, target) in enumerate(zip(ENGLISH, GERMAN, strict=True))
    ]


@pytest.mark.by_default(3)
def test_source_sentences_have_the_ids_and_special_tokens_of_the_tokenizer(imported):
    pipeline = imported.run.pipeline
    batch = collate(instances(pipeline), pipeline.special_tokens)
    encoded = theirs(imported, ENGLISH)
    expected = encoded.input_ids[encoded.attention_mask.bool()]
    assert batch.source.tokens.tolist() == expected.tolist()


def test_sentences_come_back_as_the_tokenizer_decodes_them(imported):
    unknown = imported.run.pipeline.target_vocabulary.unk_id
    for text in GERMAN:
        ids = imported.run.pipeline.encode_sentence(text, "target")
        ids = [i for i in ids if i != unknown]
        expected = imported.tokenizer.decode(ids, skip_special_tokens=True)
        assert imported.run.pipeline.decode_sentence(ids).split() == expected.split()


def test_subwords_of_one_side_alone_come_back_from_the_other(imported):
    # A model of two sentencepiece models has one vocabulary for both, and may write any of it.
    vocabulary = imported.run.pipeline.target_vocabulary
    known = [n for n in range(len(vocabulary)) if n not in vocabulary.special_ids]
    for ids in zip(known, known[1:], known[7:], strict=False):
        expected = imported.tokenizer.decode(ids, skip_special_tokens=True)
        assert imported.run.pipeline.decode_sentence(ids).split() == expected.split()


@torch.no_grad()
def logits_of_both(imported, system):
    """Logits after each position of the target sentences, ours and theirs."""
    pipeline = imported.run.pipeline
    batch = collate(instances(pipeline), pipeline.special_tokens)
    encoded = theirs(imported, ENGLISH)
    sequences = batch.target.tokens.split(batch.target.sentences.lengths.tolist())
    padded = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=5)
    found = imported.model(**encoded, decoder_input_ids=padded).logits
    expected = torch.cat([found[i, : len(sequence)] for i, sequence in enumerate(sequences)])
    return system(batch), expected


def test_as_transformer_it_gives_the_same_logits(imported, record_property):
    ours, expected = logits_of_both(imported, imported.run.system())
    assert expected.std() > 0.3
    record_property("largest difference", float((ours - expected).abs().max()))
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=0)


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", ["lm_head.weight", "model.encoder.embed_tokens.weight"])
def test_a_table_of_its_own_is_used_where_the_configuration_ties_it(imported, tmp_path, name):
    """`transformers` ties only tables that a file does not hold, or holds alike."""
    folder = tmp_path / "model"
    imported.model.save_pretrained(folder)
    imported.tokenizer.save_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    tables = [tensor for key, tensor in weights.items() if "shared" in key or "embed_tokens" in key]
    weights[name] = tables[-1] + 0.1 * torch.randn(tables[-1].shape)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model = type(imported.model).from_pretrained(folder).eval()
    run = import_huggingface(str(folder), tmp_path / "run", languages=LANGUAGES[imported.family])
    changed = SimpleNamespace(**{**vars(imported), "model": model, "run": run})
    ours, expected = logits_of_both(changed, run.system())
    assert not torch.allclose(logits_of_both(imported, run.system())[1], expected, atol=0.1)
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=0)


def test_as_g_transformer_without_context_it_gives_the_same_logits(imported):
    form = imported.run.recipe.system.model_dump(exclude={"name"})
    settings = GTransformerSettings.read({**form, **NO_CONTEXT})
    pipeline = imported.run.pipeline
    sizes = len(pipeline.source_vocabulary), len(pipeline.target_vocabulary)
    system = build(settings, *sizes).eval()
    system.load_state_dict(imported.run.state(), strict=True)
    ours, expected = logits_of_both(imported, system)
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=0)


@pytest.mark.by_default(6)
@pytest.mark.parametrize(
    ("beam", "penalty", "early"),
    [
        (1, 1.0, False),
        (4, 0.6, True),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [(1, 1.0, True), (4, 0.6, False), (4, 1.0, False)]
        ),
    ],
)
def test_search_finds_what_generate_finds(imported, beam, penalty, early):
    # What makes the search the same: it stops at the same time, no sentence is empty or contains
    # special tokens, and the maximum length is the same.
    longest, pipeline = 12, imported.run.pipeline
    special_tokens, opening = pipeline.special_tokens, len(pipeline.special_tokens.target_opening)
    forced = (
        {"forced_bos_token_id": special_tokens.target_prefix[0]}
        if special_tokens.target_prefix
        else {}
    )
    banned = sorted(pipeline.target_vocabulary.special_ids - {special_tokens.target_end})
    translator = BeamSearchTranslator.load(
        imported.run.directory,
        device="cpu",
        beam_size=beam,
        length_penalty=penalty,
        early_stopping=early,
        max_length_factor=1e-9,
        max_length_offset=longest,
    )
    # What the vocabulary lacks is kept by docmt, and read as <unk> by the other.
    known = [text for text in ENGLISH if not pipeline.missing(text)]
    assert known
    for text in known:
        found = imported.model.generate(
            **theirs(imported, [text]),
            num_beams=beam,
            length_penalty=penalty,
            do_sample=False,
            **({"early_stopping": early} if beam > 1 else {}),
            decoder_start_token_id=special_tokens.target_begin,
            min_new_tokens=opening,
            max_length=opening + longest + 1,
            forced_eos_token_id=special_tokens.target_end,
            bad_words_ids=[[n] for n in banned],
            **forced,
        )[0]
        words = [n for n in found.tolist() if n not in pipeline.target_vocabulary.special_ids]
        (translation,) = translator.translate([Document("d", (text,))])
        assert translation.document.target == (pipeline.decode_sentence(words),)
        assert words
