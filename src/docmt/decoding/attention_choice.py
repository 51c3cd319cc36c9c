"""`AttentionChoice`: which attention of a system aligns words, and the file in a run that keeps it.

RUN/alignment.json        {"layer": 1, "step": "output", "heads": [0, 3]}
"""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

from docmt.errors import InputError
from docmt.files import write_text
from docmt.json_files import read_json
from docmt.runs import ALIGNMENT, Run

AttentionStep = Literal["input", "output"]
"""The decoder's step that stands for a target token: whose input it is, or whose output."""


class AttentionChoice(NamedTuple):
    """Which attention aligns.

    Attributes:
        layer: the decoder layer, from 0.
        step: the step of the decoder that stands for a target token.
        heads: the heads whose mean is taken, from 0; None takes all.
    """

    layer: int
    step: AttentionStep
    heads: tuple[int, ...] | None = None

    def __str__(self) -> str:
        heads = "" if self.heads is None else "-heads-" + ".".join(map(str, self.heads))
        return f"layer-{self.layer}-{self.step}{heads}"

    def save(self, run: Run) -> None:
        """Write the choice into a run."""
        values = self._asdict() | {"heads": self.heads and list(self.heads)}
        write_text(run.directory / ALIGNMENT, json.dumps(values) + "\n")

    @classmethod
    def of_run(cls, run: Run | None) -> AttentionChoice | None:
        """What a run says, if it does.

        Raises:
            InputError: the file is damaged.
        """
        if run is None or not (path := run.directory / ALIGNMENT).exists():
            return None
        values = read_json(path)
        try:
            layer, step, heads = values["layer"], values["step"], values["heads"]
            numbers = [layer, *(heads or [0])]
            if step in ("input", "output") and all(type(n) is int and n >= 0 for n in numbers):
                return cls(layer, step, None if heads is None else tuple(heads))
        except (KeyError, TypeError):
            pass
        raise InputError(
            "does not say which attention aligns words", path=path,
            cure="Remove it, or write it again with `docmt tune-alignment`",
        )  # fmt: skip
