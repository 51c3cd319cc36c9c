"""Signatures: equal for equal data and settings, and for nothing else."""

from docmt_nmt.evaluation.signatures import signature


def test_a_signature_names_data_and_settings():
    one = signature([("a", "b")], context=3, seed=None)
    assert one == signature([["a", "b"]], context=3)
    assert one.startswith("data:") and "|context:3|version:" in one and "seed" not in one
    assert one != signature([("a", "c")], context=3)
    assert one != signature([("a", "b")], context=2)
