"""Choices among forms of layers, which settings of systems name. Nothing here needs torch."""

from __future__ import annotations

from typing import Literal

PositionKind = Literal["sinusoidal", "sinusoidal-from-0", "sinusoidal-marian", "learned"]
"""Position embeddings."""

CountPositions = Literal["instance", "sentence"]
"""Points at which positions start again."""

SequenceUnit = Literal["instance", "sentence"]
"""Text over which the state of a recurrence runs on."""

NormOrder = Literal["post", "pre", "output"]
"""Places of layer normalization."""

Activation = Literal["relu", "gelu", "swish"]
"""Activation functions of feed-forward sublayers."""

Recurrence = Literal["none", "ssru"]
"""Recurrences in place of the decoder's self-attention."""

Sees = Literal["instance", "beyond", "sentence"]
"""What the global attention of combined attention sees: the whole instance, what lies beyond the
own sentence, or the own sentence."""
