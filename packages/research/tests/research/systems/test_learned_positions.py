"""Sentences of the systems of this package end in time where target positions are learned."""
# ruff: noqa: F401

from cases import every_form
from decoding.test_learned_positions import (
    LEARNED,
    test_given_sentences_leave_room_for_the_others,
    test_room_is_left_for_terms,
    test_samples_end_as_well,
    test_sentences_end_where_no_position_is_left,
)
from research_cases import cadec, context_aware_transformer, document_transformer, flat_transformer

SMALL = {**LEARNED, "layers": 2}
SYSTEMS = {
    "flat-transformer": flat_transformer(**SMALL, long_context="shorten"),
    "document-transformer": document_transformer(**SMALL),
    "context-aware-transformer": context_aware_transformer(**SMALL),
    "cadec": cadec(**SMALL),
}
each_system = every_form(SYSTEMS, name="settings")
