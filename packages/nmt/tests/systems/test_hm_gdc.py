from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, SPECIAL_TOKENS, batch, documents, hm_gdc, make, others_shuffled, transformer
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import search
from docmt_nmt.nn import FullPass, in_precision
from docmt_nmt.nn.full_pass import OverSpans
from docmt_nmt.systems.hm_gdc import HMGDC
from docmt_nmt.systems.hm_gdc_settings import HMGDCSettings

INTEGRATIONS = ("encoder", "decoder", "both")
every_integration = pytest.mark.parametrize("integration", INTEGRATIONS)


def sentences_of(document):
    """Every sentence of a document as a document of its own."""
    pairs = zip(document.source, document.target, strict=True)
    return [replace(document, source=[s], target=[t]) for s, t in pairs]


def logits_of_second(system, document):
    packed = batch(document)
    return system(packed)[packed.target.sentences.index == 1]


def translation_of_second(system, document):
    source = batch(document).source
    longest = torch.full((len(source.sentences),), 12)
    (best, *_), *_ = search(system, source, SPECIAL_TOKENS, beam_size=3, max_lengths=longest)
    return best.sentences[1]


@torch.no_grad()
def test_without_context_it_is_the_transformer_over_each_sentence_weight_for_weight():
    plain, system = make(transformer()), make(hm_gdc(integration="none"), seed=2)
    system.load_state_dict(plain.state_dict(), strict=True)
    (alone,) = documents([6])
    assert torch.equal(plain(batch(alone)), system(batch(alone)))
    (document,) = documents([4, 1, 9])
    assert_close(plain(batch(*sentences_of(document))), system(batch(document)))


@every_integration
@torch.no_grad()
def test_where_the_document_gives_nothing_a_one_sentence_document_is_the_transformers(integration):
    plain, system = make(transformer()), make(hm_gdc(integration=integration), seed=2)
    system.load_state_dict(plain.state_dict(), strict=False)
    outputs = [system.hierarchy.context_attention.attention.output]
    if integration != "encoder":
        cross = [layer["cross_attention"].sublayer for layer in system.decoder]
        outputs += [attention.document_attention.output for attention in cross]
    for output in outputs:
        output.weight.zero_()
        output.bias.zero_()
    (alone,) = documents([6])
    assert_close(plain(batch(alone)), system(batch(alone)))


@every_integration
@torch.no_grad()
def test_shuffling_the_other_sentences_of_a_document_changes_what_is_written(integration):
    (document,) = documents([4, 6, 3, 5])
    system = make(hm_gdc(integration=integration))
    before, after = (logits_of_second(system, d) for d in (document, others_shuffled(document)))
    assert not torch.isclose(before, after, atol=1e-5).all(dim=1).any()


@torch.no_grad()
def test_shuffling_the_other_sentences_changes_nothing_for_the_baseline():
    (document,) = documents([4, 6, 3, 5])
    system = make(hm_gdc(integration="none"))
    before, after = (logits_of_second(system, d) for d in (document, others_shuffled(document)))
    assert_close(before, after)


def test_shuffling_the_other_sentences_changes_translations_but_the_baselines():
    def one_changes(system, number):
        pairs = [(d, others_shuffled(d)) for d in documents_of_four[:number]]
        return any(
            translation_of_second(system, d) != translation_of_second(system, s) for d, s in pairs
        )

    documents_of_four = [documents([4, 6, 3, 5], seed=seed)[0] for seed in range(16)]
    assert one_changes(make(hm_gdc(), seed=5), 16)
    assert not one_changes(make(hm_gdc(integration="none")), 3)


@torch.no_grad()
def test_another_sentence_shows_in_every_word():
    system = make(hm_gdc(integration="encoder"))
    (document,) = documents([4, 6, 3])
    before = system.encode(batch(document).source).states
    document.source[2][0] = 4 if document.source[2][0] != 4 else 5
    after = system.encode(batch(document).source).states
    assert (before != after).any(dim=1).all()


@torch.no_grad()
def test_the_context_goes_where_it_is_integrated():
    """Eq. 7 and 8, and what cross-attention sees."""
    source = batch(*documents([4, 6], [3])).source
    for integration in INTEGRATIONS:
        system = make(hm_gdc(integration=integration))
        memory = system.encode(source)
        words = super(HMGDC, system).encode(source).states
        with_context = words + system.hierarchy(words, source)
        in_encoder = integration != "decoder"
        assert_close(memory.states, with_context if in_encoder else words)
        assert ("document" in memory.auxiliary) == (integration != "encoder")
        if integration != "encoder":
            assert_close(memory.encoded("document").states, with_context)


@torch.no_grad()
def test_the_decoder_adds_attention_over_the_document_to_cross_attention():
    cross = make(hm_gdc()).decoder[0]["cross_attention"].sublayer
    packed = batch(*documents([3, 2], [4]))
    memory = make(hm_gdc()).encode(packed.source)
    x = torch.randn(len(packed.target.tokens), 16)
    target, source = packed.target, packed.source
    own = cross.attention(x, OverSpans(target.sentences, source.sentences, memory.states))
    words = memory.encoded("document").states
    all_words = cross.document_attention(x, OverSpans(target.instances, source.instances, words))
    assert_close(cross(x, FullPass(target, memory)), own + all_words)


def attention_of(layer):
    return layer["self_attention"].sublayer.attention


def test_the_document_encoder_attends_with_the_sentence_encoders_parameters():
    shared, apart = make(hm_gdc(document_layers=2)), make(hm_gdc(share_encoders=False))
    for number in range(2):
        of_document = shared.hierarchy.document_encoder.layers[number]
        assert attention_of(of_document) is attention_of(shared.encoder[number])
    of_document = apart.hierarchy.document_encoder.layers[0]
    assert attention_of(of_document) is not attention_of(apart.encoder[0])


def test_attention_over_words_has_the_systems_heads():
    hierarchy = make(hm_gdc(heads=8)).hierarchy
    over_words = hierarchy.sentence_attention, hierarchy.context_attention.attention
    assert [attention.heads for attention in over_words] == [8, 8]


def test_context_is_dropped_in_training_at_its_own_rate():
    system = make(hm_gdc(dropout=0.0, context_dropout=0.9, integration="encoder"))
    source = batch(*documents([4, 6])).source
    still = system.encode(source).states
    system.train()
    assert not torch.equal(system.encode(source).states, still)
    system.context_dropout = 0.0
    assert_close(system.encode(source).states, still)


@pytest.mark.parametrize("precision", ["bf16", "int8"])
@torch.no_grad()
def test_it_computes_in_lower_precision(precision):
    system = make(hm_gdc())
    packed = batch(*documents([4, 6], [3]))
    lower = in_precision(system, precision)(packed).float()
    assert_close(lower, system(packed), atol=0.15, rtol=0.15)


def test_more_document_layers_than_layers_to_share_with_is_an_error_that_names_both():
    with pytest.raises(InputError, match="document_layers 4 is more than layers 3"):
        HMGDCSettings.read({**SIZE, "document_layers": 4})
    assert hm_gdc(document_layers=4, share_encoders=False).document_layers == 4


@pytest.mark.parametrize("key", [{"document_layers": 2}, {"share_encoders": False}])
def test_a_key_of_the_context_without_context_is_an_error_that_names_both(key):
    name = next(iter(key))
    with pytest.raises(InputError, match=f"{name}.* has no effect with integration: none"):
        HMGDCSettings.read({**SIZE, "integration": "none", **key})
