"""The bundled recipes: each is valid, and those of a paper say what the paper says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems import build
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.hm_gdc_settings import HMGDCSettings
from docmt_nmt.systems.long_short_settings import LongShortSettings
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings
from docmt_nmt.training.optimizer import make_optimizer

PAPER_CORPORA = ("ted", "news", "europarl")
SYSTEMS = ("sentence", "document", "g-transformer", "g-transformer-finetuned")


def plain(name: str) -> list[tuple[str, Recipe]]:
    return recipes.stages(recipes.load(name), Path("run"))


@pytest.mark.parametrize("name", recipes.names())
def test_every_bundled_recipe_is_valid_and_says_what_it_is_for(name: str) -> None:
    recipe = recipes.load_any(name)
    assert recipe.description
    assert recipes.descriptions()[name] == recipe.description
    if isinstance(recipe, Recipe):
        assert all(not stage.stages for _, stage in recipes.stages(recipe, Path("run")))


@pytest.mark.parametrize("corpus", ("demo", *PAPER_CORPORA))
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_corpus_has_every_system(corpus: str, system: str) -> None:
    name = f"{corpus}-{system}"
    assert name in recipes.names()
    data = recipes.load(name).data
    assert data.train and data.valid and data.test


@pytest.mark.parametrize("name", [n for n in recipes.names() if n.startswith("demo-")])
def test_the_files_a_demo_recipe_names_are_bundled(name: str) -> None:
    data = recipes.load_any(name).data
    for split in (data.train, data.valid, data.test):
        assert split is not None and split.target is not None
        for path in (split.source, split.target):
            assert corpus_file(path.removeprefix("bundled:")).is_file()


@pytest.mark.parametrize("corpus", PAPER_CORPORA)
def test_the_systems_of_a_corpus_share_its_data_and_text(corpus: str) -> None:
    sentence = recipes.load(f"{corpus}-sentence")
    for system in SYSTEMS:
        other = recipes.load(f"{corpus}-{system}")
        assert (other.data, other.text) == (sentence.data, sentence.text)
        assert other.training.validate_every == sentence.training.validate_every


@pytest.mark.parametrize("corpus", PAPER_CORPORA)
@pytest.mark.parametrize(
    ("system", "stage", "kind", "settings", "word_dropout"),
    [
        ("sentence", 0, "sentence", TransformerSettings, 0.0),
        ("document", 0, "tokens", TransformerSettings, 0.0),
        ("g-transformer", 0, "tokens", GTransformerSettings, 0.3),
        ("g-transformer-finetuned", 0, "sentence", TransformerSettings, 0.0),
        ("g-transformer-finetuned", 1, "tokens", GTransformerSettings, 0.1),
    ],
)
def test_the_settings_are_those_of_bao_et_al_2021(
    corpus: str, system: str, stage: int, kind: str, settings: type, word_dropout: float
) -> None:
    _, recipe = plain(f"{corpus}-{system}")[stage]
    assert (recipe.instances.kind, recipe.instances.max_tokens) == (kind, 512)
    is_free = system == "document"
    assert recipe.instances.join_sentences == is_free
    assert ("s-bleu" in recipe.evaluation.metrics) != is_free
    assert type(recipe.system) is settings
    sizes = recipe.system
    assert (sizes.layers, sizes.d_model, sizes.heads, sizes.ffn_dim) == (6, 512, 8, 2048)
    assert (sizes.dropout, sizes.norm, sizes.share_embeddings) == (0.3, "post", True)
    if isinstance(sizes, GTransformerSettings):
        assert sizes.encoder_context_layers == sizes.decoder_context_layers == 2
        assert (sizes.cross_context_layers, sizes.context_attention) == (2, "combined")
    training = recipe.training
    assert (training.learning_rate, training.warmup_steps) == (5e-4, 4000)
    assert (training.betas, training.label_smoothing) == ((0.9, 0.98), 0.1)
    assert training.word_dropout_source == training.word_dropout_target == word_dropout
    assert training.patience is not None
    text = recipe.text
    assert (text.tokenize, text.case, text.subword) == ("moses", "truecase", "bpe")
    assert (text.merges, text.joint, recipe.search.beam_size) == (30_000, True, 5)


@pytest.mark.parametrize(
    ("name", "stage", "kind", "previous", "system"),
    [
        ("talks-sentence", 0, "sentence", 0, "transformer"),
        ("talks-hm-gdc", 0, "whole", 0, "hm-gdc"),
        ("talks-hm-gdc-finetuned", 0, "sentence", 0, "transformer"),
        ("talks-hm-gdc-finetuned", 1, "whole", 0, "hm-gdc"),
        ("talks-hm-gdc-mixed", 0, "sentence", 0, "transformer"),
        ("talks-hm-gdc-mixed", 1, "whole", 0, "hm-gdc"),
        ("talks-de-en-hm-gdc", 0, "whole", 0, "hm-gdc"),
    ],
)
def test_the_settings_are_those_of_tan_et_al_2019(
    name: str, stage: int, kind: str, previous: int, system: str
) -> None:
    _, recipe = plain(name)[stage]
    assert (recipe.instances.kind, recipe.instances.previous_sentences) == (kind, previous)
    sizes = recipe.system
    assert sizes.name == system
    assert (sizes.layers, sizes.d_model, sizes.heads, sizes.ffn_dim) == (6, 512, 8, 2048)
    assert (sizes.dropout, sizes.share_embeddings) == (0.1, False)
    if isinstance(sizes, HMGDCSettings):
        assert (sizes.integration, sizes.document_layers) == ("both", 5)
        assert (sizes.share_encoders, sizes.context_dropout) == (True, 0.1)
    training, text = recipe.training, recipe.text
    assert (training.batch_tokens, training.accumulate_batches) == (4096, 1)
    assert training.learning_rate == pytest.approx((512 * 4000) ** -0.5, rel=0.01)
    assert (training.warmup_steps, training.label_smoothing) == (4000, 0.1)
    assert (training.betas, training.epsilon) == ((0.9, 0.98), 1e-9)
    assert (training.max_steps, training.patience) == (100_000, None)
    assert (text.subword, text.vocabulary_size, text.joint) == ("words", 50_000, False)
    assert (recipe.search.beam_size, recipe.evaluation.lowercase) == (5, True)


def test_the_first_step_learns_from_sentence_pairs_the_second_from_documents() -> None:
    (_, sentences), (_, documents) = plain("talks-hm-gdc-finetuned")
    assert sentences.data.train and sentences.data.train.boundaries == "sentences"
    assert documents.data.train and documents.data.train.boundaries == "markers"
    assert not sentences.data.additional and not documents.data.additional
    assert (sentences.data.valid, sentences.data.test) == (
        documents.data.valid,
        documents.data.test,
    )
    assert documents.initialize is not None
    assert documents.initialize.freeze == ()


def test_the_mixed_first_step_has_the_sentences_of_the_documents_too() -> None:
    (_, sentences), (_, documents) = plain("talks-hm-gdc-mixed")
    (more,) = sentences.data.additional.values()
    assert documents.data.train is not None
    assert more.model_dump(exclude={"share"}) == documents.data.train.model_dump()
    assert not documents.data.additional


@pytest.mark.parametrize("corpus", ("demo", *PAPER_CORPORA))
def test_a_fine_tuned_g_transformer_starts_from_the_sentence_transformer(corpus: str) -> None:
    (first, sentence), (second, document) = plain(f"{corpus}-g-transformer-finetuned")
    assert (first, second) == ("sentence", "document")
    assert sentence.initialize is None
    assert document.initialize is not None
    assert Path(document.initialize.run) == Path("run/stages/sentence").resolve()
    rates = (document.initialize.loaded_learning_rate, document.training.learning_rate)
    # The demo has minutes where the paper has days.
    assert rates == ((2e-3, 3e-3) if corpus == "demo" else (1e-4, 5e-4))


@pytest.mark.parametrize("name", [n for n in recipes.names() if n.endswith("-firefox")])
def test_models_that_never_knew_dropout_and_smoothing_are_tuned_without(name: str) -> None:
    recipe = recipes.load(name)
    assert isinstance(recipe.system, TransformerSettings | GTransformerSettings | LongShortSettings)
    assert (recipe.system.dropout, recipe.training.label_smoothing) == (0, 0)


@pytest.mark.parametrize("corpus", ("iwslt", "subtitles"))
@pytest.mark.parametrize("system", ("window", "long-short"))
def test_the_settings_are_those_of_zhang_et_al_2020(corpus: str, system: str) -> None:
    recipe = recipes.load(f"{corpus}-{system}")
    sizes, training = recipe.system, recipe.training
    assert isinstance(sizes, LongShortSettings if system == "long-short" else TransformerSettings)
    assert (sizes.layers, sizes.d_model, sizes.heads, sizes.ffn_dim) == (6, 512, 8, 2048)
    assert (sizes.dropout, sizes.norm, sizes.share_embeddings) == (0.1, "post", False)
    if isinstance(sizes, LongShortSettings):
        assert sizes.joining_ffn_dim == 1024
    assert training.learning_rate == pytest.approx(4 * (512 * 16_000) ** -0.5, rel=0.01)
    assert (training.warmup_steps, training.betas, training.epsilon) == (16_000, (0.9, 0.98), 1e-9)
    tokens = training.batch_tokens * training.accumulate_batches
    assert tokens == {"iwslt": 8192, "subtitles": 16384}[corpus]
    assert (recipe.text.subword, recipe.text.merges, recipe.text.joint) == ("bpe", 32_000, False)
    assert (recipe.search.windows, recipe.search.window_position, recipe.search.beam_size) == (
        "sliding",
        None,
        4,
    )
    assert recipe.instances.window == {"iwslt": 3, "subtitles": 4}[corpus]


def test_the_baseline_of_long_short_reads_the_same_windows() -> None:
    for corpus in ("demo", "iwslt", "subtitles"):
        baseline, system = (recipes.load(f"{corpus}-{name}") for name in ("window", "long-short"))
        same = {"description", "system"}
        assert baseline.model_dump(exclude=same) == system.model_dump(exclude=same)


def test_partial_copy_changes_nothing_but_the_training() -> None:
    plain, copied = (recipes.load(f"subtitles-long-short{name}") for name in ("", "-copied"))
    assert (plain.training.copied_context, copied.training.copied_context) == (0.0, 0.5)
    assert copied.system == plain.system and copied.search == plain.search


DONATO = {
    "iwslt14": ("base", 20_000, "lower", "google-bert/bert-base-uncased", 768),
    "nist": ("base", 34_000, "lower", "google-bert/bert-base-chinese", 768),
    "wmt14": (
        "big",
        34_000,
        "first-word",
        "google-bert/bert-large-uncased-whole-word-masking",
        1024,
    ),
}
"""Of each corpus: Transformer, vocabulary, case, BERT and its size."""


@pytest.mark.parametrize("corpus", DONATO)
@pytest.mark.parametrize(
    ("system", "stack"),
    [
        ("sentence", None),
        ("bert-fused", "Bs(p,c)"),
        ("multi-source", "Bs(c) => Ps(c)"),
        ("multi-context", "Bs(p,c) => Bs(c,n) => Ps(3p,c,3n)"),
        ("multi-context-target", "Bs(p,c) => Bs(c,n) => Ps(3p,c,3n) => Pt(3p,3n)"),
    ],
)
def test_the_settings_are_those_of_donato_et_al_2021(
    corpus: str, system: str, stack: str | None
) -> None:
    preset, vocabulary, case, bert, size = DONATO[corpus]
    *_, (_, sentence), (_, last) = [("", None), *plain(f"{corpus}-{system}")]
    first = sentence or last
    for recipe in (first, last):
        sizes, text = recipe.system, recipe.text
        assert (sizes.preset, sizes.norm) == (preset, "output")
        # What the paper does not state is that of Vaswani et al. 2017 for English-German.
        training = recipe.training
        assert training.learning_rate == pytest.approx((sizes.d_model * 4000) ** -0.5, rel=0.02)
        of_size = (sizes.dropout, training.max_steps)
        assert of_size == ((0.3, 300_000) if preset == "big" else (0.1, 100_000))
        assert (training.epsilon, training.patience) == (1e-9, 10)
        assert (text.normalize, text.quotes, text.case) == ("nfkd", "directional", case)
        assert (text.subword, text.vocabulary_size, text.joint) == ("unigram", vocabulary, True)
        assert text.character_coverage == 0.9995
        assert (text.repair_encoding, text.english_punctuation) == (True, "separate")
        assert text.american_spelling == "data/varcon.txt"
        chinese = ("simplified", "jieba") if corpus == "nist" else ("keep", "none")
        assert (text.chinese_script, text.segment) == chinese
        assert (recipe.training.average.kind, recipe.training.average.checkpoints) == ("best", 10)
        assert (recipe.search.beam_size, recipe.evaluation.lowercase) == (5, case == "lower")
    assert tokens_per_update(first) == 131_072
    if stack is None:
        return
    assert last.initialize is not None and last.initialize.freeze == ("loaded",)
    of_wmt = 131_072 if system == "multi-source" else 16_384
    assert tokens_per_update(last) == (of_wmt if corpus == "wmt14" else 32_768)
    assert isinstance(last.system, ParallelStackSettings) and last.system.stack == stack
    contexts = last.system.contexts
    if "B" in contexts:
        assert (contexts["B"].model, contexts["B"].d_model) == (bert, size)
    if "P" in contexts:
        public = ("google/pegasus-large", None, 1024)
        own = (None, f"runs/pegasus-{last.data.source_language}", 768)
        encoder = contexts["P"]
        found = (encoder.model, encoder.run, encoder.d_model)
        assert found == (public if corpus == "wmt14" else own)
    if "Pt" in contexts:
        assert contexts["Pt"].run == f"runs/pegasus-{last.data.target_language}"
    # Sentence-level systems learn from all of WMT, document-level ones from its documents.
    of_sentences = corpus == "wmt14" and system == "multi-source"
    assert last.data.train is not None
    assert last.data.train.boundaries == ("sentences" if of_sentences else "markers")


def tokens_per_update(recipe: Recipe) -> int:
    return recipe.training.batch_tokens * recipe.training.accumulate_batches


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_the_encoders_of_donato_et_al_2021_have_the_size_of_pegasus_base(language: str) -> None:
    recipe = recipes.load(f"pegasus-{language}")
    sizes = recipe.system
    assert (sizes.layers, sizes.d_model, sizes.heads, sizes.ffn_dim) == (12, 768, 12, 3072)
    assert (recipe.instances.kind, sizes.norm) == ("masked", "pre")
    assert recipe.training.learning_rate == pytest.approx((768 * 4000) ** -0.5, rel=0.01)
    assert recipe.text.vocabulary_size == (96_000 if language == "en" else 34_000)
    train = recipe.data.train
    assert train is not None and train.source == train.target
    assert recipe.data.source_language == recipe.data.target_language == language


@pytest.mark.parametrize("name", ["bert-fused", "multi-source", "multi-context"])
def test_half_of_a_batch_of_iwslt_plus_is_news_and_the_transformer_is_tuned_first(
    name: str,
) -> None:
    (_, sentence), (_, augmented), (_, context) = plain(f"iwslt14-plus-{name}")
    assert not sentence.data.additional
    assert augmented.data == context.data
    assert augmented.data.training_splits == {"train": None, "train-news": 0.5}
    assert augmented.system == sentence.system
    assert augmented.initialize is not None and not augmented.initialize.freeze
    baseline = [recipe.data for _, recipe in plain("iwslt14-plus-sentence")]
    assert baseline == [sentence.data, augmented.data]


@pytest.mark.parametrize("corpus", ["wmt14-plus", "wmt14-plus-plus"])
def test_the_baseline_of_the_third_stage_sees_its_data_and_updates_the_blocks_it_has(
    corpus: str,
) -> None:
    (*before, (_, treated)) = plain(f"{corpus}-three-stage")
    (*same, (_, baseline)) = plain(f"{corpus}-multi-source")
    assert [r.model_dump(exclude={"description"}) for _, r in before] == [
        r.model_dump(exclude={"description"}) for _, r in same
    ]
    assert treated.data == baseline.data
    shares = treated.data.training_splits
    assert shares == {"train": None} | ({"train-rapid": 0.3} if corpus.endswith("s-plus") else {})
    assert isinstance(treated.system, ParallelStackSettings)
    assert isinstance(baseline.system, ParallelStackSettings)
    assert treated.system.stack == "Bs(c) => Ps(c) => Ps(3p,3n)"
    assert baseline.system.stack == "Bs(c) => Ps(c)"
    # The same stack in small.
    small = {"preset": "tiny", "heads": 4, "layers": 2, "d_model": 16, "ffn_dim": 32}
    system = build(baseline.system.model_copy(update=small), 300, 300)
    make_optimizer(system, baseline.training, baseline.initialize, loaded=())
    learning = {name for name, p in system.named_parameters() if p.requires_grad}
    assert learning == {name for name, _ in system.named_parameters() if ".blocks." in name}


@pytest.mark.parametrize("corpus", PAPER_CORPORA)
@pytest.mark.parametrize(
    ("system", "kind", "joined"),
    [
        ("sentence", "sentence", False),
        ("document", "tokens", True),
        ("g-transformer", "tokens", False),
    ],
)
def test_mbart_is_fine_tuned_as_each_system(
    corpus: str, system: str, kind: str, joined: bool
) -> None:
    recipe = recipes.load(f"{corpus}-{system}-mbart25")
    assert (recipe.instances.kind, recipe.instances.join_sentences) == (kind, joined)
    assert ("s-bleu" in recipe.evaluation.metrics) != joined
    assert recipe.initialize is not None and recipe.initialize.run == "runs/mbart25"
    assert recipe.data == recipes.load(f"{corpus}-sentence").data
    training = recipe.training
    assert (training.learning_rate, training.schedule) == (3e-5, "polynomial")
    # The published scripts: fairseq's default end of decay, and five epochs of patience.
    assert (training.decay_steps, training.max_steps, training.patience) == (1_000_000, None, 5)


def test_every_bundled_recipe_belongs_to_a_paper() -> None:
    papers = recipes.papers()
    assert sorted(name for names in papers.values() for name in names) == recipes.names()
    assert "ted-g-transformer" in papers["bao-2021"]
    assert "demo-sentence" in papers["demo"]
