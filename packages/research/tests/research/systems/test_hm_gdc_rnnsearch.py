import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, batch, documents, make, others_shuffled
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import search
from docmt_research.systems.hm_gdc_rnnsearch import HMGDCRNNSearchSettings
from research_cases import RECURRENT, hm_gdc_rnnsearch, rnnsearch


def of_second(system, document):
    """The logits of the second sentence, and its translation's log-probability."""
    packed = batch(document)
    logits = system(packed)[packed.target.sentences.index == 1]
    longest = torch.full((len(packed.source.sentences),), 9)
    (found,) = search(
        system, packed.source, SPECIAL_TOKENS, beam_size=2, max_lengths=longest, banned=[1]
    )
    return logits, torch.tensor(found[0].log_probabilities[1])


@torch.no_grad()
def test_without_context_it_is_rnnsearch_weight_for_weight():
    plain, system = make(rnnsearch()), make(hm_gdc_rnnsearch(integration="none"), seed=2)
    system.load_state_dict(plain.state_dict(), strict=True)
    packed = batch(*documents([4, 3], [1], [9]))
    assert torch.equal(plain(packed), system(packed))


@torch.no_grad()
def test_where_the_document_gives_nothing_it_is_rnnsearch():
    plain, system = make(rnnsearch()), make(hm_gdc_rnnsearch(), seed=2)
    fitting = system.load_state_dict(plain.state_dict(), strict=False)
    assert all(name.startswith("hierarchy.") for name in fitting.missing_keys)
    output = system.hierarchy.context_attention.attention.output
    output.weight.zero_()
    output.bias.zero_()
    packed = batch(*documents([6], [4, 3]))
    assert_close(plain(packed), system(packed))


@pytest.mark.parametrize("share_encoders", [True, False])
@torch.no_grad()
def test_shuffling_the_other_sentences_changes_what_is_written(share_encoders):
    system = make(hm_gdc_rnnsearch(share_encoders=share_encoders))
    (document,) = documents([4, 6, 3, 5])
    (logits, score), (others, other) = (
        of_second(system, found) for found in (document, others_shuffled(document))
    )
    assert not torch.isclose(logits, others, atol=1e-5).all(dim=1).any()
    assert not torch.isclose(score, other)


@torch.no_grad()
def test_shuffling_the_other_sentences_changes_nothing_for_the_baseline():
    system = make(rnnsearch())
    (document,) = documents([4, 6, 3, 5])
    before, after = (of_second(system, found) for found in (document, others_shuffled(document)))
    assert_close(before, after)


def test_a_shared_document_encoder_is_the_sentence_encoder():
    shared, apart = make(hm_gdc_rnnsearch()), make(hm_gdc_rnnsearch(share_encoders=False))
    assert shared.hierarchy.document_encoder is shared.encoder
    count = {s: sum(p.numel() for p in s.parameters()) for s in (shared, apart)}
    assert count[apart] - count[shared] == sum(p.numel() for p in shared.encoder.parameters())


def test_attention_over_words_has_heads_of_its_own():
    hierarchy = make(hm_gdc_rnnsearch(heads=2)).hierarchy
    over_words = hierarchy.sentence_attention, hierarchy.context_attention.attention
    assert [attention.heads for attention in over_words] == [2, 2]


def test_heads_that_do_not_divide_the_width_are_an_error_that_names_both():
    with pytest.raises(InputError, match="heads 3 must divide d_model 16"):
        HMGDCRNNSearchSettings.read({**RECURRENT, "heads": 3})


def test_one_encoder_for_words_and_sentences_reads_one_size():
    with pytest.raises(InputError, match="embedding_dim 10 must be d_model 16 with share_encoders"):
        hm_gdc_rnnsearch(embedding_dim=10)
    assert hm_gdc_rnnsearch(embedding_dim=10, share_encoders=False).embedding_size == 10
    assert hm_gdc_rnnsearch(embedding_dim=16).embedding_size == 16


def test_context_is_dropped_in_training_at_its_own_rate():
    settings = hm_gdc_rnnsearch(dropout=0.0, context_dropout=0.9, integration="encoder")
    system, source = make(settings), batch(*documents([4, 6])).source
    still = system.encode(source).states
    assert not torch.equal(system.train().encode(source).states, still)
    system.context_dropout = 0.0
    assert_close(system.encode(source).states, still)
