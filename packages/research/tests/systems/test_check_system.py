"""`check_system` passes what keeps the contracts, and names the one that is broken."""

import pytest

from cases import CASES
from docmt_nmt.systems import system_class
from docmt_research.check_system import check_system
from research_cases import RESEARCH_CASES

ALL = {**CASES, **RESEARCH_CASES}
QUICK = ("g-transformer", "document-transformer", "rnnsearch")
OTHERS = sorted(
    {name for name in ALL if "," not in name} - {*QUICK, "parallel-stack"}
)  # A stack reads the states of other encoders.


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
def test_every_system_keeps_its_contracts(name: str) -> None:
    check_system(ALL[name])


def test_a_broken_contract_is_named(monkeypatch) -> None:
    """The attention of a system that cannot take a batch without tokens in the context."""
    settings = RESEARCH_CASES["document-transformer"]
    system = system_class(settings.name)
    encode = system.encode

    def dies(self, source):
        if source.context is None or not len(source.context.tokens):
            raise RuntimeError("cannot reshape tensor of 0 elements")
        return encode(self, source)

    monkeypatch.setattr(system, "encode", dies)
    with pytest.raises(AssertionError, match=r"without context can be learned from: cannot resh"):
        check_system(settings)


def test_the_batch_may_not_change_a_document(monkeypatch) -> None:
    settings = CASES["transformer"]
    system = system_class(settings.name)
    forward = system.forward
    monkeypatch.setattr(
        system, "forward", lambda self, batch: forward(self, batch) * len(batch.labels)
    )
    with pytest.raises(AssertionError, match="transformer: a document does not depend on the"):
        check_system(settings)
