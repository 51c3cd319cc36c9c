"""T5 with target-language tags, as MADLAD-400: a run names the model, and translates by
`transformers`."""

from __future__ import annotations

import functools
import io
import json
import shutil
from pathlib import Path

import pytest
import sentencepiece
import torch
import transformers
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt.interop import import_huggingface
from docmt.translating.file_translation import translate_files
from docmt_files.base.errors import InputError
from docmt_llm.t5.tagged_t5 import TaggedT5
from docmt_nmt.translators import Revision, TranslationRequest
from docmt_nmt.translators.glossary import Glossary
from pretrained_models import change, sentences

TEXTS = ("Open the file.", "The window shows all settings.", "Save it.")
TAGS = ("<2en>", "<2de>", "<2fr>", "<2sr_Latn>", "<2Latn>", "<2zxx_xx_noise>")


@functools.cache
def pieces(*tags: str) -> bytes:
    """A sentencepiece model with the ids of MADLAD-400 and, of each character, a piece or bytes."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*sentences("en"), *sentences("de")]),
        model_writer=model,
        vocab_size=400,
        unk_id=0,
        pad_id=1,
        eos_id=2,
        bos_id=-1,
        byte_fallback=bool(tags),
        user_defined_symbols=list(tags),
        minloglevel=2,
    )
    return model.getvalue()


def save_t5(folder: Path, *tags: str) -> Path:
    """Save a tiny random T5 and its tokenizer."""
    config = transformers.T5Config(
        vocab_size=400,
        d_model=16,
        d_kv=8,
        d_ff=24,
        num_layers=2,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=0,
        architectures=["T5ForConditionalGeneration"],
    )
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = transformers.T5ForConditionalGeneration(config)
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(0.2 * torch.randn(weight.shape))
    model.save_pretrained(folder)
    (folder / "spiece.model").write_bytes(pieces(*tags))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_t5(tmp_path_factory.mktemp("t5"), *TAGS)


@pytest.fixture(scope="module")
def run(folder, tmp_path_factory):
    run = tmp_path_factory.mktemp("run") / "madlad"
    import_huggingface(str(folder), run, languages=("en", "de"), overrides=["settings.beam_size=3"])
    return run


@pytest.mark.by_default(1)
@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_sentence_gets_the_tokens_that_transformers_generates_for_it_alone(
    folder, run, beam_size, monkeypatch
):
    monkeypatch.setattr("docmt_llm.t5.t5_translator._MAX_LENGTH_FACTOR", 1)  # for time
    translator = docmt_nmt.load(run, device="cpu", beam_size=beam_size)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
    processor = sentencepiece.SentencePieceProcessor(model_proto=pieces(*TAGS))
    expected = []
    for text in TEXTS:
        ids = torch.tensor([[*processor.encode(f"<2fr> {text}"), 2]])
        longest = -(-ids.shape[1] // 16) * 16 + 16
        written = model.generate(ids, num_beams=beam_size, max_new_tokens=longest)[0].tolist()
        expected.append(processor.decode([i for i in written if i > 2 + len(TAGS)]))
    assert len(set(expected)) == len(TEXTS)
    assert docmt_nmt.translate_text(translator.between("en", "fra"), TEXTS) == expected
    (document,) = docmt_nmt.translate(translator, [docmt_nmt.Document("d", (*TEXTS, "", "—"))])
    assert document.document.target[3:] == ("", "—")
    assert document.document.target[:3] != tuple(expected)  # German
    assert [w.sentence for w in document.warnings if w.kind == "truncated"] == [*document.truncated]


def test_a_command_translates_into_several_languages_of_the_tags(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("letter.txt").write_text("Open the file.\n")
    invoked = CliRunner().invoke(
        main, ["translate", "--run", str(run), "--to", "de,sr", "letter.txt", "-o", "{to}.txt"]
    )
    assert invoked.exit_code == 0, invoked.output
    german, serbian = (Path(f"{code}.txt").read_text() for code in ("de", "sr"))
    assert german.strip() and serbian.strip() and german != serbian


@pytest.fixture
def copying(run, monkeypatch):
    """A translator whose model writes the source, without the tag."""
    monkeypatch.setattr(TaggedT5, "generate", lambda _, batch, *_limits: [*map(list, batch)])
    return docmt_nmt.load(run, device="cpu")


def test_a_file_comes_back_with_its_codes(copying, tmp_path):
    page = "<p>Open the <b>file</b> {0}. Save it.</p>\n"
    (tmp_path / "page.html").write_text(page)
    translate_files(copying, [str(tmp_path / "page.html")], [str(tmp_path / "out.html")])
    assert (tmp_path / "out.html").read_text().replace(' lang="de"', "") == page


def test_characters_become_bytes_and_tokens_in_the_text_are_text(copying):
    text = "The 漢字 </s> of <b> é."
    assert docmt_nmt.translate_text(copying, [text, "Write <2fr> now."]) == [
        text,
        "Write < 2fr> now.",
    ]


def test_a_revision_translates_the_wanted_sentences_alone(copying):
    known = docmt_nmt.Document("d", ("One.", "Two."), ("Eins.", "Zwei."))
    revision = Revision((known,), frozenset({(0, 1)}))
    (made,) = copying.translate(TranslationRequest([known], revision=revision))
    assert made.document.target == ("Eins.", "Two.")


def test_an_interrupted_translation_goes_on(copying, monkeypatch):
    class Kept(list):
        def next(self):
            return next(stored, None)

        add = list.append

    documents, journal, stored = [docmt_nmt.Document("d", TEXTS)], Kept(), iter(())
    whole = copying.translate(documents, journal=journal)
    assert len(journal) == 2  # short sentences, long sentences
    monkeypatch.setattr(TaggedT5, "generate", None)
    stored = iter(json.loads(json.dumps(journal)))
    assert copying.translate(documents, journal=journal) == whole


def test_a_glossary_and_several_translations_are_refused_by_name(copying):
    documents = [docmt_nmt.Document("d", TEXTS)]
    for how, name in (({"glossary": Glossary(())}, "glossary"), ({"n_best": 2}, "n_best")):
        with pytest.raises(InputError, match=f"Leave out `{name}`"):
            copying.translate(TranslationRequest(documents, **how))


def test_a_sentence_longer_than_the_model_can_read_is_refused(copying):
    with pytest.raises(InputError, match="Divide it into sentences"):
        docmt_nmt.translate_text(copying, "file " * 2000)


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("en", None), "Give `source_language` and `target_language`"),
        (("en", "ja"), "does not translate into 'ja'"),
    ],
)
def test_the_languages_are_two_of_the_tags(folder, tmp_path, languages, message):
    with pytest.raises(InputError, match=message):
        import_huggingface(str(folder), tmp_path / "run", languages=languages)


def test_an_unknown_setting_is_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"beam_sise.*beam_size"):
        import_huggingface(
            str(folder),
            tmp_path / "run",
            languages=("en", "de"),
            overrides=["settings.beam_sise=1"],
        )


def refused(folder: Path, tmp_path: Path, *, pickle: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        import_huggingface(str(folder), tmp_path / "run", languages=("en", "de"), pickle=pickle)
    assert not (tmp_path / "run").exists()
    return str(caught.value)


def test_files_that_cannot_be_used_are_refused(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "t5")
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    for pickle in (False, True):
        assert "read from safetensors only" in refused(copy, tmp_path, pickle=pickle)
    (copy / "spiece.model").write_bytes(pieces())
    assert "has no target-language tags such as <2de>" in refused(copy, tmp_path)
    (copy / "spiece.model").write_bytes(b"spiece")
    assert "is not a valid sentencepiece model" in refused(copy, tmp_path)
    (copy / "spiece.model").unlink()
    assert "spiece.model" in refused(copy, tmp_path)


def test_weights_of_another_vocabulary_are_refused(folder, run, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "t5")
    import_huggingface(str(copy), tmp_path / "run", languages=("en", "de"))
    change(copy / "generation_config.json", eos_token_id=1)
    with pytest.raises(InputError, match="its vocabulary is not that of spiece"):
        docmt_nmt.load(tmp_path / "run")
