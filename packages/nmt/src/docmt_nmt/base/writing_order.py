"""`WritingOrder`: the order in which a system writes the sentences of an instance."""

from __future__ import annotations

from enum import Enum, auto


class WritingOrder(Enum):
    """Order in which a system writes the sentences of an instance."""

    ONE_PASS = auto()
    """In one pass, from left to right."""

    ALONE = auto()
    """Each on its own, given the source and the context of the instance."""

    IN_ORDER = auto()
    """Each on its own, given the translations of sentences before it."""

    AFTER_DRAFTS = auto()
    """Each on its own, given drafts of all others, which are written first, each `ALONE`."""

    CORRECTING = auto()
    """`IN_ORDER`, given its own draft as well, which `System.draft_system` writes; a sentence
    without sentences before it is not corrected."""

    @property
    def in_one_pass(self) -> bool:
        """True if an instance is written in one pass, not sentence by sentence."""
        return self is WritingOrder.ONE_PASS

    @property
    def in_order(self) -> bool:
        """True if each sentence has a search of its own, after those before it."""
        return self in (WritingOrder.IN_ORDER, WritingOrder.CORRECTING)

    @property
    def reads_translations(self) -> bool:
        """True if a sentence is given translations of others, which are searched apart."""
        return self.in_order or self is WritingOrder.AFTER_DRAFTS
