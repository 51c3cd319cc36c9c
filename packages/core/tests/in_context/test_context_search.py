from docmt.in_context.context_search import as_written
from docmt_nmt.decoding.literals import Literals


def test_literals_of_a_known_translation_are_written_as_search_wrote_them():
    literals = Literals("R s Q.", "%1 s %2.", ((0, 1), (4, 5)), ("%1", "%2"))
    assert as_written("Q t R.", literals) == "%2 t %1."
    assert as_written("t R.", literals) == "t %1."
    assert as_written("t R.", None) == "t R."
