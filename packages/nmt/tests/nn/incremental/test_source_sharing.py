"""Units that read the same instance, which attend to it together."""

import numpy as np
import torch

from docmt_nmt.nn.incremental.source_sharing import SourceSharing

CPU = torch.device("cpu")


def sharing(*instances):
    return SourceSharing(np.array(instances), CPU)


def answers(found, units):
    """What units that say their number get where each instance gives back what was said to it."""
    said = torch.tensor(units).float().view(-1, 1, 1, 1).repeat(1, 2, 1, 1)
    grouped = found.group(said)  # (I, 1, G · 2, 1)
    return grouped, found.ungroup(grouped, beam_size=2).flatten(1)[:, 0].tolist()


def test_units_of_an_instance_are_grouped():
    found = sharing(3, 3, 5, 3)
    assert found.instances.tolist() == [3, 5]
    grouped, got = answers(found, [1, 2, 3, 4])
    assert grouped[:, 0, :, 0].tolist() == [[1, 1, 2, 2, 4, 4], [3, 3, 0, 0, 0, 0]]
    assert got == [1, 2, 3, 4]


def test_an_instance_is_kept_while_a_unit_reads_it():
    found = sharing(0, 0, 1, 2, 2)
    assert found.keep(np.array([4, 1])).tolist() == [0, 2]
    assert found.instances.tolist() == [0, 2]
    grouped, got = answers(found, [7, 8])
    assert grouped[:, 0, :, 0].tolist() == [[8, 8], [7, 7]]
    assert got == [7, 8]


def test_units_that_read_alone_keep_their_order():
    found = sharing(0, 1, 2, 3)
    assert found.keep(np.array([0, 3, 2])).tolist() == [0, 3, 2]
    assert found.instances.tolist() == [0, 3, 2]
    assert found.keep(np.array([0, 2])).tolist() == [0, 2]
    assert found.instances.tolist() == [0, 2]
