import pytest
import torch
from torch.testing import assert_close

from cases import SIZE, batch, documents, g_transformer, make, transformer
from docmt_files.base.errors import InputError
from docmt_nmt.base.writing_order import WritingOrder
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


BEYOND = {"sees": "beyond", "count_positions": "sentence"}
FORMS = {
    "self-attention": {},
    "recurrence": {"decoder_recurrence": "ssru", "recurrence_unit": "sentence"},
    "two before": {"sentences_before": 2},
    "pre-norm": {"norm": "pre"},
}


def start_and_beyond(keys):
    """A sentence-level system, and one with its weights and new attention beyond the sentence."""
    form = {key: value for key, value in keys.items() if key != "sentences_before"}
    start = make(g_transformer(**NO_CONTEXT, count_positions="sentence", **form))
    beyond = make(g_transformer(**BEYOND, **keys), seed=2)
    beyond.load_state_dict(start.state_dict(), strict=False)
    return start, beyond


@pytest.mark.parametrize("keys", FORMS.values(), ids=FORMS)
@torch.no_grad()
def test_beyond_a_sentence_alone_there_is_nothing_and_its_logits_are_the_starts(keys):
    start, beyond = start_and_beyond(keys)
    packed = batch(*documents([4], [1], [9]))
    assert torch.equal(start(packed), beyond(packed))


@pytest.mark.parametrize("keys", FORMS.values(), ids=FORMS)
@torch.no_grad()
def test_beyond_a_first_sentence_there_is_nothing_and_its_logits_are_the_starts(keys):
    start, beyond = start_and_beyond(keys)
    packed = batch(*documents([4, 3, 2, 5], [1], [9, 2]))
    expected, logits = start(packed), beyond(packed)
    first = torch.isin(packed.target.sentences.index, torch.tensor([0, 4, 5]))
    assert torch.equal(expected[first], logits[first])
    assert not torch.isclose(expected[~first], logits[~first]).all(dim=1).any()


@torch.no_grad()
def test_attention_beyond_the_sentence_sees_the_nearest_sentences_before_alone():
    system = make(g_transformer(**BEYOND, sentences_before=1, encoder_context_layers=1))
    (instance,) = documents([4, 6, 3, 5])
    before = batch(instance)
    states = system.encode(before.source).states
    change_a_word(instance, 1)
    after = system.encode(batch(instance).source).states
    changed = [
        not torch.equal(states[rows], after[rows])
        for rows in (sentence_rows(before.source, sentence) for sentence in range(4))
    ]
    assert changed == [False, True, True, False]


@torch.no_grad()
def test_a_twin_that_sees_its_own_sentence_twice_has_the_parameters_and_no_context():
    twin, beyond = make(g_transformer(sees="sentence")), make(g_transformer(sees="beyond"))
    assert set(twin.state_dict()) == set(beyond.state_dict())
    (instance,) = documents([4, 6])
    packed = batch(instance).source
    second = sentence_rows(packed, 1)
    before = twin.encode(packed).states[second]
    change_a_word(instance, 0)
    assert torch.equal(before, twin.encode(batch(instance).source).states[second])


@pytest.mark.parametrize(
    ("keys", "is_alone"),
    [
        ({"target_context": False}, True),
        ({"decoder_recurrence": "ssru", "recurrence_unit": "sentence"}, True),
        ({"decoder_recurrence": "ssru"}, False),
        ({}, False),
        ({"target_context": False, "count_positions": "instance"}, False),
    ],
)
def test_sentences_are_written_apart_where_none_reads_the_translation_of_another(keys, is_alone):
    order = make(g_transformer(**{**BEYOND, **keys})).writing_order
    assert (order is WritingOrder.ALONE) == is_alone


def test_settings_of_what_is_seen_need_the_attention_that_sees_it():
    with pytest.raises(InputError, match="sees"):
        g_transformer(sees="beyond", context_attention="group")
    with pytest.raises(InputError, match="sentences_before"):
        g_transformer(sentences_before=2)
