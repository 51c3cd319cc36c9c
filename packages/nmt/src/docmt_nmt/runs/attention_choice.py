"""`AttentionChoice`: the attention of a system for word alignment, and the file with the choice in
a run.

RUN/alignment.json        {"layer": 1, "step": "output", "heads": null, "also": [[0, "input"]]}
"""

from __future__ import annotations

import json
import os
from typing import Literal, NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt.runs.trained_run import ALIGNMENT, TrainedRun

AttentionStep = Literal["input", "output"]
"""The decoder step of a target token: the step with the token as input, or as output."""


class AttentionChoice(NamedTuple):
    """The choice of the attention for alignment.

    Attributes:
        layer: the decoder layer, from 0.
        step: the decoder step of a target token.
        heads: the heads to average, from 0; None takes all.
        also: more layers and steps, if all heads are taken; the mean of all aligns.
    """

    layer: int
    step: AttentionStep
    heads: tuple[int, ...] | None = None
    also: tuple[tuple[int, AttentionStep], ...] = ()

    @property
    def parts(self) -> tuple[AttentionChoice, ...]:
        """The layers and steps to average."""
        return self._replace(also=()), *(AttentionChoice(*part) for part in self.also)

    def __str__(self) -> str:
        heads = "" if self.heads is None else "-heads-" + ".".join(map(str, self.heads))
        also = "".join(f"+layer-{layer}-{step}" for layer, step in self.also)
        return f"layer-{self.layer}-{self.step}{heads}{also}"

    def save(self, run: TrainedRun) -> None:
        """Write the choice into a run."""
        write_text(run.directory / ALIGNMENT, self.to_json())

    def to_json(self) -> str:
        """The content of the file."""
        return json.dumps(self._asdict()) + "\n"

    @classmethod
    def of_run(cls, run: TrainedRun | None) -> AttentionChoice | None:
        """Return the choice saved in a run, if there is one.

        Raises:
            InputError: the file is damaged.
        """
        if run is None or not os.path.lexists(path := run.directory / ALIGNMENT):
            return None
        values = read_json(path)
        try:
            layer, step, heads = values["layer"], values["step"], values["heads"]
            also = tuple((part[0], part[1]) for part in values.get("also", ()))
            numbers = [layer, *(heads or [0]), *(part[0] for part in also)]
            steps = [step, *(part[1] for part in also)]
            if (
                all(type(number) is int and number >= 0 for number in numbers)
                and all(step in ("input", "output") for step in steps)
                and (heads is None or not also)
            ):
                return cls(layer, step, None if heads is None else tuple(heads), also)
        except (AttributeError, KeyError, TypeError, IndexError):
            pass
        raise InputError(
            "does not say which attention aligns words",
            path=path,
            cure="Remove it, or write it again with `docmt tune-alignment`",
        )


def aligning_layers(run: TrainedRun, layers: int) -> list[int]:
    """The decoder layers whose attention aligns words: the run's choice, or the last but one.

    Args:
        layers: the number of decoder layers.
    """
    choice = AttentionChoice.of_run(run)
    known = range(layers)
    chosen = list(known[-2:][:1]) if choice is None else [part.layer for part in choice.parts]
    return [layer for layer in chosen if layer in known]
