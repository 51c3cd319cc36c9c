"""Translation memories: sentences and translations by people, to be used again."""

from docmt.memory.adapted_units import adapt_unit
from docmt.memory.match_penalties import MatchPenalties
from docmt.memory.memory_store import TranslationMemory
from docmt.memory.units import MemoryMatch, Unit

__all__ = ["MatchPenalties", "MemoryMatch", "TranslationMemory", "Unit", "adapt_unit"]
