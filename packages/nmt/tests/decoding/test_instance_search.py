"""The batches in which instances are searched together."""

from docmt_nmt.data import Instance
from docmt_nmt.decoding.instance_search import batches_by_length
from docmt_nmt.recipes.search import SearchSettings
from table_system import SPECIAL_TOKENS


def test_instances_are_searched_together_within_both_limits():
    instances = [
        Instance("d", 0, [[5] * length] * count)
        for length, count in ((3, 1), (8, 2), (3, 3), (30, 1))
    ]

    # The sizes are 5, 20, 15 and 32 tokens.
    def grouped(**keys):
        one_pass = keys.pop("one_pass", True)
        settings = SearchSettings(beam_size=2, **keys)
        found = batches_by_length(instances, settings, SPECIAL_TOKENS, one_pass=one_pass)
        return list(found)

    assert grouped() == [[3, 1, 2, 0]]
    assert grouped(batch_tokens=64) == [[3, 1], [2, 0]]
    assert grouped(max_hypotheses=6) == [[3, 1, 2], [0]]
    # Each sentence on its own has hypotheses of its own.
    assert grouped(max_hypotheses=6, one_pass=False) == [[3, 1], [2], [0]]
    assert grouped(batch_tokens=1) == [[3], [1], [2], [0]]
