import torch

from docmt.nn.incremental.source_sharing import SourceSharing


def answers(readers, units):
    """What units that say their number get where each instance gives back what was said to it."""
    said = torch.tensor(units).float().view(-1, 1, 1, 1).repeat(1, 2, 1, 1)
    seated = readers.seated(said)  # (I, 1, seats · 2, 1)
    return seated, readers.unseated(seated, beam_size=2).flatten(1)[:, 0].tolist()


def test_units_of_an_instance_sit_together():
    readers = SourceSharing(torch.tensor([3, 3, 5, 3]))
    assert readers.instances.tolist() == [3, 5]
    seated, got = answers(readers, [1, 2, 3, 4])
    assert seated[:, 0, :, 0].tolist() == [[1, 1, 2, 2, 4, 4], [3, 3, 0, 0, 0, 0]]
    assert got == [1, 2, 3, 4]


def test_an_instance_is_kept_while_a_unit_reads_it():
    readers = SourceSharing(torch.tensor([0, 0, 1, 2, 2]))
    assert readers.keep(torch.tensor([4, 1])).tolist() == [0, 2]
    assert readers.instances.tolist() == [0, 2]
    seated, got = answers(readers, [7, 8])
    assert seated[:, 0, :, 0].tolist() == [[8, 8], [7, 7]]
    assert got == [7, 8]


def test_units_that_read_alone_keep_their_order():
    readers = SourceSharing(torch.tensor([0, 1, 2, 3]))
    assert readers.keep(torch.tensor([0, 3, 2])).tolist() == [0, 3, 2]
    assert readers.instances.tolist() == [0, 3, 2]
    assert readers.keep(torch.tensor([0, 2])).tolist() == [0, 2]
    assert readers.instances.tolist() == [0, 2]
