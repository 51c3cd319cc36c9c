import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, batch, documents, g_transformer, make, transformer
from docmt_files.base.errors import InputError
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings

NO_CONTEXT = {f"{part}_context_layers": 0 for part in ("encoder", "decoder", "cross")}


def change_a_word(instance, sentence, side="source"):
    words = getattr(instance, side)[sentence]
    words[0] = 4 if words[0] != 4 else 5


def sentence_rows(packed, sentence):
    start, end = packed.sentences.offsets[sentence : sentence + 2].tolist()
    return slice(start, end)


@torch.no_grad()
def test_without_context_layers_it_is_the_sentence_transformer_weight_for_weight():
    sentence, document = make(transformer()), make(g_transformer(**NO_CONTEXT), seed=2)
    document.load_state_dict(sentence.state_dict(), strict=True)
    packed = batch(*documents([4], [1], [9]))
    assert torch.equal(sentence(packed), document(packed))


@torch.no_grad()
def test_without_locality_it_is_the_document_transformer_weight_for_weight():
    plain = make(transformer())
    unbiased = make(g_transformer(language_locality=False, translation_locality=False), seed=2)
    unbiased.load_state_dict(plain.state_dict(), strict=True)
    packed = batch(*documents([4, 3], [1], [9, 2, 2]))
    assert torch.equal(plain(packed), unbiased(packed))


def test_what_it_adds_to_the_sentence_transformer_is_global_attention_and_gates():
    added = g_keys = set(make(g_transformer()).state_dict())
    added = g_keys - set(make(transformer()).state_dict())
    assert added
    assert all(".global_attention." in name or ".gate." in name for name in added)
    assert set(make(transformer()).state_dict()) <= g_keys
    layers = {tuple(name.split(".")[:3]) for name in added}
    # The top two of three layers: encoder self-, decoder self- and cross-attention.
    assert layers == {
        (part, layer, attention)
        for part, attention in [
            ("encoder", "self_attention"),
            ("decoder", "self_attention"),
            ("decoder", "cross_attention"),
        ]
        for layer in "12"
    }


@torch.no_grad()
def test_group_attention_leaves_all_other_sentences_untouched_bit_for_bit():
    system = make(g_transformer(**NO_CONTEXT))
    (instance,) = documents([4, 6, 3, 6])
    before_batch = batch(instance)
    before = system.encode(before_batch.source).states
    logits_before = system(before_batch)
    change_a_word(instance, 1)
    change_a_word(instance, 1, "target")
    after_batch = batch(instance)
    after = system.encode(after_batch.source).states
    logits_after = system(after_batch)
    for sentence in range(4):
        rows = sentence_rows(before_batch.source, sentence)
        assert torch.equal(before[rows], after[rows]) == (sentence != 1)
        rows = sentence_rows(before_batch.target, sentence)
        assert torch.equal(logits_before[rows], logits_after[rows]) == (sentence != 1)


@torch.no_grad()
def test_combined_attention_lets_every_sentence_see_the_others():
    system = make(g_transformer())
    (instance,) = documents([4, 6, 3])
    before = system.encode(batch(instance).source).states
    change_a_word(instance, 0)
    after = system.encode(batch(instance).source).states
    assert (before != after).any(dim=1).all()


@pytest.mark.parametrize(
    ("keys", "from_source", "from_target"),
    [
        ({}, True, True),
        ({"target_context": False}, True, False),
        ({"source_context": False}, False, True),
        ({"source_context": False, "target_context": False}, False, False),
        ({"context_attention": "group"}, False, False),
        ({"context_attention": "global"}, True, True),
        # Context from the source alone still reaches through cross-attention.
        ({"encoder_context_layers": 0, "decoder_context_layers": 0}, True, False),
    ],
)
@torch.no_grad()
def test_context_can_be_removed_side_by_side(keys, from_source, from_target):
    system = make(g_transformer(**keys))
    (instance,) = documents([4, 6])
    packed = batch(instance)
    second = sentence_rows(packed.target, 1)
    before = system(packed)[second]
    change_a_word(instance, 0, "source")
    # The decoder's context of the first target sentence also carries its source.
    assert torch.equal(before, system(batch(instance))[second]) == (
        not from_source and not from_target
    )
    change_a_word(instance, 0, "source")
    (instance,) = documents([4, 6])
    change_a_word(instance, 0, "target")
    assert torch.equal(before, system(batch(instance))[second]) == (not from_target)


@torch.no_grad()
def test_the_gate_joins_local_and_global_as_equation_10_says():
    attention = make(g_transformer()).encoder[2]["self_attention"].sublayer
    local, context = torch.randn(5, 16), torch.randn(5, 16)
    attention.gate.weight.zero_()
    attention.gate.bias.fill_(1e4)
    assert torch.equal(attention.combine(local, context), local)
    attention.gate.bias.fill_(-1e4)
    assert torch.equal(attention.combine(local, context), context)
    attention.gate.bias.fill_(torch.log(torch.tensor(3.0)).item())
    assert_close(attention.combine(local, context), 0.75 * local + 0.25 * context)


def test_more_context_layers_than_layers_is_an_error_that_names_both():
    with pytest.raises(InputError, match="cross_context_layers 4 is more than layers 3"):
        GTransformerSettings.read({**SIZE, "cross_context_layers": 4})


def test_heads_that_do_not_divide_the_width_are_an_error_that_names_both():
    with pytest.raises(InputError, match="heads 3 must divide d_model 16"):
        GTransformerSettings.read({**SIZE, "heads": 3})


def test_a_preset_sets_all_dimensions_and_each_can_be_set_apart():
    big = GTransformerSettings.read({"preset": "big", "layers": 2})
    assert (big.layers, big.d_model, big.heads, big.ffn_dim) == (2, 1024, 16, 4096)
