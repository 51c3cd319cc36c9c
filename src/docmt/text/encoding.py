"""Repair of text that was decoded with the wrong encoding (Donato et al. 2021, appendix A.1)."""

from __future__ import annotations

from docmt.text.text_step import Step


class EncodingRepair(Step):
    """Repair by ftfy of UTF-8 that was read as Latin-1, Windows-1252 or a related encoding, once or
    several times: `schÃ¶n` becomes `schön`. It changes text only where the result is far more
    likely. `invert` leaves the text as it is.

    It comes before all other steps, because the no-break spaces of such text are parts of letters.
    """

    def __init__(self) -> None:
        # Not every pipeline needs it.
        from ftfy import fix_encoding

        self._repair = fix_encoding

    def apply(self, text: str) -> str:
        return str(self._repair(text))
