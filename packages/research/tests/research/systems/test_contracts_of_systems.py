"""The systems of this package keep the contracts of all systems: the tests of docmt, over them."""
# ruff: noqa: F401

import pytest

from alignment.test_cross_attention import test_every_system_is_recorded_sentence_by_sentence
from cases import VOCABULARY, every_form, one_of_each_system
from decoding.test_constrained_beams import test_every_system_writes_what_it_must
from decoding.test_overlap import in_one_pass, test_what_is_given_goes_on_as_it_would_have
from decoding.test_sampling import test_what_is_drawn_for_a_document_does_not_depend_on_the_batch
from docmt_files.base.errors import InputError
from docmt_nmt.compiling.graphs import check_traceable
from docmt_nmt.systems import build
from nn.test_quantization import (
    test_a_document_is_translated_whole_in_every_precision,
    test_logits_stay_close,
    test_prepacking_does_not_change_logits,
)
from nn.test_recording import (
    test_the_weights_of_steps_are_those_of_the_full_pass,
    test_whatever_is_in_use_can_be_recorded_at_once,
)
from research_cases import RESEARCH_CASES
from runs.test_system_run import test_the_outline_of_a_system_has_the_shapes_of_the_system
from systems.test_every_system import (
    test_a_batch_teaches_what_its_documents_teach_one_by_one,
    test_a_beam_gives_every_sentence_the_probability_of_the_full_pass,
    test_a_document_does_not_depend_on_what_else_is_in_the_batch,
    test_a_system_prepared_for_search_computes_the_same,
    test_attention_weights_are_dropped_in_training_alone,
    test_every_parameter_learns,
    test_no_token_sees_the_target_after_it,
    test_step_by_step_decoding_equals_the_full_pass,
    test_the_same_seed_gives_the_same_weights,
    test_the_states_of_a_search_are_freed_without_garbage_collection,
)
from training.test_new_modules import (
    test_a_gate_bias_lets_the_same_share_of_the_context_through_every_gate,
    test_what_is_loaded_stays_as_it_is,
)

each_form = every_form(RESEARCH_CASES)
each_system = one_of_each_system(RESEARCH_CASES)
each_in_one_pass = one_of_each_system(in_one_pass(RESEARCH_CASES), name="one_pass")


@pytest.mark.parametrize("name", ["cadec", "han", "rnnsearch"])
def test_a_system_that_reads_more_cannot_be_compiled(name):
    with pytest.raises(InputError, match=f"a {name} cannot be compiled"):
        check_traceable(build(RESEARCH_CASES[name], VOCABULARY, VOCABULARY))
