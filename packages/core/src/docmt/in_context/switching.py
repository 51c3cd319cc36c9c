"""`Switching`: what translators have in common that take some translations from a second search,
in context: no decoder positions, and plans that are made anew for both searches."""

from __future__ import annotations

from dataclasses import dataclass

from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Feature, Plan


@dataclass(frozen=True)
class Switching(TranslatorDecorator):
    """A translator over one that translates alone, and sometimes in context."""

    @property
    def gives(self) -> frozenset[Feature]:
        return self.translator.gives - {"positions"}

    def plan(self, request: TranslationRequest) -> Plan:
        return Plan(request, self.translator.plan(request).cautions)
